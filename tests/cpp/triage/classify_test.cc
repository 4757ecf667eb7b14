#include "triage/classify.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "triage/make_event.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

Finding Judge(const Event& event) { return Classify(event, {}).finding; }

TEST(ClassifyTest, UnsupportedIsAGraphBreak) {
  Event event = Raised("torch._dynamo.exc.Unsupported",
                       "Data-dependent branching\n"
                       "  Explanation: Detected data-dependent branching.\n"
                       "  Hint: Use `torch.cond`.\n",
                       TracingStack());
  event.blocks[0].user_frames = {UserFrame("g", 7)};
  const Finding finding = Judge(event);
  EXPECT_EQ(finding.category, Category::kGraphBreak);
  EXPECT_EQ(finding.cause, "data-dependent-branch");
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.phase, Phase::kTrace);
  EXPECT_EQ(finding.compile_mode, CompileMode::kCompile);
  EXPECT_THAT(finding.exception,
              Optional(std::string("torch._dynamo.exc.Unsupported")));
  EXPECT_THAT(finding.reason,
              Optional(std::string("Data-dependent branching")));
  EXPECT_THAT(finding.explanation,
              Optional(std::string("Detected data-dependent branching.")));
  EXPECT_THAT(finding.hints, ElementsAre("Use `torch.cond`."));
  EXPECT_EQ(finding.user_frame->function, "g");  // `from user code` decides
  EXPECT_FALSE(finding.backend);
}

TEST(ClassifyTest, ALimitRaisedAsUnsupportedIsARecompilation) {
  for (std::string_view message :
       {"cache_size_limit reached", "accumulated_cache_size_limit reached",
        "recompile_limit reached", "Dynamo recompile limit exceeded",
        "Dynamo cache limit exceeded"}) {
    const Finding finding =
        Judge(Raised("torch._dynamo.exc.Unsupported", message));
    EXPECT_EQ(finding.category, Category::kRecompilation) << message;
    EXPECT_EQ(finding.cause, "limit-reached");
  }
}

TEST(ClassifyTest, ABackendFailureNamesItsBackend) {
  const Finding finding =
      Judge(Raised("torch._dynamo.exc.BackendCompilerFailed",
                   "backend='inductor' raised:\n"
                   "LoweringException: AssertionError: bad layout",
                   TracingStack()));
  EXPECT_EQ(finding.category, Category::kBackendCompilerFailed);
  EXPECT_EQ(finding.cause, "lowering");
  EXPECT_THAT(finding.backend, Optional(std::string("inductor")));
  EXPECT_THAT(finding.exception_chain, SizeIs(3));
  EXPECT_THAT(finding.secondary_categories, IsEmpty());
}

TEST(ClassifyTest, AWrappedFailureIsSecondary) {
  const Finding finding =
      Judge(Raised("torch._dynamo.exc.BackendCompilerFailed",
                   "backend='my_backend' raised:\n"
                   "Unsupported: call_method x"));
  EXPECT_EQ(finding.category, Category::kBackendCompilerFailed);
  EXPECT_THAT(finding.secondary_categories, ElementsAre(Category::kGraphBreak));
}

TEST(ClassifyTest, TritonInsideInductorsCompileIsNotSecondary) {
  const Finding finding = Judge(Raised("torch._inductor.exc.InductorError",
                                       "CompilationError: at 3:4: bad"));
  EXPECT_EQ(finding.category, Category::kBackendCompilerFailed);
  EXPECT_THAT(finding.secondary_categories, IsEmpty());
}

TEST(ClassifyTest, AccuracyInsideABackendFailureIsAccuracy) {
  const Finding finding =
      Judge(Raised("torch._dynamo.exc.BackendCompilerFailed",
                   "backend='inductor' raised:\n"
                   "AccuracyError: Bad accuracy detected"));
  EXPECT_EQ(finding.category, Category::kAccuracy);
  EXPECT_THAT(finding.exception, Optional(std::string("AccuracyError")));
}

TEST(ClassifyTest, RecompileErrorsGiveTheirGuards) {
  const Finding finding =
      Judge(Raised("torch._dynamo.exc.RecompileError",
                   "Recompiling function f in model.py:12\n"
                   "    triggered by the following guard failure(s):\n"
                   "    - 0/0: n == 3"));
  EXPECT_EQ(finding.category, Category::kRecompilation);
  EXPECT_EQ(finding.cause, "scalar-value");
  EXPECT_EQ(finding.user_frame, (StackFrame{"model.py", 12, "f", ""}));
  EXPECT_THAT(finding.guard_failures, SizeIs(1));
  EXPECT_EQ(finding.compile_mode, CompileMode::kCompile);
}

TEST(ClassifyTest, InternalErrorsAreDynamos) {
  const Finding finding =
      Judge(Raised("torch._dynamo.exc.InternalTorchDynamoError",
                   "IndexError: pop from empty list", TracingStack()));
  EXPECT_EQ(finding.category, Category::kDynamoInternal);
  EXPECT_EQ(finding.cause, "bytecode-instruction");
}

TEST(ClassifyTest, TheUsersErrorIsOtherAndSaysNothingOfCompiling) {
  const Finding finding =
      Judge(Raised("ValueError", "bad", {UserFrame("main", 9)}));
  EXPECT_EQ(finding.category, Category::kOther);
  EXPECT_EQ(finding.phase, Phase::kUnknown);
  EXPECT_EQ(finding.compile_mode, CompileMode::kUnknown);
  EXPECT_EQ(finding.user_frame->line, 9);
}

TEST(ClassifyTest, PackagesComeBehindTheUsersFrames) {
  const StackFrame package{"/v/site-packages/transformers/x.py", 5, "forward",
                           ""};
  Event event = Raised("ValueError", "bad", {UserFrame(), package});
  EXPECT_EQ(Judge(event).user_frame->file, "/a/main.py");
  event.blocks[0].frames = {package};
  EXPECT_EQ(Judge(event).user_frame->file, package.file);
  // In `from user code` the innermost one that is not torch's counts.
  event.blocks[0].frames = {UserFrame()};
  event.blocks[0].user_frames = {package};
  EXPECT_EQ(Judge(event).user_frame->file, package.file);
}

TEST(ClassifyTest, LoggedExceptionsAreWarnings) {
  Event event = Raised("torch._dynamo.exc.Unsupported", "call_method x");
  event.logged = true;
  EXPECT_EQ(Judge(event).severity, Severity::kWarning);
}

TEST(ClassifyTest, ALaunchersSummaryIsCollateral) {
  const Event event = Raised(
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError",
      "train.py FAILED\nmore");
  const Draft draft = Classify(event, {});
  EXPECT_TRUE(draft.collateral);
  EXPECT_EQ(draft.finding.category, Category::kOther);
  EXPECT_FALSE(draft.finding.exception);
  EXPECT_THAT(draft.finding.exception_chain, IsEmpty());
}

TEST(ClassifyTest, GraphBreakRecordsAreWarnings) {
  const Finding finding =
      Judge(BreakAt("Call to `torch._dynamo.graph_break()`", 9));
  EXPECT_EQ(finding.category, Category::kGraphBreak);
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.cause, "user-inserted");
  EXPECT_FALSE(finding.exception);
  EXPECT_EQ(finding.user_frame->line, 9);
  EXPECT_EQ(finding.phase, Phase::kTrace);
  EXPECT_EQ(finding.compile_mode, CompileMode::kCompile);
}

TEST(ClassifyTest, RecompilesTakeTheCauseOfTheirFirstGuard) {
  const Finding finding = Judge(RecompileOf(
      "f", "tensor 'x' size mismatch at index 0. expected 3, actual 4"));
  EXPECT_EQ(finding.category, Category::kRecompilation);
  EXPECT_EQ(finding.cause, "shape");
  EXPECT_EQ(finding.severity, Severity::kWarning);
}

TEST(ClassifyTest, LimitsListTheirLastReason) {
  Event event = RecompileOf("f", "n == 3");
  event.kind = EventKind::kRecompileLimit;
  const Finding finding = Judge(event);
  EXPECT_EQ(finding.cause, "limit-reached");
  EXPECT_THAT(finding.guard_failures, SizeIs(1));
}

TEST(ClassifyTest, CrashesBySignal) {
  Event event =
      MakeEvent(EventKind::kCrash, "Fatal Python error: Segmentation fault");
  event.name = "SIGSEGV";
  const Finding finding = Judge(event);
  EXPECT_EQ(finding.category, Category::kRuntimeCrash);
  EXPECT_EQ(finding.cause, "segfault");
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.phase, Phase::kUnknown);  // no stack
  EXPECT_FALSE(finding.exception);
}

TEST(ClassifyTest, AnAbortByABoundsCheckIsTritons) {
  Event event = MakeEvent(EventKind::kCrash, "terminate called ...");
  event.name = "SIGABRT";
  event.reason = "index out of bounds: 0 <= tmp7 < 8L";
  const Finding finding = Judge(event);
  EXPECT_EQ(finding.category, Category::kTritonKernel);
  EXPECT_EQ(finding.cause, "index-out-of-bounds");
  EXPECT_EQ(finding.phase, Phase::kRun);
}

TEST(ClassifyTest, DeviceAssertsByTheirKernel) {
  Event event = MakeEvent(EventKind::kDeviceAssert, "x");
  event.name = "/tmp/torchinductor_me/ab/cab.py";
  event.reason = "index out of bounds: 0 <= tmp4 < 8";
  EXPECT_EQ(Judge(event).category, Category::kTritonKernel);
  EXPECT_FALSE(IsAtenAssert(event));
  event.name = "../aten/src/ATen/native/cuda/IndexKernel.cu";
  EXPECT_EQ(Judge(event).category, Category::kRuntimeCrash);
  EXPECT_TRUE(IsAtenAssert(event));
}

TEST(ClassifyTest, AccuracyLinesAreErrors) {
  Event event = MakeEvent(
      EventKind::kAccuracy,
      "RMSE (res-fp64): 19.4, (ref-fp64): 0.02 and shape=torch.Size([2])");
  const Finding finding = Judge(event);
  EXPECT_EQ(finding.category, Category::kAccuracy);
  EXPECT_EQ(finding.cause, "rmse");
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.phase, Phase::kRun);
}

TEST(ClassifyTest, NoticesAndVerdictsAreNoFindings) {
  EXPECT_EQ(Judge(MakeEvent(EventKind::kNotice, "x")).category,
            Category::kNone);
  EXPECT_EQ(Judge(MakeEvent(EventKind::kTest, "x")).category, Category::kNone);
}

TEST(ClassifyTest, CarriesWhereItHappened) {
  Event event = BreakAt("x", 3, 40);
  event.rank = 2;
  event.compile_id = CompileId{-1, 0, 1, 0};
  event.time = "1129 15:22:18.930000";
  event.test_id = "test_f";
  event.repeats = 4;
  const Finding finding = Judge(event);
  EXPECT_THAT(finding.ranks, ElementsAre(2));
  EXPECT_THAT(finding.compile_id, Optional(std::string("0/1")));
  EXPECT_THAT(finding.first_time,
              Optional(std::string("1129 15:22:18.930000")));
  EXPECT_THAT(finding.test_id, Optional(std::string("test_f")));
  EXPECT_EQ(finding.count, 5u);
  EXPECT_THAT(finding.evidence, ElementsAre(Evidence{0, 41, 40, 1}));
}

}  // namespace
}  // namespace pt2triage
