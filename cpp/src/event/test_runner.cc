#include "event/test_runner.h"

#include <array>
#include <utility>

#include "base/strings.h"

namespace pt2triage {
namespace {

bool IsRule(std::string_view text, char c, size_t least) {
  return text.size() >= least &&
         text.find_first_not_of(c) == std::string_view::npos;
}

// The words between two runs of `c`: `==== FAILURES ====`.
std::string_view Heading(std::string_view text, char c) {
  size_t begin = text.find_first_not_of(c);
  if (begin == std::string_view::npos || begin < 3 || text[begin] != ' ' ||
      text.back() != c) {
    return {};
  }
  size_t end = text.find_last_not_of(c);
  if (end <= begin || text[end] != ' ') return {};
  return Trim(text.substr(begin, end - begin));
}

struct Verdict {
  std::string_view head;
  std::string_view name;
};
constexpr std::array<Verdict, 4> kVerdicts = {{
    {"FAILED ", "failed"},
    {"ERROR ", "error"},
    {"XFAIL ", "xfail"},
    {"RERUN ", "rerun"},
}};

}  // namespace

bool TestTracker::OnUnittestHeading(std::string_view text) {
  for (std::string_view head : {"ERROR: ", "FAIL: ", "UNEXPECTED SUCCESS: "}) {
    if (!text.starts_with(head)) continue;
    test_id_.assign(text.substr(head.size()));
    in_section_ = true;
    return true;
  }
  return false;
}

bool TestTracker::OnPytestHeading(std::string_view text) {
  if (std::string_view heading = Heading(text, '='); !heading.empty()) {
    in_passes_ = heading == "PASSES";
    in_section_ = heading == "FAILURES" || in_passes_ || heading == "ERRORS" ||
                  heading.starts_with("RERUNS");
    test_id_.clear();
    return true;
  }
  if (std::string_view heading = Heading(text, '_'); !heading.empty()) {
    if (heading.starts_with("_ ")) return true;  // between two entries
    Consume(&heading, "ERROR at setup of ");
    Consume(&heading, "ERROR at teardown of ");
    Consume(&heading, "ERROR collecting ");
    test_id_.assign(heading);
    in_section_ = true;
    return true;
  }
  return false;
}

// FAILED path/test_x.py::Class::test[param] - torch...Error: text
bool TestTracker::OnSummaryLine(std::string_view text, const Evidence& at) {
  for (const Verdict& verdict : kVerdicts) {
    std::string_view s = text;
    if (!Consume(&s, verdict.head)) continue;
    if (Consume(&s, "[")) {  // FAILED [0.1s] path::test
      size_t close = s.find("] ");
      if (close == std::string_view::npos) return false;
      s.remove_prefix(close + 2);
    }
    if (s.find("::") == std::string_view::npos) return false;
    size_t dash = s.find(" - ");
    Event event;
    event.kind = EventKind::kTest;
    event.evidence = at;
    event.name.assign(verdict.name);
    event.test_id.assign(Trim(s.substr(0, dash)));
    if (dash != std::string_view::npos) {
      event.message.assign(Trim(s.substr(dash + 3)));
    }
    sink_(std::move(event));
    return true;
  }
  return false;
}

bool TestTracker::OnLine(std::string_view text, const Evidence& at) {
  text = TrimRight(text);
  if (text.empty()) return false;
  bool after_rule = std::exchange(after_rule_, false);
  switch (text[0]) {
    case '=':
      if (IsRule(text, '=', 60)) {
        after_rule_ = true;
        test_id_.clear();
        return true;
      }
      return OnPytestHeading(text);
    case '_':
      return OnPytestHeading(text);
    case 'E':
    case 'F':
    case 'U':
    case 'X':
    case 'R':
      if (after_rule && OnUnittestHeading(text)) return true;
      if (text.starts_with("Ran ")) {
        test_id_.clear();
        in_section_ = false;
        return false;
      }
      return OnSummaryLine(text, at);
    default:
      return false;
  }
}

}  // namespace pt2triage
