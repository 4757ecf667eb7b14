#include "event/exception_line.h"

#include <algorithm>

#include "base/strings.h"

namespace pt2triage {

bool LooksLikeType(std::string_view type) {
  std::string_view last = AfterLast(type, '.');
  size_t i = last.find_first_not_of('_');
  if (i == std::string_view::npos || !IsUpper(last[i])) return false;
  // ERROR and the like are levels.
  return last.size() < 3 || Contains(type, ".") ||
         last.find_first_of("abcdefghijklmnopqrstuvwxyz") !=
             std::string_view::npos;
}

std::optional<ExceptionLine> ParseExceptionLine(std::string_view text) {
  ExceptionLine line;
  std::string_view s = TrimRight(text);
  if (Consume(&s, "<class '")) {  // <class 'pkg.Type'>: message
    size_t close = s.find("'>:");
    if (close == std::string_view::npos) return std::nullopt;
    line.type = s.substr(0, close);
    line.message = TrimLeft(s.substr(close + 3));
    return line;
  }
  Consume(&s, "- ");
  if (Consume(&s, "**Exception Type:**")) {
    line.type = Trim(s);
    if (line.type.starts_with('`')) line.type.remove_prefix(1);
    line.type = line.type.substr(0, line.type.find('`'));
    return line;
  }
  size_t i = 0;
  if (s.empty() || !IsWordStart(s[0])) return std::nullopt;
  while (i < s.size() && (IsWord(s[i]) || s[i] == '.')) ++i;
  if (s.substr(i).starts_with("<locals>")) {
    i += 8;
    while (i < s.size() && (IsWord(s[i]) || s[i] == '.')) ++i;
  }
  line.type = s.substr(0, i);
  if (line.type.ends_with('.')) return std::nullopt;
  if (i == s.size()) return line;
  if (s[i] != ':') return std::nullopt;
  if (i + 1 < s.size() && s[i + 1] != ' ') return std::nullopt;
  line.message = s.substr(std::min(i + 2, s.size()));
  return line;
}

}  // namespace pt2triage
