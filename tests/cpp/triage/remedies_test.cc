#include "triage/remedies.h"

#include <string>
#include <string_view>

#include "event/messages/cause_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Finding Of(Category category, std::string_view cause) {
  Finding finding;
  finding.category = category;
  finding.cause.assign(cause);
  finding.backend = "openvino";
  finding.raised_at =
      StackFrame{"/v/site-packages/torch/_inductor/scheduler.py", 7, "f", ""};
  if (category == Category::kRecompilation) {  // as the guard's rule fills it
    finding.guard_failures.push_back(
        {"0/0", "a guard", std::string(cause), "x", "1", "2", {}});
  }
  AddRemedies(&finding);
  return finding;
}

void ExpectComplete(const Finding& finding) {
  ASSERT_THAT(finding.remedy, SizeIs(1)) << finding.cause;
  const std::string& action = finding.remedy[0].action;
  EXPECT_FALSE(action.empty());
  EXPECT_EQ(action.find('{'), std::string::npos) << action;
  EXPECT_EQ(action.find('}'), std::string::npos) << action;
  ASSERT_TRUE(finding.next_command) << finding.cause;
  EXPECT_EQ(finding.next_command->find('{'), std::string::npos);
}

TEST(RemediesTest, EveryCauseOfEveryRuleHasOne) {
  for (const CauseRule& rule : CauseRules()) {
    ExpectComplete(Of(rule.category, rule.cause));
  }
}

TEST(RemediesTest, EveryCauseOfTheContractHasOne) {
  const struct {
    Category category;
    std::string_view causes[20];
  } kCauses[] = {
      {Category::kGraphBreak,
       {"data-dependent-branch", "data-dependent-operator",
        "unsupported-builtin",   "unsupported-method",
        "skipped-function",      "disabled-function",
        "c-extension",           "context-manager",
        "side-effect",           "generator",
        "exception-handling",    "untraceable-op",
        "in-place-mutation",     "missing-fake-kernel",
        "fake-tensor-error",     "higher-order-op",
        "data-dependent-guard",  "constraint-violation",
        "user-inserted",         "other"}},
      {Category::kBackendCompilerFailed,
       {"lowering", "scheduling", "codegen", "cpp-compile", "triton-compile",
        "autotuning", "aot-autograd", "fx-pass", "custom-backend",
        "missing-toolchain", "subprocess", "timeout", "other"}},
      {Category::kRecompilation,
       {"shape", "stride", "dtype", "device", "requires-grad", "dispatch-keys",
        "scalar-value", "object-identity", "type", "container-length",
        "dict-keys", "global-state", "module-attribute", "symbolic-shape",
        "weakref-died", "backend-changed", "limit-reached", "other"}},
      {Category::kAccuracy,
       {"rmse", "not-close", "nan-assert", "dtype-mismatch",
        "check-did-not-run", "other"}},
      {Category::kDynamoInternal,
       {"bytecode-instruction", "variable-tracker", "guard-creation",
        "symbolic-shapes", "timeout", "other"}},
      {Category::kRuntimeCrash,
       {"segfault", "abort", "illegal-memory-access", "size-stride-assert",
        "cudagraph-overwrite", "out-of-memory-during-compile", "other"}},
      {Category::kTritonKernel,
       {"index-out-of-bounds", "device-assert", "triton-compile", "ptxas",
        "out-of-resources", "other"}},
  };
  for (const auto& row : kCauses) {
    for (std::string_view cause : row.causes) {
      if (!cause.empty()) ExpectComplete(Of(row.category, cause));
    }
  }
}

TEST(RemediesTest, NameTheFindingsOwnThings) {
  Finding finding;
  finding.category = Category::kRecompilation;
  finding.cause = "scalar-value";
  finding.user_frame = StackFrame{"model.py", 12, "forward", ""};
  GuardFailure guard;
  guard.guard = "n == 3";
  guard.source = "n";
  guard.expected = "3";
  finding.guard_failures.push_back(guard);
  AddRemedies(&finding);
  ASSERT_THAT(finding.remedy, SizeIs(1));
  EXPECT_THAT(finding.remedy[0].action, HasSubstr("forward"));
  EXPECT_THAT(finding.remedy[0].action, StartsWith("Pass n as a tensor"));
}

TEST(RemediesTest, NameThePlace) {
  Finding finding;
  finding.category = Category::kGraphBreak;
  finding.cause = "data-dependent-branch";
  finding.user_frame = StackFrame{"model.py", 12, "forward", ""};
  AddRemedies(&finding);
  EXPECT_THAT(finding.remedy[0].action, HasSubstr("model.py:12"));
}

TEST(RemediesTest, NameTensorAndDimension) {
  Finding finding;
  finding.category = Category::kRecompilation;
  finding.cause = "shape";
  finding.user_frame = StackFrame{"model.py", 12, "forward", ""};
  GuardFailure guard;
  guard.guard =
      "tensor 'L['x']' size mismatch at index 1. expected 3, actual 4";
  guard.source = "L['x']";
  guard.expected = "3";
  guard.actual = "4";
  finding.guard_failures.push_back(guard);
  AddRemedies(&finding);
  EXPECT_THAT(
      finding.remedy[0].action,
      StartsWith("Call torch._dynamo.mark_dynamic(x, 1) before forward: "
                 "dimension 1 was 3, then 4."));
  finding.remedy.clear();
  finding.cause = "limit-reached";  // gives the advice of its guard
  finding.guard_failures[0].cause = "shape";
  AddRemedies(&finding);
  EXPECT_THAT(finding.remedy[0].action, HasSubstr("mark_dynamic(x, 1)"));
}

TEST(RemediesTest, NameTheOperator) {
  Finding finding;
  finding.category = Category::kGraphBreak;
  finding.cause = "missing-fake-kernel";
  finding.message = "Failed running call_function mylib.foo.default(*(Fake";
  AddRemedies(&finding);
  EXPECT_THAT(finding.remedy[0].action,
              HasSubstr("@torch.library.register_fake(\"mylib::foo\")"));
}

TEST(RemediesTest, NameThePlaceInTorch) {
  Finding finding;
  finding.category = Category::kDynamoInternal;
  finding.cause = "other";
  finding.raised_at =
      StackFrame{"/v/site-packages/torch/_dynamo/guards.py", 7, "build", ""};
  AddRemedies(&finding);
  EXPECT_THAT(finding.remedy[0].action,
              HasSubstr("in torch/_dynamo/guards.py (build)"));
}

TEST(RemediesTest, CommandsRunWhatWasRun) {
  Finding finding;
  finding.category = Category::kGraphBreak;
  finding.cause = "other";
  AddRemedies(&finding, {"my train.py", ""});
  EXPECT_EQ(finding.next_command,
            "TORCH_LOGS=\"graph_breaks\" python 'my train.py'");
  finding.test_id = "t/test_a.py::T::t[x y]";
  AddRemedies(&finding, {"train.py", ""});
  EXPECT_EQ(finding.next_command,
            "TORCH_LOGS=\"graph_breaks\" python -m pytest "
            "'t/test_a.py::T::t[x y]'");
  finding.test_id = "test_a (__main__.T)";
  AddRemedies(&finding, {"test_t.py", ""});
  EXPECT_EQ(finding.next_command,
            "TORCH_LOGS=\"graph_breaks\" python test_t.py -k test_a");
  AddRemedies(&finding, {"test_t.py", "python test/test_t.py T.test_a"});
  EXPECT_EQ(finding.next_command,
            "TORCH_LOGS=\"graph_breaks\" python test/test_t.py T.test_a");
}

TEST(RemediesTest, NamesWithBracesAreKept) {
  Finding finding;
  finding.category = Category::kRecompilation;
  finding.cause = "symbolic-shape";
  GuardFailure guard;
  guard.guard = "set(d.keys()) == {'a'}";
  finding.guard_failures.push_back(guard);
  AddRemedies(&finding);
  EXPECT_THAT(finding.remedy[0].action, HasSubstr("{'a'}"));
}

TEST(RemediesTest, WhatIsNotPt2sHasNone) {
  EXPECT_THAT(Of(Category::kOther, "other").remedy, IsEmpty());
  EXPECT_FALSE(Of(Category::kOther, "other").next_command);
}

}  // namespace
}  // namespace pt2triage
