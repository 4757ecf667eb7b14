#include "triage/run_time_rules.h"

#include <string_view>

#include "gtest/gtest.h"
#include "triage/make_event.h"

namespace pt2triage {
namespace {

RunTimeVerdict Judge(const Event& event, const SourceContext& context = {}) {
  StackFacts facts;
  for (const ExceptionBlock& block : event.blocks) {
    AddStackFacts(block.frames, &facts);
  }
  return JudgeRunTime(event, BuildChain(event.blocks), facts, context);
}

void Expect(const RunTimeVerdict& verdict, Category category,
            std::string_view cause) {
  EXPECT_EQ(CategoryName(verdict.category), CategoryName(category));
  EXPECT_EQ(verdict.cause, cause);
}

StackFrame RunTime() {
  return TorchFrame("_functorch/_aot_autograd/runtime_wrappers.py",
                    "runtime_wrapper");
}

TEST(RunTimeRulesTest, TheUsersOwnErrorIsOther) {
  Expect(Judge(Raised("ValueError", "bad", {UserFrame()})), Category::kOther,
         "other");
}

TEST(RunTimeRulesTest, TheUsersErrorWhileTracingIsOther) {
  auto frames = TracingStack();
  frames.push_back(UserFrame("helper"));
  Expect(Judge(Raised("ValueError", "bad", frames)), Category::kOther, "other");
}

TEST(RunTimeRulesTest, ABareErrorOutOfDynamoIsInternal) {
  EXPECT_EQ(Judge(Raised("KeyError", "'k'", TracingStack())).category,
            Category::kDynamoInternal);
}

TEST(RunTimeRulesTest, AGuardBuildingErrorIsInternal) {
  auto frames = TracingStack();
  frames.push_back(TorchFrame("_dynamo/guards.py", "build"));
  Expect(Judge(Raised("AttributeError", "x", frames)),
         Category::kDynamoInternal, "guard-creation");
}

TEST(RunTimeRulesTest, ABackendsErrorIsTheBackends) {
  auto frames = TracingStack();
  frames.push_back(
      TorchFrame("_dynamo/output_graph.py", "_call_user_compiler"));
  frames.push_back(UserFrame("my_backend"));
  Expect(Judge(Raised("RuntimeError", "no", frames)),
         Category::kBackendCompilerFailed, "custom-backend");
}

TEST(RunTimeRulesTest, InductorsErrorIsCodegen) {
  auto frames = TracingStack();
  frames.push_back(TorchFrame("_inductor/graph.py", "codegen"));
  Expect(Judge(Raised("AssertionError", "x", frames)),
         Category::kBackendCompilerFailed, "codegen");
}

TEST(RunTimeRulesTest, NanAssertsAreAccuracy) {
  Expect(
      Judge(Raised("AssertionError", "",
                   {UserFrame(), RunTime(),
                    GeneratedFrame("assert not buf0.isnan().any().item()")})),
      Category::kAccuracy, "nan-assert");
}

TEST(RunTimeRulesTest, BoundsOfGeneratedCodeAreTritons) {
  Expect(Judge(Raised("RuntimeError", "index out of bounds: 0 <= tmp7 < 8L",
                      {UserFrame(), RunTime(), GeneratedFrame()})),
         Category::kTritonKernel, "index-out-of-bounds");
}

TEST(RunTimeRulesTest, SizeStrideAssertsAreCrashes) {
  Expect(
      Judge(Raised("AssertionError", "expected size 4==5, stride 1==1 at dim=0",
                   {UserFrame(), RunTime(), GeneratedFrame()})),
      Category::kRuntimeCrash, "size-stride-assert");
}

TEST(RunTimeRulesTest, IllegalAccessIsACrashWhoeverCalls) {
  Expect(Judge(Raised("RuntimeError",
                      "CUDA error: an illegal memory access was encountered",
                      {UserFrame()})),
         Category::kRuntimeCrash, "illegal-memory-access");
}

TEST(RunTimeRulesTest, DeviceAssertsByTheirKernel) {
  const Event event =
      Raised("RuntimeError", "CUDA error: device-side assert triggered",
             {UserFrame()});
  SourceContext generated;
  generated.generated_assert = true;
  EXPECT_EQ(Judge(event, generated).category, Category::kTritonKernel);
  SourceContext aten;
  aten.aten_assert = true;
  EXPECT_EQ(Judge(event, aten).category, Category::kRuntimeCrash);
  EXPECT_EQ(Judge(event).category, Category::kRuntimeCrash);
}

TEST(RunTimeRulesTest, OutOfMemoryIsPt2sOnlyInACompileOrItsCode) {
  constexpr std::string_view kType = "torch.OutOfMemoryError";
  constexpr std::string_view kText = "CUDA out of memory. Tried to allocate";
  Expect(Judge(Raised(kType, kText, {UserFrame()})), Category::kOther, "other");
  Expect(
      Judge(Raised(kType, kText, {UserFrame(), RunTime(), GeneratedFrame()})),
      Category::kRuntimeCrash, "out-of-memory-during-compile");
  auto frames = TracingStack();
  frames.push_back(TorchFrame("_inductor/graph.py", "run"));
  Expect(Judge(Raised(kType, kText, frames)), Category::kRuntimeCrash,
         "out-of-memory-during-compile");
}

TEST(RunTimeRulesTest, OverwrittenCudaGraphOutputs) {
  Expect(Judge(Raised("RuntimeError",
                      "Error: accessing tensor output of CUDAGraphs that has "
                      "been overwritten by a subsequent run.",
                      {UserFrame()})),
         Category::kRuntimeCrash, "cudagraph-overwrite");
}

}  // namespace
}  // namespace pt2triage
