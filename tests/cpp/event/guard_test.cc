#include "event/guard.h"

#include <string>
#include <string_view>

#include "base/piece.h"
#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace pt2triage {
namespace {

using ::testing::Optional;

GuardFailure Parse(std::string_view text) {
  return ParseGuard({"0/0", std::string(text)});
}

TEST(GuardRulesTest, EveryPatternCompiles) {
  for (const GuardRule& rule : GuardRules()) {
    EXPECT_TRUE(re2::RE2(ToPiece(rule.pattern)).ok()) << rule.pattern;
  }
}

TEST(GuardRulesTest, EverySampleFitsItsOwnRowFirst) {
  for (const GuardRule& rule : GuardRules()) {
    for (const GuardRule& earlier : GuardRules()) {
      const re2::RE2 pattern(ToPiece(earlier.pattern));
      const bool fits = re2::RE2::PartialMatch(ToPiece(rule.sample), pattern);
      EXPECT_EQ(fits, &earlier == &rule)
          << "sample: " << rule.sample << "\nrow: " << earlier.pattern;
      if (&earlier == &rule) break;
    }
  }
}

TEST(GuardRulesTest, EverySampleIsParsedAsItsCause) {
  for (const GuardRule& rule : GuardRules()) {
    const GuardFailure failure = Parse(rule.sample);
    EXPECT_EQ(failure.cause, rule.cause) << rule.sample;
    EXPECT_EQ(failure.guard, Trim(rule.sample));
  }
}

TEST(GuardRulesTest, EverySampleFillsTheNamedParts) {
  for (const GuardRule& rule : GuardRules()) {
    // A row of several wordings need not fill all of its parts.
    if (Contains(rule.pattern, "|") || Contains(rule.pattern, ")?")) continue;
    const GuardFailure failure = Parse(rule.sample);
    const re2::RE2 pattern(ToPiece(rule.pattern));
    for (const auto& [name, index] : pattern.NamedCapturingGroups()) {
      const auto& part = name == "expected" ? failure.expected
                         : name == "actual" ? failure.actual
                                            : failure.source;
      EXPECT_TRUE(part.has_value() && !part->empty())
          << name << " of " << rule.sample;
    }
  }
}

TEST(ParseGuardTest, TensorMismatchesNameTheirParts) {
  const GuardFailure failure =
      Parse("tensor 'L['x']' size mismatch at index 0. expected 3, actual 4");
  EXPECT_EQ(failure.compile_id, "0/0");
  EXPECT_EQ(failure.cause, "shape");
  EXPECT_THAT(failure.source, Optional(std::string("L['x']")));
  EXPECT_THAT(failure.expected, Optional(std::string("3")));
  EXPECT_THAT(failure.actual, Optional(std::string("4")));
}

TEST(ParseGuardTest, CausesByExample) {
  const struct {
    std::string_view guard;
    std::string_view cause;
    std::string_view source;    // empty: unknown
    std::string_view expected;  // empty: unknown
  } kGuards[] = {
      {"tensor 'x' rank mismatch. expected 1, actual 2", "shape", "x", "1"},
      {"tensor 'x' stride mismatch at index 1. expected 1, actual 3", "stride",
       "x", "1"},
      {"tensor 'x' dtype mismatch. expected Float, actual Double", "dtype", "x",
       "Float"},
      {"tensor 'x' requires_grad mismatch. expected requires_grad=0",
       "requires-grad", "x", "0"},
      {"tensor 'self._modules['a'].weight' size mismatch at index 0. expected "
       "3, actual 4",
       "shape", "self._modules['a'].weight", "3"},
      {"n == 3", "scalar-value", "n", "3"},
      {"L['n'] == 3", "scalar-value", "L['n']", "3"},
      {"name == 'a == b'", "scalar-value", "name", "'a == b'"},
      {"GLOBAL_STATE changed: grad_mode ", "global-state", "grad_mode", ""},
      {"___check_type_id(n, 140123)", "type", "n", "140123"},
      {"___check_type_id(L['n'], 140123), type=<class 'int'>", "type", "", ""},
      {"___check_obj_id(L['mod'], 140123)", "object-identity", "L['mod']",
       "140123"},
      {"Cache line invalidated because L['mod'] got deallocated",
       "weakref-died", "", ""},
      {"BACKEND_MATCH failure: torch.compile detected different backend "
       "callables.",
       "backend-changed", "", ""},
      {"len(xs) == 2", "container-length", "xs", "2"},
      {"KeyError on d['k']", "dict-keys", "d['k']", ""},
      {"2 <= x.size()[0] <= 5", "symbolic-shape", "", ""},
      {"L['x'].size()[0] == 4", "symbolic-shape", "", ""},
      {"self.training == True", "module-attribute", "self.training", "True"},
  };
  for (const auto& row : kGuards) {
    const GuardFailure failure = Parse(row.guard);
    EXPECT_EQ(failure.cause, row.cause) << row.guard;
    if (!row.source.empty()) {
      EXPECT_THAT(failure.source, Optional(std::string(row.source)))
          << row.guard;
    }
    if (!row.expected.empty()) {
      EXPECT_THAT(failure.expected, Optional(std::string(row.expected)))
          << row.guard;
    }
  }
}

TEST(ParseGuardTest, TheCommentIsCutAndNamesTheUserCode) {
  const GuardFailure failure =
      Parse("n == 3                       # return x * n  # a/b.py:4 in f");
  EXPECT_EQ(failure.guard, "n == 3");
  EXPECT_THAT(failure.user_code, Optional(std::string("a/b.py:4")));
}

TEST(ParseGuardTest, ACommentWithoutAPlaceNamesNoUserCode) {
  const GuardFailure failure = Parse("n == 3  # return x * n");
  EXPECT_EQ(failure.guard, "n == 3");
  EXPECT_FALSE(failure.user_code);
}

TEST(ParseGuardTest, AHashInAStringIsNoComment) {
  EXPECT_EQ(Parse("name == 'a  # b'").guard, "name == 'a  # b'");
}

TEST(ParseGuardTest, HintsAreCut) {
  const GuardFailure failure = Parse(
      "___check_type_id(n, 9401), type=<class 'int'> (HINT: type int)  "
      "# x  # a.py:4 in f");
  EXPECT_EQ(failure.guard, "___check_type_id(n, 9401), type=<class 'int'>");
  EXPECT_EQ(failure.cause, "type");
}

TEST(ParseGuardTest, UnknownWordingIsOther) {
  const GuardFailure failure = Parse("Something nobody has seen");
  EXPECT_EQ(failure.cause, "other");
  EXPECT_EQ(failure.guard, "Something nobody has seen");
  EXPECT_FALSE(failure.source);
}

TEST(ParseGuardTest, EmptyTextIsOther) { EXPECT_EQ(Parse("").cause, "other"); }

}  // namespace
}  // namespace pt2triage
