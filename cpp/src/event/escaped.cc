#include "event/escaped.h"

#include <charconv>

#include "base/strings.h"
#include "base/utf8.h"
#include "event/messages/tails.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxText = size_t{1} << 18;

// The quote that opened the string around `at`; 0 if there is none.
char QuoteBefore(std::string_view line, size_t at) {
  while (at-- > 0) {
    bool quote = line[at] == '"' || line[at] == '\'';
    if (quote && (at == 0 || line[at - 1] != '\\')) return line[at];
  }
  return 0;
}

// Undoes one level of escapes, up to the end of the string.
std::string Unescape(std::string_view text, char quote) {
  std::string out;
  for (size_t i = 0; i < text.size() && text[i] != quote; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char c = text[++i];
    uint32_t code = 0;
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == 'r') {
      continue;
    } else if (c == 'u' && i + 4 < text.size()) {
      const char* end = text.data() + i + 5;
      if (std::from_chars(end - 4, end, code, 16).ptr != end) code = 0xFFFD;
      AppendUtf8(code, &out);
      i += 4;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string UnescapedTraceback(std::string_view line) {
  size_t at = line.find(kTracebackHead);
  if (at == std::string_view::npos) return {};
  size_t slash = at + kTracebackHead.size();
  if (slash < line.size() && line[slash] == ':') ++slash;
  size_t end = line.find_first_not_of('\\', slash);
  if (end == slash || end == std::string_view::npos || line[end] != 'n') {
    return {};
  }
  char quote = QuoteBefore(line, at);
  std::string text(line.substr(at, kMaxText));
  for (size_t slashes = end - slash; slashes > 0; slashes /= 2) {
    text = Unescape(text, quote);
    quote = 0;  // the outer string is cut off
  }
  return text;
}

}  // namespace pt2triage
