#include "record/log_header.h"

#include "base/simd.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

bool Digits(std::string_view s, size_t at, size_t n) {
  if (at + n > s.size()) return false;
  for (size_t i = at; i < at + n; ++i) {
    if (!IsDigit(s[i])) return false;
  }
  return true;
}

// ` [0/1_2]` and ` [__name]`, either absent, then one blank and the text.
void ReadTail(std::string_view text, size_t at, LogHeader* header) {
  std::string_view rest = text.substr(at);
  if (rest.starts_with(" [") && rest.size() > 2 &&
      (IsDigit(rest[2]) || rest[2] == '!')) {
    size_t close = rest.substr(0, 64).find(']');
    if (close != std::string_view::npos) {
      header->compile_id = CompileId::Parse(rest.substr(2, close - 2));
      if (header->compile_id) rest.remove_prefix(close + 1);
    }
  }
  if (rest.starts_with(" [__")) {
    size_t close = rest.substr(0, 80).find(']');
    if (close != std::string_view::npos) {
      header->artifact = rest.substr(4, close - 4);
      rest.remove_prefix(close + 1);
    }
  }
  header->identity =
      text.substr(header->start, text.size() - rest.size() - header->start);
  Consume(&rest, " ");
  header->body = rest;
}

// `path:123]` from `at`; the path may hold blanks and a drive's colon.
bool ReadPath(std::string_view text, size_t at, LogHeader* header,
              size_t* end) {
  for (size_t colon = at; colon < text.size() && colon < at + 4096;) {
    colon = text.find(':', colon);
    if (colon == std::string_view::npos) return false;
    size_t i = colon + 1;
    while (i < text.size() && IsDigit(text[i])) ++i;
    if (i > colon + 1 && i < text.size() && text[i] == ']') {
      header->path = text.substr(at, colon - at);
      header->path_line = text.substr(colon + 1, i - colon - 1);
      *end = i + 1;
      return true;
    }
    ++colon;
  }
  return false;
}

bool IsLevel(char c) {
  return c == 'V' || c == 'I' || c == 'W' || c == 'E' || c == 'C';
}

// `V1129 15:22:18.930000 ` but for its first letter; `s` has 22 bytes.
bool HasGlogTime(std::string_view s) {
  constexpr Shape8 kDay("0000 00:");
  constexpr Shape8 kMiddle("00:00.00");
  constexpr Shape8 kFraction(".000000 ");
  return kDay.Matches(s.data() + 1) && kMiddle.Matches(s.data() + 9) &&
         kFraction.Matches(s.data() + 14);
}

// `[2023-07-26 06:31:09,284]`; `s` has 25 bytes.
bool HasOldTime(std::string_view s) {
  constexpr Shape8 kYear("[0000-00");
  constexpr Shape8 kDay("-00 00:0");
  constexpr Shape8 kSecond(":00,000]");
  return kYear.Matches(s.data()) && kDay.Matches(s.data() + 8) &&
         IsDigit(s[16]) && kSecond.Matches(s.data() + 17);
}

// The level letter stands at `at`.
std::optional<LogHeader> ReadGlog(std::string_view text, size_t at) {
  // V1129 15:22:18.930000 9036 path:12]
  std::string_view s = text.substr(at);
  if (s.size() < 26) return std::nullopt;
  if (!IsLevel(s[0]) || !HasGlogTime(s)) return std::nullopt;
  LogHeader header;
  header.level = s[0];
  header.time = s.substr(1, 20);
  header.start = at;
  size_t i = 22;
  while (i < s.size() && s[i] == ' ') ++i;
  size_t process = i;
  while (i < s.size() && IsDigit(s[i])) ++i;
  if (i == process || i >= s.size() || s[i] != ' ') return std::nullopt;
  header.process = s.substr(process, i - process);
  size_t end = 0;
  if (!ReadPath(text, at + i + 1, &header, &end)) return std::nullopt;
  ReadTail(text, end, &header);
  return header;
}

char LevelLetter(std::string_view name) {
  if (name == "DEBUG") return 'V';
  if (name == "INFO" || name == "WARNING" || name == "ERROR" ||
      name == "CRITICAL") {
    return name[0];
  }
  return 0;
}

// The bracket of [2023-07-26 06:31:09,284] stands at `at`.
std::optional<LogHeader> ReadOld(std::string_view text, size_t at) {
  std::string_view s = text.substr(at);
  if (s.size() < 30 || !HasOldTime(s)) return std::nullopt;
  LogHeader header;
  header.time = s.substr(1, 23);
  header.start = at;
  std::string_view rest = s.substr(25);
  if (rest.starts_with(" [")) {
    size_t close = rest.substr(0, 64).find(']');
    if (close == std::string_view::npos) return std::nullopt;
    header.compile_id = CompileId::Parse(rest.substr(2, close - 2));
    if (!header.compile_id) return std::nullopt;
    rest.remove_prefix(close + 1);
  }
  if (!Consume(&rest, " ")) return std::nullopt;
  size_t open = rest.substr(0, 300).find(": [");
  if (open == std::string_view::npos) return std::nullopt;
  std::string_view logger = rest.substr(0, open);
  if (!logger.starts_with("torch") ||
      logger.find(' ') != std::string_view::npos) {
    return std::nullopt;
  }
  rest.remove_prefix(open + 3);
  size_t close = rest.substr(0, 12).find(']');
  if (close == std::string_view::npos) return std::nullopt;
  header.level = LevelLetter(rest.substr(0, close));
  if (header.level == 0) return std::nullopt;
  rest.remove_prefix(close + 1);
  size_t mark = logger.find(".__");
  header.path = logger.substr(0, mark);
  if (mark != std::string_view::npos) header.artifact = logger.substr(mark + 3);
  header.identity = text.substr(at, text.size() - rest.size() - at);
  Consume(&rest, " ");
  header.body = rest;
  return header;
}

// Looks for the `.` of a glog time: dd:dd:dd.dddddd
std::optional<LogHeader> SearchGlog(std::string_view text) {
  for (size_t dot = 14; (dot = text.find('.', dot)) != std::string_view::npos;
       ++dot) {
    if (dot >= 14 && Digits(text, dot + 1, 6) && text[dot - 3] == ':' &&
        text[dot - 6] == ':') {
      std::optional<LogHeader> header = ReadGlog(text, dot - 14);
      if (header) return header;
    }
  }
  return std::nullopt;
}

std::optional<LogHeader> SearchOld(std::string_view text) {
  for (size_t open = 0; (open = text.find('[', open)) != std::string_view::npos;
       ++open) {
    if (Digits(text, open + 1, 4)) {
      std::optional<LogHeader> header = ReadOld(text, open);
      if (header) return header;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LogHeader> FindLogHeader(std::string_view text) {
  if (text.size() < 26) return std::nullopt;
  if (std::optional<LogHeader> header = ReadGlog(text, 0)) return header;
  if (!MayHoldLogHeader(text)) return std::nullopt;
  // What stands at the front wins over what the text may quote.
  if (std::optional<LogHeader> header = ReadOld(text, 0)) return header;
  if (std::optional<LogHeader> header = SearchGlog(text)) return header;
  return SearchOld(text);
}

size_t DullTimeLength(std::string_view text) {
  if (text.size() < 30) return 0;
  if (text[0] == '[') return HasOldTime(text) ? 25 : 0;
  const bool dull = text[0] == 'V' || text[0] == 'I';
  return dull && HasGlogTime(text) ? 21 : 0;
}

bool IsWarning(std::string_view text) {
  return text.size() >= 30 && IsLevel(text[0]) && text[0] != 'V' &&
         text[0] != 'I' && HasGlogTime(text);
}

// The colon, the dot and the blank of `:09.284000 `, or `:09,284]`.
PT2TRIAGE_VECTORISED
bool HasHeaderTime(const char* text, size_t size) {
  unsigned char any = 0;
  for (size_t i = 3; i + 7 < size; ++i) {
    const unsigned glog = (text[i] == '.') & (text[i + 7] == ' ');
    const unsigned old = (text[i] == ',') & (text[i + 4] == ']');
    any |= static_cast<unsigned char>((text[i - 3] == ':') & (glog | old));
  }
  return any != 0;
}

bool MayHoldLogHeader(std::string_view text) {
  return HasHeaderTime(text.data(), text.size());
}

}  // namespace pt2triage
