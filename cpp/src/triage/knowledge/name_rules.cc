#include "triage/knowledge/name_rules.h"

#include <re2/re2.h>

#include <deque>

#include "base/lazy_pattern.h"
#include "base/piece.h"
#include "base/rule_watch.h"

namespace pt2triage {
namespace {

// In order. Texts: torch/_dynamo (unimplemented calls), torch/_subclasses,
// torch/_inductor/exc.py, torch/fx/experimental/symbolic_shapes.py, 2.2
// to 2.13.
constexpr NameRule kRules[] = {
    {"callee", R"(skip function ([\w.<>]+) in file)",
     "'skip function clip_stats in file /srv/stats.py'", "clip_stats"},
    {"callee", R"(\bbuiltin: (\w+) \[)",
     "builtin: bool [<class 'TensorVariable'>] False", "bool"},
    {"callee", R"(unsupported builtin ([\w.]*\w))",
     "Graph break due to unsupported builtin foo.bar. This function is",
     "foo.bar"},
    {"callee", R"(call_method \w+\(.*?\) (\w+) \[)",
     "call_method UserDefinedObjectVariable(Logger) warning_once "
     "[ConstantVariable()] {}",
     "warning_once"},
    {"callee", R"(`<function ([\w.<>]+) at)",
     "Skip calling function `<function dis at 0x7f3567158d60>` since it was",
     "dis"},
    {"callee",
     R"((?:builtin|operator|function|method|call to|calling)(?: call)? `([^`\n()<]+)`)",
     "Dynamo does not know how to trace builtin operator `print` with argument "
     "types ['str']",
     "print"},
    {"callee", R"(call_function BuiltinVariable\((\w+)\))",
     "call_function BuiltinVariable(print) [ConstantVariable(str)] {}",
     "print"},
    {"callee", R"(wrapped function <function ([\w.<>]+) at)",
     "call torch._dynamo.disable() wrapped function <function dis at "
     "0x7f02e3bf7560>",
     "dis"},
    {"op", R"(CustomOpDef\((\w+::\w+)\))",
     "There was no fake impl registered for <CustomOpDef(mylib::foo)>.",
     "mylib::foo"},
    {"op", R"(Error in op: ([\w:.]*\w))",
     "Error in op: torch.ops.tide.gate.default", "torch.ops.tide.gate.default"},
    {"op", R"(unsupported operator: ([\w:.]*\w))",
     "unsupported operator: mylib.foo.default", "mylib.foo.default"},
    {"op", R"(\btarget: ([\w:.]*\w))",
     "LoweringException: AssertionError: \n  target: aten.mm.default",
     "aten.mm.default"},
    {"op", R"(\b(?:operator|op|kernel for) [`']?(\w+(?:::|\.)\w[\w.]*\w))",
     "There was no fake impl registered for operator mylib::foo.",
     "mylib::foo"},
    {"op", R"(\b((?:aten|prims|torchvision)(?:::|\.)\w+(?:\.\w+)?))",
     "Dynamic shape operator aten.nonzero.default", "aten.nonzero.default"},
    {"op", R"(\b((?:[a-z]\w*_)?(?:lib|ops|ext)\w*(?:::|\.)\w+\.\w+)\b)",
     "my_ops.scale.default does not support running with fake tensors",
     "my_ops.scale.default"},
    {"op", R"(^(?:Unsupported )?(Tensor\.\w+))",
     "Unsupported Tensor.item() call with capture_scalar_outputs=False",
     "Tensor.item"},
    {"op", R"(call_function <(?:built-in )?(?:function|method) (\w+))",
     "Dynamo failed to run FX node with fake tensors: call_function <built-in "
     "function matmul>(*(FakeTensor(...",
     "matmul"},
    {"op", R"(call_function (\w[\w.]*\w)\()",
     "Failed running call_function mylib.foo.default(*(FakeTensor(...",
     "mylib.foo.default"},
    {"op", R"(call_method (\w+)\()",
     "Dynamo failed to run FX node with fake tensors: call_method view(*(",
     "view"},
    {"expression", R"(data-dependent expression (.+?) \(unhinted)",
     "Could not guard on data-dependent expression u0 < 0 (unhinted: u0 < 0).",
     "u0 < 0"},
    {"source", R"(L\['([^'\n]+)'\]\.size\(\)\[\d+\])",
     "Constraints violated (L['x'].size()[0])!", "x"},
    {"dim", R"(\.size\(\)\[(\d+)\])",
     "Constraints violated (L['x'].size()[0])!", "0"},
    {"dim", R"(size mismatch at index (\d+))",
     "tensor 'x' size mismatch at index 1. expected 3, actual 4", "1"},
    {"tool", R"(No module named '([\w.]+)')",
     "ModuleNotFoundError: No module named 'triton'", "triton"},
    {"tool", R"(Compiler: (\S+) is not found)",
     "RuntimeError: Compiler: cl is not found.", "cl"},
    {"tool", R"(Failed to find (C compiler))",
     "RuntimeError: Failed to find C compiler. Please specify via CC",
     "C compiler"},
    {"tool", R"((Python\.h))", "fatal error: Python.h: No such file",
     "Python.h"},
    {"tool", R"(\b([Tt]riton)\b.*(?:missing|installation|not found))",
     "Cannot find a working triton installation.", "triton"},
};

PT2TRIAGE_WATCH_TABLE(kRules, row.pattern);

const std::deque<PatternRow<NameRule>>& CompiledRules() {
  static const auto& patterns = *MakePatterns(NameRules());
  return patterns;
}

}  // namespace

std::span<const NameRule> NameRules() { return kRules; }

std::optional<std::string> FindName(std::string_view hole,
                                    std::string_view text) {
  for (const PatternRow<NameRule>& rule : CompiledRules()) {
    if (rule.row->hole != hole) continue;
    std::string name;
    if (rule.pattern.MayMatch(text) &&
        re2::RE2::PartialMatch(ToPiece(text), *rule.pattern, &name)) {
      NoteRule(rule.row);
      if (name.ends_with('.')) name.pop_back();  // torch's own full stop
      return name;
    }
  }
  return std::nullopt;
}

}  // namespace pt2triage
