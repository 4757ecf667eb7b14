#include "triage/remedies.h"

#include <string>
#include <string_view>

namespace pt2triage {
namespace {

using C = Category;

// Holes: {where} user code, {function}, {source} what the guard is on,
// {guard}, {reason} first line, {exception}.
struct RemedyRow {
  Category category;
  std::string_view cause;  // empty: any cause that has no row
  std::string_view action;
};

constexpr RemedyRow kRows[] = {
    {C::kGraphBreak, "data-dependent-branch",
     "Rewrite the branch at {where} with torch.where or torch.cond, or move it "
     "out of the compiled function."},
    {C::kGraphBreak, "data-dependent-operator",
     "Keep the value at {where} a tensor, or set "
     "torch._dynamo.config.capture_scalar_outputs = True "
     "(capture_dynamic_output_shape_ops for nonzero and the like)."},
    {C::kGraphBreak, "data-dependent-guard",
     "Tell the compiler about the value at {where}: torch._check(...) on its "
     "bounds, or avoid branching on it."},
    {C::kGraphBreak, "constraint-violation",
     "Make the dimension static, or remove the code at {where} that fixes its "
     "size; the message lists suggested fixes."},
    {C::kGraphBreak, "missing-fake-kernel",
     "Register a fake kernel for the operator used at {where} with "
     "torch.library.register_fake."},
    {C::kGraphBreak, "fake-tensor-error",
     "Run {where} without torch.compile first: shapes or dtypes do not fit "
     "there; if eager works, the operator's fake kernel is wrong."},
    {C::kGraphBreak, "user-inserted",
     "Remove the torch._dynamo.graph_break() call at {where}."},
    {C::kGraphBreak, "disabled-function",
     "Move the disabled call at {where} out of the compiled region, or drop "
     "torch.compiler.disable from it."},
    {C::kGraphBreak, "skipped-function",
     "Move the call at {where} out of the compiled region, or wrap it with "
     "torch.compiler.allow_in_graph if it only calls traceable operators."},
    {C::kGraphBreak, "higher-order-op",
     "Make the branches at {where} fully traceable; what broke inside them is "
     "in the reason."},
    {C::kGraphBreak, "",
     "Move or rewrite the code at {where} so that Dynamo can trace it."},
    {C::kBackendCompilerFailed, "missing-toolchain",
     "Install the compiler that the message names, and see that it is on "
     "PATH."},
    {C::kBackendCompilerFailed, "custom-backend",
     "Fix the backend: it raised {exception}; try backend=\"eager\" to see "
     "that capture itself works."},
    {C::kBackendCompilerFailed, "",
     "Minimise the graph with the repro tooling, then tell lowering, "
     "scheduling and codegen apart by the innermost frames; "
     "backend=\"aot_eager\" shows whether Inductor is to blame."},
    {C::kRecompilation, "shape",
     "Mark the dimension of {source} that changes as dynamic "
     "(torch._dynamo.mark_dynamic) before calling {function}, or compile with "
     "dynamic=True."},
    {C::kRecompilation, "scalar-value",
     "Pass {source} as a tensor, or keep it constant: {function} is compiled "
     "anew for each value."},
    {C::kRecompilation, "limit-reached",
     "{function} was compiled too often; fix the guard that fails, or raise "
     "torch._dynamo.config.recompile_limit."},
    {C::kRecompilation, "global-state",
     "Call {function} under the same global state (grad mode, autocast, "
     "default dtype) each time."},
    {C::kRecompilation, "",
     "Keep what this guard checks the same between calls of {function}: "
     "{guard}"},
    {C::kAccuracy, "nan-assert",
     "Find the first operator that gives NaN or inf: the assertion names the "
     "buffer in the generated code."},
    {C::kAccuracy, "check-did-not-run",
     "The comparison itself failed; fix that error first, it says nothing of "
     "the numbers."},
    {C::kAccuracy, "",
     "Bisect: run the accuracy minifier, and compare with "
     "torch._inductor.config.emulate_precision_casts = True."},
    {C::kDynamoInternal, "",
     "This is a bug in Dynamo. Take {where} out of the compiled function to go "
     "on, and report it with the verbose log."},
    {C::kRuntimeCrash, "cudagraph-overwrite",
     "Call torch.compiler.cudagraph_mark_step_begin() before each call, or "
     "clone the output that is kept."},
    {C::kRuntimeCrash, "size-stride-assert",
     "A fake (meta) kernel promised another size or stride than the real one "
     "gave; fix that operator's fake kernel."},
    {C::kRuntimeCrash, "",
     "Run again with synchronous launches to find the true call, then once "
     "with backend=\"aot_eager\"."},
    {C::kTritonKernel, "index-out-of-bounds",
     "Check the index against the bound that the assertion prints; the eager "
     "run would fail too if the index is bad."},
    {C::kTritonKernel, "",
     "Look at the generated kernel that the message names."},
};

constexpr struct {
  Category category;
  std::string_view command;
} kCommands[] = {
    {C::kGraphBreak, "TORCH_LOGS=\"graph_breaks\""},
    {C::kBackendCompilerFailed,
     "TORCHDYNAMO_REPRO_AFTER=aot TORCHDYNAMO_REPRO_LEVEL=2"},
    {C::kRecompilation, "TORCH_LOGS=\"recompiles,recompiles_verbose,guards\""},
    {C::kAccuracy, "TORCHDYNAMO_REPRO_AFTER=aot TORCHDYNAMO_REPRO_LEVEL=4"},
    {C::kDynamoInternal, "TORCHDYNAMO_VERBOSE=1 TORCH_LOGS=\"+dynamo\""},
    {C::kRuntimeCrash,
     "PYTORCH_NO_CUDA_MEMORY_CACHING=1 CUDA_LAUNCH_BLOCKING=1"},
    {C::kTritonKernel, "TORCH_LOGS=\"output_code,schedule\""},
};

std::string Where(const Finding& finding) {
  if (!finding.user_frame) return "the line that the traceback shows";
  std::string where = finding.user_frame->file;
  if (finding.user_frame->line > 0) {
    where += ':' + std::to_string(finding.user_frame->line);
  }
  return where;
}

std::string Hole(std::string_view name, const Finding& finding) {
  if (name == "where") return Where(finding);
  if (name == "function") {
    return finding.user_frame && !finding.user_frame->function.empty()
               ? finding.user_frame->function
               : "the function";
  }
  if (name == "exception") return finding.exception.value_or("an error");
  if (finding.guard_failures.empty()) return "the value";
  const GuardFailure& guard = finding.guard_failures.front();
  return name == "source" ? guard.source.value_or(guard.guard) : guard.guard;
}

std::string FillHoles(std::string_view text, const Finding& finding) {
  std::string out;
  for (size_t open; (open = text.find('{')) != std::string_view::npos;) {
    size_t close = text.find('}', open);
    out.append(text.substr(0, open));
    out += Hole(text.substr(open + 1, close - open - 1), finding);
    text.remove_prefix(close + 1);
  }
  out.append(text);
  return out;
}

}  // namespace

void AddRemedies(Finding* finding) {
  const RemedyRow* chosen = nullptr;
  for (const RemedyRow& row : kRows) {
    if (row.category != finding->category) continue;
    if (row.cause == finding->cause || row.cause.empty()) {
      chosen = &row;
      break;
    }
  }
  if (chosen == nullptr) return;
  finding->remedy.push_back(
      {FillHoles(chosen->action, *finding), std::nullopt});
  for (const auto& row : kCommands) {
    if (row.category == finding->category) {
      finding->next_command =
          std::string(row.command) + " python your_script.py";
    }
  }
}

}  // namespace pt2triage
