#include "triage/knowledge/cause_table.h"

#include <set>
#include <string>
#include <utility>

#include "event/guard.h"
#include "event/messages/cause_rules.h"
#include "event/messages/exception_table.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(CauseTableTest, EveryPairStandsOnce) {
  std::set<std::pair<Category, std::string_view>> seen;
  for (const CauseInfo& info : CauseTable()) {
    EXPECT_TRUE(seen.insert({info.category, info.cause}).second) << info.cause;
    EXPECT_FALSE(info.about.empty()) << info.cause;
    EXPECT_FALSE(info.proof.empty()) << info.cause;
    EXPECT_FALSE(info.actions.empty()) << info.cause;
  }
}

TEST(CauseTableTest, EveryCauseThatARuleGivesIsInIt) {
  for (const CauseRule& rule : CauseRules()) {
    EXPECT_NE(FindCause(rule.category, rule.cause), nullptr) << rule.cause;
  }
  for (const GuardRule& rule : GuardRules()) {
    EXPECT_NE(FindCause(Category::kRecompilation, rule.cause), nullptr)
        << rule.cause;
  }
  for (const ExceptionClass& known : ExceptionTable()) {
    if (known.category == Category::kNone || known.cause.empty()) continue;
    EXPECT_NE(FindCause(known.category, known.cause), nullptr) << known.name;
  }
}

// The last action is what is left where the log names nothing.
TEST(CauseTableTest, LastActionsNeedNothingOptional) {
  for (const CauseInfo& info : CauseTable()) {
    std::string rest(info.actions.back());
    // The guard's own rule names them.
    bool guard = info.category == Category::kRecompilation;
    for (std::string_view always :
         {"{where}", "{function}", "{exception}", guard ? "{source}" : "",
          guard ? "{expected}" : "", guard ? "{actual}" : "",
          guard ? "{guard}" : "",
          info.cause == "custom-backend" ? "{backend}" : "",
          info.cause == "scheduling" ? "{patch}" : ""}) {
      if (always.empty()) continue;
      for (size_t at; (at = rest.find(always)) != std::string::npos;) {
        rest.erase(at, always.size());
      }
    }
    EXPECT_EQ(rest.find('{'), std::string::npos) << info.cause;
  }
}

}  // namespace
}  // namespace pt2triage
