#include "event/messages/cause_rules.h"

#include <string_view>

#include "base/piece.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace pt2triage {
namespace {

TEST(CauseRulesTest, EveryPatternCompiles) {
  for (const CauseRule& rule : CauseRules()) {
    EXPECT_TRUE(re2::RE2(ToPiece(rule.pattern)).ok()) << rule.pattern;
  }
}

TEST(CauseRulesTest, EverySampleProvesItsOwnCause) {
  for (const CauseRule& rule : CauseRules()) {
    EXPECT_EQ(CauseOf(rule.category, rule.sample), rule.cause) << rule.sample;
  }
}

TEST(CauseRulesTest, CausesAreKebabCase) {
  for (const CauseRule& rule : CauseRules()) {
    EXPECT_EQ(rule.cause.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"),
              std::string_view::npos)
        << rule.cause;
  }
}

TEST(CauseRulesTest, WhatNoRuleKnowsIsOther) {
  EXPECT_EQ(CauseOf(Category::kGraphBreak, "nothing of note"), "other");
  EXPECT_EQ(CauseOf(Category::kGraphBreak, ""), "other");
  EXPECT_EQ(CauseOf(Category::kOther, "Data-dependent branching"), "other");
}

TEST(CauseRulesTest, GraphBreaksByTheirWording) {
  const struct {
    std::string_view text;
    std::string_view cause;
  } kReasons[] = {
      // 2.2 to 2.6
      {"generic_jump TensorVariable()", "data-dependent-branch"},
      {"Dynamic control flow is not supported at the moment. Please use "
       "functorch.experimental.control_flow.cond",
       "data-dependent-branch"},
      {"Data-dependent jump", "data-dependent-branch"},
      {"Tensor.item", "data-dependent-operator"},
      {"data dependent operator: aten._local_scalar_dense.default",
       "data-dependent-operator"},
      {"dynamic shape operator: aten.nonzero.default; to enable, set "
       "torch._dynamo.config.capture_dynamic_output_shape_ops = True",
       "data-dependent-operator"},
      {"builtin: print [<class 'torch._dynamo.variables.TensorVariable'>] "
       "False",
       "unsupported-builtin"},
      {"call_function BuiltinVariable(print) [TensorVariable()] {}",
       "unsupported-builtin"},
      {"'skip function graph_break in file /x/torch/_dynamo/decorators.py'",
       "user-inserted"},
      {"'skip function clip_stats in file /srv/stats.py'", "skipped-function"},
      {"Graph break under GenericContextWrappingVariable", "context-manager"},
      {"call_method UserDefinedObjectVariable(Logger) info [] {}",
       "unsupported-method"},
      {"STORE_ATTR-caused graph break", "side-effect"},
      // 2.8 on
      {"Data-dependent branching", "data-dependent-branch"},
      {"Data-dependent assertion failed (cannot compile partial graph)",
       "data-dependent-branch"},
      {"Unsupported Tensor.item() call with capture_scalar_outputs=False",
       "data-dependent-operator"},
      {"Dynamic shape operator", "data-dependent-operator"},
      {"Data dependent operator", "data-dependent-operator"},
      {"Call to `torch._dynamo.graph_break()`", "user-inserted"},
      {"Attempt to trace generator", "generator"},
      {"Failed to trace builtin operator", "unsupported-builtin"},
      {"Attempted to call function marked as skipped", "skipped-function"},
      {"Skip calling `torch.compiler.disable()`d function",
       "disabled-function"},
      {"Operator does not support running with fake tensors",
       "missing-fake-kernel"},
      {"RuntimeError when making fake tensor call", "fake-tensor-error"},
      {"Observed exception", "exception-handling"},
      {"torch.* op returned non-Tensor", "untraceable-op"},
      {"Unsupported method call", "unsupported-method"},
      {"Unsupported context manager", "context-manager"},
  };
  for (const auto& [text, cause] : kReasons) {
    EXPECT_EQ(CauseOf(Category::kGraphBreak, text), cause) << text;
  }
}

}  // namespace
}  // namespace pt2triage
