#include "pt2triage/compile_id.h"

#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::Optional;

TEST(CompileIdTest, ReadsAllForms) {
  EXPECT_THAT(CompileId::Parse("0/0"), Optional(CompileId{-1, 0, 0, 0}));
  EXPECT_THAT(CompileId::Parse("3/12"), Optional(CompileId{-1, 3, 12, 0}));
  EXPECT_THAT(CompileId::Parse("0/1_2"), Optional(CompileId{-1, 0, 1, 2}));
  EXPECT_THAT(CompileId::Parse("!7"), Optional(CompileId{7, -1, -1, 0}));
  EXPECT_THAT(CompileId::Parse("!0/1/0"), Optional(CompileId{0, 1, 0, 0}));
  EXPECT_THAT(CompileId::Parse("!0/1/0_1"), Optional(CompileId{0, 1, 0, 1}));
}

TEST(CompileIdTest, PrintsWhatItRead) {
  for (std::string_view text :
       {"0/0", "3/12", "0/1_2", "!7", "!0/1/0", "!0/1/0_1"}) {
    EXPECT_EQ(CompileId::Parse(text)->ToString(), text);
  }
}

TEST(CompileIdTest, OtherTextIsNone) {
  for (std::string_view text :
       {"", "0", "0/", "/0", "a/b", "0/0_", "0/0x", "!", "!/0", "!1/0", "-/-",
        "0/0 ", "99999999999/0", "-1/0", "__graph_breaks"}) {
    EXPECT_FALSE(CompileId::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace pt2triage
