#include "triage/remedies.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/rule_watch.h"
#include "base/shell.h"
#include "base/strings.h"
#include "triage/frame_owner.h"
#include "triage/knowledge/cause_table.h"
#include "triage/knowledge/name_rules.h"
#include "triage/knowledge/playbook.h"

namespace pt2triage {
namespace {

using Name = std::optional<std::string>;

constexpr size_t kMaxText = 4000;  // of each text that names are looked up in

std::string Where(const Finding& finding) {
  if (!finding.user_frame) return "the line that the traceback shows";
  std::string where = finding.user_frame->file;
  if (finding.user_frame->line > 0) {
    where += ':' + std::to_string(finding.user_frame->line);
  }
  return where;
}

// A guard's source as the user wrote it: `x` of `L['x']`, `self.n` of
// `L['self'].n`, without `.size()[0]`.
std::string PlainSource(std::string_view source) {
  source = source.substr(0, source.find(".size()["));
  source = source.substr(0, source.find(".stride()["));
  std::string_view s = source;
  if (!Consume(&s, "L['") && !Consume(&s, "G['")) return std::string(source);
  size_t close = s.find("']");
  if (close == std::string_view::npos) return std::string(source);
  return std::string(s.substr(0, close)) + std::string(s.substr(close + 2));
}

Name FromGuard(std::string_view hole, const GuardFailure& guard) {
  if (hole == "guard") return guard.guard;
  if (hole == "expected") return guard.expected;
  if (hole == "actual") return guard.actual;
  if (hole == "dim") return FindName("dim", guard.guard);
  if (hole == "source" && guard.source) return PlainSource(*guard.source);
  return std::nullopt;
}

// Where in PyTorch it was raised: `torch/_inductor/lowering.py
// (make_fallback)`.
Name Patch(const Finding& finding) {
  if (!finding.raised_at) return std::nullopt;
  std::string_view path = TorchPath(finding.raised_at->file);
  if (path.empty()) return std::nullopt;
  std::string place = "torch/" + std::string(path);
  if (!finding.raised_at->function.empty()) {
    place += " (" + finding.raised_at->function + ")";
  }
  return place;
}

// What PyTorch's own texts name, the most telling text first.
Name FromTexts(std::string_view hole, const Finding& finding) {
  for (const Name* text :
       {&finding.explanation, &finding.reason, &finding.message}) {
    if (!*text) continue;
    std::string_view head = std::string_view(**text).substr(0, kMaxText);
    if (Name name = FindName(hole, head)) return name;
  }
  for (const ChainLink& link : finding.exception_chain) {
    std::string_view text = link.message;
    if (Name name = FindName(hole, text.substr(0, kMaxText))) return name;
  }
  return std::nullopt;
}

// `mylib::foo` of `mylib.foo.default`, as torch.library wants it.
Name QualifiedName(const Finding& finding) {
  Name op = FromTexts("op", finding);
  if (!op || Contains(*op, "::")) return op;
  size_t dot = op->find('.');
  if (dot == std::string::npos) return std::nullopt;
  size_t overload = op->find('.', dot + 1);
  return op->substr(0, dot) + "::" + op->substr(dot + 1, overload - dot - 1);
}

Name Advice(const Finding& finding);

Name NameFor(std::string_view hole, const Finding& finding) {
  if (hole == "where") return Where(finding);
  if (hole == "function") {
    bool named = finding.user_frame && !finding.user_frame->function.empty();
    return named ? finding.user_frame->function : "the compiled function";
  }
  if (hole == "exception") return finding.exception.value_or("an error");
  if (hole == "stack")
    return finding.raised_at || finding.user_frame ? Name("") : std::nullopt;
  if (hole == "backend") return finding.backend;
  if (hole == "compiled") {  // only for torch.compile
    return finding.compile_mode == CompileMode::kCompile ? Name("")
                                                         : std::nullopt;
  }
  if (hole == "patch") return Patch(finding);
  if (hole == "qualname") return QualifiedName(finding);
  if (hole == "advice") return Advice(finding);
  if (!finding.guard_failures.empty()) {
    if (Name name = FromGuard(hole, finding.guard_failures.front())) {
      return name;
    }
  }
  return FromTexts(hole, finding);
}

Name FillHoles(std::string_view text, const Finding& finding) {
  std::string out;
  for (size_t open; (open = text.find('{')) != std::string_view::npos;) {
    size_t close = text.find('}', open);
    out.append(text.substr(0, open));
    Name name = NameFor(text.substr(open + 1, close - open - 1), finding);
    if (!name) return std::nullopt;
    out += *name;
    text.remove_prefix(close + 1);
  }
  out.append(text);
  return out;
}

Name ActionFor(const CauseInfo& info, const Finding& finding) {
  for (const std::string_view& action : info.actions) {
    Name filled = FillHoles(action, finding);
    if (!filled) continue;
    NoteRule(&action);
    return filled;
  }
  return std::nullopt;
}

// The remedy of the guard that made a function reach its limit.
Name Advice(const Finding& finding) {
  if (finding.guard_failures.empty()) return std::nullopt;
  const std::string& cause = finding.guard_failures.front().cause;
  const CauseInfo* info = FindCause(Category::kRecompilation, cause);
  if (info == nullptr || cause == "limit-reached") return std::nullopt;
  return ActionFor(*info, finding);
}

// `test_b` of `test_b (test_x.T)`; `test_x.T.test_b` where it is printed whole.
std::string UnittestName(std::string_view id) {
  size_t open = id.find(" (");
  if (open == std::string_view::npos) return std::string(id);
  std::string_view inside = id.substr(open + 2, id.find(')', open) - open - 2);
  return std::string(inside);
}

// The command that runs the failing program again.
std::string CommandOf(const Finding& finding, const Program& program) {
  if (!program.command.empty()) return program.command;
  const std::string& script = program.script;
  // A name that begins with a dash would be read as an option.
  std::string file = script.starts_with('-') ? "./" + script : script;
  if (finding.test_id) {
    const std::string& id = *finding.test_id;
    if (Contains(id, "::")) {
      return "python -m pytest " +
             ShellQuote(id.starts_with('-') ? "./" + id : id);
    }
    std::string name = id.substr(0, id.find(' '));
    std::string inside = UnittestName(id);
    if (inside.ends_with("." + name) && !inside.starts_with("__main__") &&
        !inside.starts_with('-')) {
      return "python -m unittest " + ShellQuote(inside);
    }
    std::string python = file.empty() ? "-m pytest" : ShellQuote(file);
    return "python " + python + " -k " + ShellQuote(name);
  }
  return "python " + (file.empty() ? "your_script.py" : ShellQuote(file));
}

// The recipe that adds to what the log shows already: a break that was raised
// is not logged as one, and a custom backend is minified before AOTAutograd.
const Recipe& RecipeFor(const Play& play, const Finding& finding) {
  const bool raised = finding.severity == Severity::kError;
  const bool sizes = finding.cause == "constraint-violation" ||
                     finding.cause == "data-dependent-guard";
  if (play.category == Category::kGraphBreak) {
    return play.recipes[sizes ? 2 : raised ? 1 : 0];
  }
  if (finding.cause == "custom-backend") return CustomBackendRecipe();
  return play.recipes.front();
}

}  // namespace

void AddRemedies(Finding* finding, const Program& program) {
  const CauseInfo* info = FindCause(finding->category, finding->cause);
  const Play* play = FindPlay(finding->category);
  if (info == nullptr || play == nullptr) return;
  NoteRule(info);
  if (Name action = ActionFor(*info, *finding)) {
    finding->remedy.push_back({*std::move(action), std::nullopt});
  }
  finding->next_command = ShellVariables(RecipeFor(*play, *finding)) + ' ' +
                          CommandOf(*finding, program);
}

}  // namespace pt2triage
