#include "line/escapes.h"

#include <algorithm>

#include "base/strings.h"

namespace pt2triage {
namespace {

constexpr char kEsc = '\x1b';
constexpr size_t kMaxEscape = 2048;  // an unterminated one must end somewhere

bool IsBase64(char c) { return IsWord(c) || c == '+' || c == '/' || c == '='; }

// ESC [8m ha: BASE64 ESC [0m, which Jenkins writes into a build's log and hides
// on its page. Notes may be long. 0 if `s` does not begin with one.
size_t ConsoleNoteLength(std::string_view s) {
  constexpr std::string_view kHead = "\x1b[8mha:";
  if (!s.starts_with(kHead)) return 0;
  size_t i = kHead.size();
  while (i < s.size() && IsBase64(s[i])) ++i;
  constexpr std::string_view kTail = "\x1b[0m";
  return s.substr(i).starts_with(kTail) ? i + kTail.size() : 0;
}

// Length of the escape sequence at the front of `s`, which begins with ESC.
size_t EscapeLength(std::string_view s) {
  if (s.size() < 2) return s.size();
  size_t i = 2;
  switch (s[1]) {
    case '[':  // CSI: parameters, intermediates, one final byte
      if (const size_t note = ConsoleNoteLength(s); note > 0) return note;
      while (i < s.size() && s[i] >= 0x20 && s[i] <= 0x3F) ++i;
      return std::min(i + 1, s.size());
    case ']':
    case '_':
    case 'P':
    case '^':  // OSC, APC, DCS, PM: to ST or BEL
      for (; i < std::min(s.size(), kMaxEscape); ++i) {
        if (s[i] == '\a') return i + 1;
        if (s[i] == kEsc && i + 1 < s.size() && s[i + 1] == '\\') return i + 2;
      }
      return 2;  // unterminated: keep what follows
    default:
      return 2;
  }
}

// ESC _bk;t=1700000000000 BEL
int64_t BuildkiteTime(std::string_view escape) {
  if (!Consume(&escape, "\x1b_bk;t=")) return -1;
  return ToInt(ConsumeDigits(&escape)).value_or(-1);
}

}  // namespace

int64_t AppendWithoutEscapes(std::string_view text, std::string* out) {
  int64_t time = -1;
  size_t raw = 0;
  while (raw < text.size()) {
    size_t esc = text.find(kEsc, raw);
    if (esc == std::string_view::npos) esc = text.size();
    out->append(text.substr(raw, esc - raw));
    raw = esc;
    if (esc == text.size()) break;
    const size_t length = EscapeLength(text.substr(esc));
    if (time < 0) time = BuildkiteTime(text.substr(esc, length));
    raw += length;
  }
  return time;
}

std::string WithoutEscapes(std::string_view text) {
  std::string out;
  AppendWithoutEscapes(text, &out);
  return out;
}

}  // namespace pt2triage
