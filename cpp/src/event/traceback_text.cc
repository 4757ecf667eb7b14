#include "event/traceback_text.h"

#include <algorithm>

#include "base/strings.h"

namespace pt2triage {

bool IsCarets(std::string_view s) {
  s = Trim(s);
  return !s.empty() && s.find_first_not_of("~^ ") == std::string_view::npos;
}

bool IsPrefix(std::string_view text) {
  constexpr size_t kLongest = 160;
  if (text.size() < 2 || text.size() > kLongest) return false;
  if (Contains(text, "\t")) return true;
  const std::string_view mark = Trim(text);
  // A comment, a list, a listing's line number, a frame of pytest.
  if (mark.empty() || mark == "-" || mark == "*" || mark.back() == '#' ||
      Contains(mark, ".py:") ||
      mark.find_first_not_of("0123456789 |") == mark.npos) {
    return false;
  }
  int words = 0;
  bool digits = false;
  for (size_t i = 0; i < mark.size();) {
    const size_t end = std::min(mark.find(' ', i), mark.size());
    std::string_view word = mark.substr(i, end - i);
    i = end + 1;
    digits = digits || word.find_first_of("0123456789") != word.npos;
    while (!word.empty() && !IsWord(word.back())) word.remove_suffix(1);
    words += !word.empty() && word.find_first_not_of(
                                  "abcdefghijklmnopqrstuvwxyz'`") == word.npos;
  }
  const char last = mark.back();
  const bool closed = !IsWord(last) && last != ',' && last != '(' &&
                      last != '`' && last != '\'' && last != '"';
  return words <= 1 && (closed || (digits && IsDigit(last)));
}

std::optional<std::string_view> WithoutPrefix(std::string_view text,
                                              std::string_view prefix) {
  size_t i = 0;
  for (size_t p = 0; p < prefix.size();) {
    if (IsDigit(prefix[p])) {
      if (i >= text.size() || !IsDigit(text[i])) return std::nullopt;
      while (p < prefix.size() && IsDigit(prefix[p])) ++p;
      while (i < text.size() && IsDigit(text[i])) ++i;
    } else if (i < text.size() && text[i] == prefix[p]) {
      ++i;
      ++p;
    } else if (i >= text.size() && TrimRight(prefix.substr(p)).empty()) {
      return std::string_view();  // an empty line lost its blank
    } else {
      return std::nullopt;
    }
  }
  return text.substr(i);
}

bool IsSection(std::string_view s) {
  s = TrimRight(s);
  if (s.size() < 5) return false;
  char c = s[0];
  if (c != '=' && c != '_' && c != '-') {
    return s.starts_with("##[") || s.starts_with("# ");
  }
  size_t run = s.find_first_not_of(c);
  if (run == std::string_view::npos) return s.size() >= 20;
  return run >= 3 && s[run] == ' ' && s.back() == c;
}

bool IsTellingMessage(std::string_view message) {
  for (std::string_view head :
       {"CUDA error: ", "Triton Error [", "HIP error: ", "expected size ",
        "Error: accessing tensor output of CUDAGraphs", "CUDA out of memory",
        "HIP out of memory", "Failed to export the model with torch.export"}) {
    if (message.starts_with(head)) return true;
  }
  return false;
}

}  // namespace pt2triage
