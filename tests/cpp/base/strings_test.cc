#include "base/strings.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(StringsTest, TrimTakesBlanksOffBothEnds) {
  EXPECT_EQ(Trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(Trim(" \r\n"), "");
  EXPECT_EQ(TrimLeft("  a "), "a ");
  EXPECT_EQ(TrimRight("  a \n"), "  a");
}

TEST(StringsTest, IndentCountsLeadingBlanks) {
  EXPECT_EQ(Indent("    x"), 4u);
  EXPECT_EQ(Indent("x"), 0u);
  EXPECT_EQ(Indent("   "), 3u);
}

TEST(StringsTest, ConsumeOnlyTakesWhatIsThere) {
  std::string_view text = "abc";
  EXPECT_FALSE(Consume(&text, "b"));
  EXPECT_EQ(text, "abc");
  EXPECT_TRUE(Consume(&text, "ab"));
  EXPECT_EQ(text, "c");
}

TEST(StringsTest, ConsumeDigitsStopsAtTheFirstOther) {
  std::string_view text = "12a3";
  EXPECT_EQ(ConsumeDigits(&text), "12");
  EXPECT_EQ(text, "a3");
  EXPECT_EQ(ConsumeDigits(&text), "");
}

TEST(StringsTest, ToIntWantsAWholeNumberThatFits) {
  EXPECT_EQ(ToInt("12"), 12);
  EXPECT_EQ(ToInt(""), std::nullopt);
  EXPECT_EQ(ToInt("12 "), std::nullopt);
  EXPECT_EQ(ToInt<int32_t>("2147483648"), std::nullopt);
  EXPECT_EQ(ToInt("2147483648"), 2147483648);
}

TEST(StringsTest, LastParts) {
  EXPECT_EQ(AfterLast("a.b.C", '.'), "C");
  EXPECT_EQ(AfterLast("C", '.'), "C");
  EXPECT_EQ(BaseName("/a/b.py"), "b.py");
  EXPECT_EQ(BaseName("C:\\a\\b.py"), "b.py");
  EXPECT_EQ(BaseName("b.py"), "b.py");
}

TEST(StringsTest, NextLineWalksThroughAText) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(NextLine(&text), "a");
  EXPECT_EQ(NextLine(&text), "");
  EXPECT_EQ(NextLine(&text), "b");
  EXPECT_TRUE(text.empty());
}

TEST(HashTest, MapsOfStringsAreSearchedByView) {
  FlatMap<std::string, int> map;
  map["key"] = 1;
  const std::string_view view = "key";
  EXPECT_TRUE(map.contains(view));
  EXPECT_EQ(map.find(view)->second, 1);
}

}  // namespace
}  // namespace pt2triage
