#include "line/json_members.h"

#include <cstdint>
#include <cstring>

#include "base/strings.h"

namespace pt2triage {
namespace {

std::string_view SkipBlanks(std::string_view s) {
  size_t i = 0;
  while (i < s.size() && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r')) ++i;
  return s.substr(i);
}

// The length of the string at the front of `s`, quotes included; 0 if it has no
// end.
size_t StringLength(std::string_view s) {
  size_t at = 1;
  while (at < s.size()) {
    const void* hit = std::memchr(s.data() + at, '"', s.size() - at);
    if (hit == nullptr) return 0;
    const auto quote =
        static_cast<size_t>(static_cast<const char*>(hit) - s.data());
    size_t slashes = 0;
    while (quote - slashes > at && s[quote - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) return quote + 1;
    at = quote + 1;
  }
  return 0;
}

// The length of the value at the front of `s`; 0 if it is broken.
size_t ValueLength(std::string_view s) {
  if (s.empty()) return 0;
  if (s[0] == '"') return StringLength(s);
  if (s[0] != '{' && s[0] != '[') {
    size_t i = 0;
    while (i < s.size() &&
           (IsWord(s[i]) || s[i] == '-' || s[i] == '+' || s[i] == '.')) {
      ++i;
    }
    return i;
  }
  size_t depth = 0;
  for (size_t i = 0; i < s.size();) {
    if (s[i] == '"') {
      const size_t length = StringLength(s.substr(i));
      if (length == 0) return 0;
      i += length;
      continue;
    }
    if (s[i] == '{' || s[i] == '[') ++depth;
    if ((s[i] == '}' || s[i] == ']') && --depth == 0) return i + 1;
    ++i;
  }
  return 0;
}

std::optional<uint32_t> Hex4(std::string_view s) {
  if (s.size() < 4) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + 4, value, 16);
  if (error != std::errc() || end != s.data() + 4) return std::nullopt;
  return value;
}

void AppendUtf8(uint32_t c, std::string* out) {
  auto add = [&](uint32_t byte) { *out += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xE0 | c >> 12);
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
    }
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

// `*s` stands behind `\u`.
bool AppendUnicode(std::string_view* s, std::string* out) {
  std::optional<uint32_t> c = Hex4(*s);
  if (!c) return false;
  s->remove_prefix(4);
  if (*c >= 0xD800 && *c < 0xE000) {
    const std::optional<uint32_t> low =
        s->starts_with("\\u") ? Hex4(s->substr(2)) : std::nullopt;
    const bool pair = *c < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000;
    if (pair) s->remove_prefix(6);
    c = pair ? 0x10000 + ((*c - 0xD800) << 10) + (*low - 0xDC00) : 0xFFFD;
  }
  AppendUtf8(*c, out);
  return true;
}

}  // namespace

JsonMembers::JsonMembers(std::string_view line) : rest_(SkipBlanks(line)) {
  broken_ = !Consume(&rest_, "{");
}

std::optional<JsonMembers::Member> JsonMembers::Next() {
  if (broken_ || complete_) return std::nullopt;
  broken_ = true;  // until the member is whole
  rest_ = SkipBlanks(rest_);
  if (Consume(&rest_, "}")) {
    complete_ = SkipBlanks(rest_).empty();
    return std::nullopt;
  }
  if (!first_ && !Consume(&rest_, ",")) return std::nullopt;
  first_ = false;
  rest_ = SkipBlanks(rest_);
  const size_t key = rest_.starts_with('"') ? StringLength(rest_) : 0;
  if (key == 0) return std::nullopt;
  Member member;
  member.key = rest_.substr(1, key - 2);
  rest_ = SkipBlanks(rest_.substr(key));
  if (!Consume(&rest_, ":")) return std::nullopt;
  rest_ = SkipBlanks(rest_);
  const size_t value = ValueLength(rest_);
  if (value == 0) return std::nullopt;
  member.value = rest_.substr(0, value);
  rest_.remove_prefix(value);
  broken_ = false;
  return member;
}

bool AppendJsonString(std::string_view value, std::string* out) {
  if (value.size() < 2 || value[0] != '"') return false;
  std::string_view s = value.substr(1, value.size() - 2);
  while (!s.empty()) {
    const void* hit = std::memchr(s.data(), '\\', s.size());
    const size_t plain =
        hit == nullptr
            ? s.size()
            : static_cast<size_t>(static_cast<const char*>(hit) - s.data());
    out->append(s.substr(0, plain));
    s.remove_prefix(plain);
    if (s.empty()) return true;
    if (s.size() < 2) return false;
    constexpr std::string_view kFrom = "nrtbf\"\\/";
    constexpr std::string_view kTo = "\n\r\t\b\f\"\\/";
    const char c = s[1];
    s.remove_prefix(2);
    if (c == 'u') {
      if (!AppendUnicode(&s, out)) return false;
      continue;
    }
    const size_t i = kFrom.find(c);
    if (i == std::string_view::npos) return false;
    *out += kTo[i];
  }
  return true;
}

bool AppendJsonBytes(std::string_view value, std::string* out) {
  if (value.size() < 2 || value[0] != '[') return false;
  std::string_view s = value.substr(1, value.size() - 2);
  bool first = true;
  while (!(s = SkipBlanks(s)).empty()) {
    if (!first && !Consume(&s, ",")) return false;
    first = false;
    s = SkipBlanks(s);
    const std::optional<uint8_t> byte = ToInt<uint8_t>(ConsumeDigits(&s));
    if (!byte) return false;
    *out += static_cast<char>(*byte);
  }
  return true;
}

}  // namespace pt2triage
