#include "base/simd.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(EqualMask64Test, SaysWhereAByteStands) {
  for (int at = 0; at < 64; ++at) {
    std::string text(64, 'x');
    text[static_cast<size_t>(at)] = '\n';
    EXPECT_EQ(EqualMask64(text.data(), '\n'), uint64_t{1} << at);
  }
  EXPECT_EQ(EqualMask64(std::string(64, '\xff').data(), '\xff'), UINT64_MAX);
}

TEST(Shape8Test, TakesEachByteForWhatItIs) {
  constexpr Shape8 kShape("00:-T 0]");
  const std::string good = "42:-T 7]";
  EXPECT_TRUE(kShape.Matches(good.data()));
  for (size_t i = 0; i < good.size(); ++i) {
    const bool digit = good[i] >= '0' && good[i] <= '9';
    for (int c = 0; c < 256; ++c) {
      std::string text = good;
      text[i] = static_cast<char>(c);
      const bool fits =
          digit ? text[i] >= '0' && text[i] <= '9' : text[i] == good[i];
      EXPECT_EQ(kShape.Matches(text.data()), fits) << text;
    }
  }
}

}  // namespace
}  // namespace pt2triage
