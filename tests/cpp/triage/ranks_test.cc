#include "triage/ranks.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(RanksTest, ListsAreMerged) {
  std::vector<int32_t> ranks;
  AddRanks({}, &ranks);
  EXPECT_THAT(ranks, SizeIs(0));
  AddRanks({3}, &ranks);
  AddRanks({1, 3, 7}, &ranks);
  AddRanks({7}, &ranks);
  AddRanks({2}, &ranks);
  EXPECT_THAT(ranks, ElementsAre(1, 2, 3, 7));
}

TEST(RanksTest, TheLowestStay) {
  std::vector<int32_t> ranks(kMaxRanks);
  std::iota(ranks.begin(), ranks.end(), 1);
  AddRanks({0, 1'000'000}, &ranks);
  EXPECT_THAT(ranks, SizeIs(kMaxRanks));
  EXPECT_EQ(ranks.front(), 0);
  EXPECT_EQ(ranks.back(), static_cast<int32_t>(kMaxRanks) - 1);
}

}  // namespace
}  // namespace pt2triage
