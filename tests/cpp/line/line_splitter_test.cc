#include "line/line_splitter.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Copy {
  std::string text;
  uint64_t number;
  uint64_t offset;
  uint64_t length;
  bool operator==(const Copy&) const = default;
};

// Splits `text` fed in chunks of `size` bytes.
std::vector<Copy> Split(std::string_view text, size_t size) {
  std::vector<Copy> lines;
  LineSplitter splitter;
  auto sink = [&](const PhysicalLine& line) {
    lines.push_back(
        {std::string(line.text), line.number, line.offset, line.length});
  };
  for (size_t i = 0; i < text.size(); i += size) {
    splitter.Feed(text.substr(i, size), sink);
  }
  splitter.Finish(sink);
  EXPECT_EQ(splitter.bytes(), text.size());
  return lines;
}

TEST(LineSplitterTest, LinesKnowTheirPlace) {
  EXPECT_THAT(
      Split("ab\n\nc\n", 100),
      ElementsAre(Copy{"ab", 1, 0, 3}, Copy{"", 2, 3, 1}, Copy{"c", 3, 4, 2}));
}

TEST(LineSplitterTest, TheLastLineNeedsNoNewline) {
  EXPECT_THAT(Split("a\nbc", 100),
              ElementsAre(Copy{"a", 1, 0, 2}, Copy{"bc", 2, 2, 2}));
}

TEST(LineSplitterTest, NothingGivesNothing) {
  EXPECT_THAT(Split("", 1), IsEmpty());
}

TEST(LineSplitterTest, CarriageReturnsStay) {
  EXPECT_THAT(Split("a\r\nb\rc\n", 2),
              ElementsAre(Copy{"a\r", 1, 0, 3}, Copy{"b\rc", 2, 3, 4}));
}

TEST(LineSplitterTest, CountsLinesAndKnowsAnOpenOne) {
  LineSplitter splitter;
  auto sink = [](const PhysicalLine&) {};
  splitter.Feed("a\nb", sink);
  EXPECT_EQ(splitter.lines(), 1u);
  EXPECT_TRUE(splitter.carries());
  splitter.Finish(sink);
  EXPECT_EQ(splitter.lines(), 2u);
  EXPECT_FALSE(splitter.carries());
}

TEST(LineSplitterTest, AnyChunkingGivesTheSameLines) {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += random() % 9 == 0 ? '\n' : static_cast<char>('a' + random() % 26);
  }
  const std::vector<Copy> whole = Split(text, text.size());
  for (size_t size : {1u, 2u, 3u, 7u, 64u, 1999u}) {
    EXPECT_EQ(Split(text, size), whole) << size;
  }
}

TEST(LineSplitterTest, OverLongLinesAreCutAtFixedPlaces) {
  const std::string text =
      std::string(LineSplitter::kMaxLine + 5, 'x') + "\nnext\n";
  const std::vector<Copy> whole = Split(text, text.size());
  ASSERT_EQ(whole.size(), 3u);
  EXPECT_EQ(whole[0].length, LineSplitter::kMaxLine);
  EXPECT_EQ(whole[0].number, 1u);
  EXPECT_EQ(whole[1], (Copy{"xxxxx", 1, LineSplitter::kMaxLine, 6}));
  EXPECT_EQ(whole[2].number, 2u);
  EXPECT_EQ(Split(text, 1 << 20), whole);
  EXPECT_EQ(Split(text, 99991), whole);
}

TEST(LineSplitterTest, ALineOfExactlyTheLimitIsOneLine) {
  const std::string text = std::string(LineSplitter::kMaxLine, 'x') + "\ny\n";
  const std::vector<Copy> whole = Split(text, text.size());
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_EQ(whole[0].length, LineSplitter::kMaxLine + 1);
  EXPECT_EQ(whole[1].number, 2u);
  // The newline may be the first byte of a chunk.
  EXPECT_EQ(Split(text, LineSplitter::kMaxLine), whole);
  EXPECT_EQ(Split(text, 1 << 20), whole);
}

}  // namespace
}  // namespace pt2triage
