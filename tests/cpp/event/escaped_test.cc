#include "event/escaped.h"

#include "event/traceback.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

constexpr char kText[] =
    "Traceback (most recent call last):\n"
    "  File \"/a/b.py\", line 3, in f\n"
    "    x\n"
    "KeyError: 'a'\n";

TEST(UnescapedTracebackTest, AJsonValueEndsAtItsQuote) {
  EXPECT_EQ(
      UnescapedTraceback(
          R"({"exc": "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in f\n    x\nKeyError: 'a'\n", "level": "error"})"),
      kText);
}

TEST(UnescapedTracebackTest, EscapedTwice) {
  EXPECT_EQ(
      UnescapedTraceback(
          R"({"m": "{\"exc\": \"Traceback (most recent call last):\\n  File \\\"/a/b.py\\\", line 3, in f\\n    x\\nKeyError: 'a'\\n\"}"})")
          .substr(0, sizeof(kText) - 1),
      kText);
}

TEST(UnescapedTracebackTest, WithoutQuotesItEndsWithTheLine) {
  EXPECT_EQ(UnescapedTraceback(R"(x Traceback (most recent call last):\nE: y)"),
            "Traceback (most recent call last):\nE: y");
}

TEST(UnescapedTracebackTest, UnicodeEscapes) {
  EXPECT_EQ(
      UnescapedTraceback(
          R"("Traceback (most recent call last):\nE: \u00e9 \u4e2d \uzzzz")"),
      "Traceback (most recent call last):\nE: \xC3\xA9 \xE4\xB8\xAD "
      "\xEF\xBF\xBD");
}

TEST(UnescapedTracebackTest, OtherLinesHoldNone) {
  EXPECT_EQ(UnescapedTraceback("Traceback (most recent call last):"), "");
  EXPECT_EQ(UnescapedTraceback("Traceback (most recent call last): \\x"), "");
  EXPECT_EQ(UnescapedTraceback("all is well\\n"), "");
  EXPECT_EQ(UnescapedTraceback(""), "");
}

}  // namespace
}  // namespace pt2triage
