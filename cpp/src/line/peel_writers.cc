// Names of who wrote a line, and marks of runners.
#include <array>
#include <optional>

#include "base/strings.h"
#include "line/peelers.h"
#include "line/stamps.h"

namespace pt2triage {
namespace {

// True if `s` matches `shape`, where 'd' is a digit and all else is literal.
bool Shape(std::string_view s, std::string_view shape) {
  if (s.size() < shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 'd' ? !IsDigit(s[i]) : s[i] != shape[i]) return false;
  }
  return true;
}

int32_t RankInWorkerName(std::string_view name) {
  for (std::string_view key : {"rank=", "_TP", "Worker_DP", "TP"}) {
    size_t at = name.find(key);
    if (at == std::string_view::npos) continue;
    std::string_view rest = name.substr(at + key.size());
    std::optional<int32_t> value = ToInt<int32_t>(ConsumeDigits(&rest));
    if (value) return *value;
  }
  return -1;
}

// `A pid=12`, Ray's `pid=12` of a task without a name, and its own `raylet`.
bool IsWorkerName(std::string_view inside) {
  if (inside == "raylet" || inside.starts_with("raylet, ip=")) return true;
  size_t pid = inside.starts_with("pid=") ? 0 : inside.find(" pid=");
  if (pid == std::string_view::npos) return false;
  pid = inside.find('=', pid) + 1;
  return pid < inside.size() && IsDigit(inside[pid]);
}

// What job systems say of the job itself behind `##[error]`; a mark that is
// part of the message.
constexpr std::array<std::string_view, 3> kJobWords = {
    "Process completed with exit code ", "The ", "Bash exited with code "};

constexpr std::array<std::string_view, 6> kRunnerCommands = {
    "error]", "warning]", "notice]", "debug]", "command]", "section]"};

}  // namespace

Peel PeelBom(std::string_view s) {
  Peel peel;
  peel.length = s.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  return peel;
}

// [rank0]: and [default0]: , with and without the space; other roles' names
// that torchrun is often given.
Peel PeelRank(std::string_view s) {
  if (s.size() < 2 ||
      (s[1] != 'r' && s[1] != 'd' && s[1] != 't' && s[1] != 'w')) {
    return {};
  }
  std::string_view rest = s;
  bool rank = Consume(&rest, "[rank");
  bool known = rank || Consume(&rest, "[default") ||
               Consume(&rest, "[trainer") || Consume(&rest, "[worker");
  if (!known) return {};
  std::string_view digits = ConsumeDigits(&rest);
  std::optional<int32_t> value = ToInt<int32_t>(digits);
  if (!value || !Consume(&rest, "]")) return {};
  if (!Consume(&rest, ":") && !rank) return {};  // pastes lose it
  Peel peel;
  peel.stream = s.substr(0, s.size() - rest.size());
  peel.rank = *value;
  if (rank) Consume(&rest, " ");  // torch writes one, torchrun none
  peel.length = s.size() - rest.size();
  return peel;
}

// kubectl logs --prefix: `[pod/NAME/CONTAINER] `, then with --timestamps a time
// in the zone of the node.
Peel PeelPod(std::string_view s) {
  if (!s.starts_with("[pod/")) return {};
  const size_t close = s.substr(0, 600).find(']');
  if (close == std::string_view::npos) return {};
  const std::string_view name = s.substr(5, close - 5);
  const size_t slash = name.find('/');
  if (slash == 0 || slash == std::string_view::npos ||
      slash + 1 == name.size() || name.find(' ') != std::string_view::npos ||
      name.find('/', slash + 1) != std::string_view::npos) {
    return {};
  }
  std::string_view rest = s.substr(close + 1);
  if (!rest.empty() && !Consume(&rest, " ")) return {};
  Peel peel;
  peel.stream = s.substr(0, close + 1);
  const IsoTime iso = ReadIsoTime(rest);
  if (iso.length > 0 &&
      (iso.length == rest.size() || rest[iso.length] == ' ')) {
    peel.time = rest.substr(0, iso.length);
    rest.remove_prefix(iso.length);
    Consume(&rest, " ");
  }
  peel.length = s.size() - rest.size();
  return peel;
}

// (RayWorkerWrapper pid=884120, ip=10.0.0.7), (EngineCore_0 pid=12), (pid=12).
Peel PeelWorker(std::string_view s) {
  if (!s.starts_with('(')) return {};
  size_t close = s.substr(0, 120).find(')');
  if (close == std::string_view::npos) return {};
  std::string_view inside = s.substr(1, close - 1);
  if (!IsWorkerName(inside)) return {};
  Peel peel;
  peel.stream = s.substr(0, close + 1);
  peel.rank = RankInWorkerName(inside);
  peel.length = close + 1;
  if (close + 1 < s.size() && s[close + 1] == ' ') ++peel.length;
  return peel;
}

// ERROR 08-29 07:12:30 worker_base.py:464] and the form with [worker.py:4].
Peel PeelAppLogger(std::string_view s) {
  static constexpr std::array<std::string_view, 5> kLevels = {
      "ERROR ", "WARNING ", "INFO ", "DEBUG ", "CRITICAL "};
  if (s.size() < 2 || !IsUpper(s[1])) return {};
  std::string_view rest = s;
  bool level = false;
  for (std::string_view name : kLevels) level = level || Consume(&rest, name);
  constexpr std::string_view kShape = "dd-dd dd:dd:dd ";
  if (!level || !Shape(rest, kShape)) return {};
  rest.remove_prefix(kShape.size());
  Consume(&rest, "[");
  size_t close = rest.substr(0, 120).find(']');
  if (close == std::string_view::npos || close == 0 ||
      !IsDigit(rest[close - 1]) ||
      rest.substr(0, close).find(' ') != std::string_view::npos) {
    return {};
  }
  Peel peel;
  peel.stream = rest.substr(0, close + 1);
  rest.remove_prefix(close + 1);
  Consume(&rest, " ");
  peel.length = s.size() - rest.size();
  return peel;
}

// GitHub's and Azure's ##[error]. Groups are no decorations but lines of their
// own; what they say of a job keeps its mark.
Peel PeelRunnerCommand(std::string_view s) {
  std::string_view rest = s;
  if (!Consume(&rest, "##[")) return {};
  const bool error = rest.starts_with("error]");
  for (std::string_view command : kRunnerCommands) {
    if (!Consume(&rest, command)) continue;
    for (std::string_view words : kJobWords) {
      if (error && rest.starts_with(words)) return {};
    }
    Peel peel;
    peel.length = s.size() - rest.size();
    return peel;
  }
  return {};
}

// pytest marks each line of an exception's text with `E   `.
Peel PeelPytest(std::string_view s) {
  Peel peel;
  peel.pytest = true;
  if (s.starts_with("E   ")) peel.length = 4;
  return peel;
}

// A log quoted in Markdown or mail; also pytest's `>` before the line that
// failed.
Peel PeelQuote(std::string_view s) {
  Peel peel;
  peel.quote = true;
  if (s.starts_with("> ")) peel.length = 2;
  return peel;
}

}  // namespace pt2triage
