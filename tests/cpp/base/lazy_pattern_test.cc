#include "base/lazy_pattern.h"

#include <string_view>
#include <vector>

#include "base/piece.h"
#include "event/guard.h"
#include "event/messages/cause_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "triage/knowledge/name_rules.h"
#include "triage/normal_forms.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RequiredTextsTest, AreTheLongest) {
  EXPECT_THAT(RequiredTexts("plain"), ElementsAre("plain"));
  EXPECT_THAT(RequiredTexts(R"(^tensor '(?P<s>.*)' rank mismatch\. \d+$)"),
              ElementsAre("' rank mismatch. "));
  EXPECT_THAT(RequiredTexts(R"(\b(SeqNum=)\d+)"), ElementsAre("SeqNum="));
  EXPECT_THAT(RequiredTexts(R"(a(?:(b)cd)+e)"), ElementsAre("cd"));
  EXPECT_THAT(RequiredTexts("[^]abc]x"), ElementsAre("x"));
  EXPECT_THAT(RequiredTexts("ab+c"), ElementsAre("ab"));
}

TEST(RequiredTextsTest, AreOneOfEachAlternative) {
  EXPECT_THAT(RequiredTexts("one|other"), ElementsAre("one", "other"));
  EXPECT_THAT(RequiredTexts("(?:one|other) x"), ElementsAre("one", "other"));
  EXPECT_THAT(RequiredTexts("(?:one|o) is"), ElementsAre(" is"));
  EXPECT_THAT(RequiredTexts(R"(one|\d+|other)"), IsEmpty());
  EXPECT_THAT(RequiredTexts("one|"), IsEmpty());
}

TEST(RequiredTextsTest, LeaveOutWhatMayBeMissing) {
  EXPECT_THAT(RequiredTexts("abcd?e"), ElementsAre("abc"));
  EXPECT_THAT(RequiredTexts("abcd*?e"), ElementsAre("abc"));
  EXPECT_THAT(RequiredTexts("abcd{0,3}e"), ElementsAre("abc"));
  EXPECT_THAT(RequiredTexts("(abc)?e"), ElementsAre("e"));
  EXPECT_THAT(RequiredTexts("(abc){2}e"), ElementsAre("e"));
  EXPECT_THAT(RequiredTexts("(?i)abc"), IsEmpty());
  EXPECT_THAT(RequiredTexts(R"(abc\x41)"), IsEmpty());
  EXPECT_THAT(RequiredTexts("abc[[:digit:]x]"), IsEmpty());
  EXPECT_THAT(RequiredTexts("abc{x"), IsEmpty());
}

// Over all tables and samples: no match is missed.
TEST(LazyPatternTest, MayMatchWhateverItMatches) {
  std::vector<std::string_view> patterns;
  std::vector<std::string_view> texts;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) {
      patterns.push_back(row.pattern);
      texts.push_back(row.sample);
    }
  };
  add(GuardRules());
  add(CauseRules());
  add(NameRules());
  add(NormalForms());
  size_t known = 0;
  for (const std::string_view pattern : patterns) {
    const LazyPattern lazy(pattern);
    known += RequiredTexts(pattern).empty() ? 0 : 1;
    for (const std::string_view text : texts) {
      if (re2::RE2::PartialMatch(ToPiece(text), *lazy)) {
        EXPECT_TRUE(lazy.MayMatch(text)) << pattern << "\n" << text;
      }
    }
  }
  EXPECT_GT(known, patterns.size() / 2);
}

TEST(LazyPatternTest, MatchesAsThePatternDoes) {
  const LazyPattern pattern(R"(\bGPU \d+)");
  EXPECT_FALSE(pattern.MayMatch("no device"));
  EXPECT_TRUE(pattern.MayMatch("GPU 3"));
  EXPECT_TRUE(re2::RE2::PartialMatch("on GPU 3", *pattern));
  EXPECT_FALSE(re2::RE2::PartialMatch("GPU x", *pattern));
}

}  // namespace
}  // namespace pt2triage
