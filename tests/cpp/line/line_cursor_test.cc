#include "line/line_cursor.h"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

// Text of few characters, so that ends and tabs are at all distances.
std::string RandomText(std::mt19937* random, std::string_view alphabet) {
  std::string text((*random)() % 300, ' ');
  for (char& c : text) c = alphabet[(*random)() % alphabet.size()];
  return text;
}

TEST(LineCursorTest, GivesEveryEnd) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = RandomText(&random, i % 2 ? "a\n" : "aaaaaaaab\n");
    std::vector<size_t> expected;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') expected.push_back(at + 1);
    }
    std::vector<size_t> ends;
    LineCursor cursor(text);
    for (size_t end = 0; (end = cursor.NextEnd()) != std::string_view::npos;) {
      ends.push_back(end);
    }
    EXPECT_EQ(ends, expected);
    EXPECT_EQ(WholeLines(text), expected.empty() ? 0 : expected.back());
  }
}

TEST(TakeTabbedLinesTest, TakesWhatALoopTakes) {
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    std::string text = RandomText(&random, i % 2 ? "\t\n" : "abcdef\t\n");
    if (i % 3 != 0) {  // mostly payload
      std::string tabbed;
      for (char c : text) tabbed += c == '\n' ? "\n\t" : std::string(1, c);
      text = "\t" + tabbed;
    }
    text += '\n';
    TabbedLines expected;
    while (expected.bytes < text.size() && text[expected.bytes] == '\t') {
      expected.bytes = text.find('\n', expected.bytes) + 1;
      ++expected.lines;
    }
    const TabbedLines taken = TakeTabbedLines(text);
    EXPECT_EQ(taken.bytes, expected.bytes) << testing::PrintToString(text);
    EXPECT_EQ(taken.lines, expected.lines) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace pt2triage
