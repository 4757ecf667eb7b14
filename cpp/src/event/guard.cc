#include "event/guard.h"

#include <re2/re2.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/lazy_pattern.h"
#include "base/piece.h"
#include "base/rule_watch.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

// Where the `  # source line  # file:line in fn` comment begins.
size_t CommentStart(std::string_view text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (text.substr(i).starts_with("  # ")) {
      return i;
    }
  }
  if (quote == 0) return text.size();
  size_t plain = text.find("  # ");  // an apostrophe left a quote open
  return plain == std::string_view::npos ? text.size() : plain;
}

// `file:line` of the last `# file:line in fn`.
std::optional<std::string> UserCode(std::string_view comment) {
  size_t hash = comment.rfind("# ");
  if (hash == std::string_view::npos) return std::nullopt;
  std::string_view place = comment.substr(hash + 2);
  size_t in = place.find(" in ");  // (framework place) may follow
  if (in == std::string_view::npos) return std::nullopt;
  place = place.substr(0, in);
  size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || !ToInt(place.substr(colon + 1))) {
    return std::nullopt;
  }
  return std::string(Trim(place));
}

const std::deque<PatternRow<GuardRule>>& CompiledRules() {
  static const auto& patterns = *MakePatterns(GuardRules());
  return patterns;
}

void Fill(const re2::RE2& pattern, std::string_view guard,
          GuardFailure* failure) {
  std::vector<re2::StringPiece> groups(
      static_cast<size_t>(pattern.NumberOfCapturingGroups()) + 1);
  if (!pattern.Match(ToPiece(guard), 0, guard.size(), re2::RE2::UNANCHORED,
                     groups.data(), static_cast<int>(groups.size()))) {
    return;
  }
  for (const auto& [name, index] : pattern.NamedCapturingGroups()) {
    const re2::StringPiece& group = groups[static_cast<size_t>(index)];
    if (group.data() == nullptr) continue;
    std::string value(group.data(), group.size());
    if (name.starts_with("source"))
      failure->source = std::move(value);
    else if (name == "expected")
      failure->expected = std::move(value);
    else if (name == "actual")
      failure->actual = std::move(value);
  }
}

}  // namespace

GuardFailure ParseGuard(const GuardText& text) {
  GuardFailure failure;
  failure.compile_id = text.compile_id;
  std::string_view whole = text.text;
  std::string_view guard = whole.substr(0, CommentStart(whole));
  failure.user_code = UserCode(whole.substr(guard.size()));
  guard = Trim(guard);
  size_t hint = guard.rfind(" (HINT");
  if (hint != std::string_view::npos && guard.ends_with(')')) {
    guard = TrimRight(guard.substr(0, hint));
  }
  failure.guard.assign(guard);
  std::string_view first = guard.substr(0, guard.find('\n'));
  for (const PatternRow<GuardRule>& compiled : CompiledRules()) {
    if (!compiled.pattern.MayMatch(first) ||
        !re2::RE2::PartialMatch(ToPiece(first), *compiled.pattern)) {
      continue;
    }
    NoteRule(compiled.row);
    failure.cause.assign(compiled.row->cause);
    Fill(*compiled.pattern, first, &failure);
    return failure;
  }
  failure.cause = "other";
  return failure;
}

}  // namespace pt2triage
