#include "triage/knowledge/name_rules.h"

#include "base/piece.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace pt2triage {
namespace {

TEST(NameRulesTest, EveryPatternCompilesAndHasOneGroup) {
  for (const NameRule& rule : NameRules()) {
    re2::RE2 pattern(ToPiece(rule.pattern));
    EXPECT_TRUE(pattern.ok()) << rule.pattern;
    EXPECT_EQ(pattern.NumberOfCapturingGroups(), 1) << rule.pattern;
  }
}

TEST(NameRulesTest, EverySampleGivesItsName) {
  for (const NameRule& rule : NameRules()) {
    EXPECT_EQ(FindName(rule.hole, rule.sample), rule.name) << rule.sample;
  }
}

TEST(NameRulesTest, NothingIsMadeUp) {
  EXPECT_FALSE(FindName("op", "CUDA error: out of memory"));
  EXPECT_FALSE(FindName("callee", "Data-dependent branching"));
  EXPECT_FALSE(FindName("no such hole", "operator `print`"));
}

}  // namespace
}  // namespace pt2triage
