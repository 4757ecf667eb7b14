#include "triage/stack_facts.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

constexpr std::string_view kTorch = "/v/site-packages/torch/";

StackFrame Torch(std::string_view path, std::string_view function) {
  return {std::string(kTorch) + std::string(path), 1, std::string(function),
          ""};
}

StackFrame User(std::string_view code = "") {
  return {"/a/main.py", 1, "f", std::string(code)};
}

StackFacts FactsOf(const std::vector<StackFrame>& frames) {
  StackFacts facts;
  AddStackFacts(frames, &facts);
  return facts;
}

StackFrame Wrapper() {
  return Torch("_dynamo/eval_frame.py", "compile_wrapper");
}
StackFrame Dynamo() { return Torch("_dynamo/symbolic_convert.py", "run"); }
StackFrame Inductor() { return Torch("_inductor/graph.py", "run_node"); }

TEST(StackFactsTest, TracingIsTrace) {
  const StackFacts facts = FactsOf({User(), Wrapper(), Dynamo()});
  EXPECT_EQ(PhaseOf(facts), Phase::kTrace);
  EXPECT_EQ(ModeOf(facts), CompileMode::kCompile);
}

TEST(StackFactsTest, InductorsCompileIsTrace) {
  const StackFacts facts = FactsOf(
      {User(), Wrapper(), Dynamo(),
       Torch("_dynamo/output_graph.py", "_call_user_compiler"), Inductor()});
  EXPECT_EQ(PhaseOf(facts), Phase::kTrace);
  EXPECT_TRUE(facts.Has(kBackendCall));
  EXPECT_TRUE(facts.Has(kInductorCompile));
}

TEST(StackFactsTest, GeneratedCodeIsRun) {
  const StackFacts facts = FactsOf(
      {User(),
       Wrapper(),
       Torch("_functorch/_aot_autograd/runtime_wrappers.py", "runtime_wrapper"),
       {"/tmp/torchinductor_me/ab/cab.py", 1, "call", ""}});
  EXPECT_EQ(PhaseOf(facts), Phase::kRun);
  EXPECT_EQ(ModeOf(facts), CompileMode::kCompile);
}

TEST(StackFactsTest, ACompileInsideARunIsTrace) {
  // A lazily compiled backward.
  const StackFacts facts = FactsOf(
      {User(),
       Torch("_functorch/_aot_autograd/runtime_wrappers.py", "_backward_impl"),
       Torch("_inductor/compile_fx.py", "bw_compiler"), Inductor()});
  EXPECT_EQ(PhaseOf(facts), Phase::kTrace);
  EXPECT_EQ(ModeOf(facts), CompileMode::kCompile);
}

TEST(StackFactsTest, EagerFramesProveNothing) {
  const StackFacts facts =
      FactsOf({User(), Torch("nn/modules/module.py", "_call_impl")});
  EXPECT_EQ(facts.bits, 0u);
  EXPECT_EQ(PhaseOf(facts), Phase::kUnknown);
  EXPECT_EQ(ModeOf(facts), CompileMode::kUnknown);
}

TEST(StackFactsTest, ExportModes) {
  EXPECT_EQ(
      ModeOf(FactsOf({Torch("export/_trace.py", "_strict_export"), Dynamo()})),
      CompileMode::kExportStrict);
  EXPECT_EQ(ModeOf(FactsOf({Torch("export/_trace.py", "_non_strict_export")})),
            CompileMode::kExportNonStrict);
  EXPECT_EQ(ModeOf(FactsOf({Torch("export/_draft_export.py", "draft_export"),
                            Torch("export/_trace.py", "_non_strict_export")})),
            CompileMode::kExportDraft);
  EXPECT_EQ(ModeOf(FactsOf({Torch("export/exported_program.py", "wrapper")})),
            CompileMode::kUnknown);
}

TEST(StackFactsTest, ExportOutranksTheCallWrapper) {
  const StackFacts facts = FactsOf(
      {Torch("export/_trace.py", "_export_to_torch_ir"), Wrapper(), Dynamo()});
  EXPECT_EQ(ModeOf(facts), CompileMode::kExportStrict);
}

TEST(StackFactsTest, AotInductor) {
  EXPECT_EQ(ModeOf(FactsOf(
                {Torch("_inductor/__init__.py", "aoti_compile_and_package"),
                 Inductor()})),
            CompileMode::kAotInductor);
}

TEST(StackFactsTest, ALineThatCallsTorchCompileProvesIt) {
  EXPECT_EQ(ModeOf(FactsOf({User("y = torch.compile(f)(x)")})),
            CompileMode::kCompile);
  EXPECT_EQ(ModeOf(FactsOf({User("print('torch.compile')")})),
            CompileMode::kUnknown);
}

TEST(StackFactsTest, TheBackendsModuleIsNamed) {
  EXPECT_EQ(
      FactsOf({Torch("_dynamo/backends/cudagraphs.py", "f")}).backend_module,
      "cudagraphs");
  EXPECT_EQ(FactsOf({Torch("_dynamo/backends/inductor.py", "inductor")})
                .backend_module,
            "inductor");
  EXPECT_EQ(
      FactsOf({Torch("_dynamo/backends/common.py", "__call__")}).backend_module,
      "");
}

TEST(StackFactsTest, WindowsPathsCount) {
  const StackFacts facts =
      FactsOf({{"C:\\v\\site-packages\\torch\\_inductor\\graph.py", 1,
                "run_node", ""}});
  EXPECT_TRUE(facts.Has(kInductorCompile));
}

TEST(ModeOfHeadingTest, OnnxNamesItsStrategies) {
  EXPECT_EQ(ModeOfHeading("Errors from strategy 'TorchExportStrictStrategy':"),
            CompileMode::kExportStrict);
  EXPECT_EQ(ModeOfHeading("Errors from strategy 'TorchExportStrategy':"),
            CompileMode::kExportStrict);
  EXPECT_EQ(
      ModeOfHeading("Errors from strategy 'TorchExportNonStrictStrategy':"),
      CompileMode::kExportNonStrict);
  EXPECT_EQ(
      ModeOfHeading("Errors from strategy 'TorchExportDraftExportStrategy':"),
      CompileMode::kExportDraft);
  EXPECT_EQ(ModeOfHeading(""), CompileMode::kUnknown);
}

TEST(InnermostUserFrameTest, PrefersTheUsersOwn) {
  const StackFrame package{"/v/site-packages/transformers/x.py", 3, "g", ""};
  const std::vector<StackFrame> frames = {User(), package, Wrapper()};
  const StackFrame* frame = InnermostUserFrame(frames, true);
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->file, "/a/main.py");
}

TEST(InnermostUserFrameTest, PackagesOnlyIfAllowed) {
  const std::vector<StackFrame> frames = {
      {"/v/site-packages/transformers/x.py", 3, "g", ""}, Wrapper()};
  EXPECT_EQ(InnermostUserFrame(frames, false), nullptr);
  ASSERT_NE(InnermostUserFrame(frames, true), nullptr);
  EXPECT_EQ(InnermostUserFrame(frames, true)->function, "g");
}

TEST(InnermostUserFrameTest, NoneWithoutUsers) {
  EXPECT_EQ(InnermostUserFrame({Wrapper(), Dynamo()}, true), nullptr);
  EXPECT_EQ(InnermostUserFrame({}, true), nullptr);
}

}  // namespace
}  // namespace pt2triage
