// Small helpers on std::string_view. No allocation unless the result owns.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pt2triage {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsWordStart(char c) {
  return IsUpper(c) || (c >= 'a' && c <= 'z') || c == '_';
}
constexpr bool IsWord(char c) { return IsWordStart(c) || IsDigit(c); }

inline std::string_view TrimLeft(std::string_view s) {
  size_t i = s.find_first_not_of(" \t\r");
  return i == std::string_view::npos ? std::string_view() : s.substr(i);
}
inline std::string_view TrimRight(std::string_view s) {
  size_t i = s.find_last_not_of(" \t\r\n");
  return s.substr(0, i == std::string_view::npos ? 0 : i + 1);
}
inline std::string_view Trim(std::string_view s) {
  return TrimLeft(TrimRight(s));
}
inline size_t Indent(std::string_view s) {
  size_t i = s.find_first_not_of(' ');
  return i == std::string_view::npos ? s.size() : i;
}
inline bool Contains(std::string_view s, std::string_view part) {
  return s.find(part) != std::string_view::npos;
}
// Removes `prefix` from the front of `*s` if it is there.
inline bool Consume(std::string_view* s, std::string_view prefix) {
  if (!s->starts_with(prefix)) return false;
  s->remove_prefix(prefix.size());
  return true;
}
// Removes and returns the leading digits; empty if there are none.
inline std::string_view ConsumeDigits(std::string_view* s) {
  size_t n = 0;
  while (n < s->size() && IsDigit((*s)[n])) ++n;
  std::string_view digits = s->substr(0, n);
  s->remove_prefix(n);
  return digits;
}
// The whole of `s` as a number; nullopt when it is not one or overflows.
template <typename Int = int64_t>
std::optional<Int> ToInt(std::string_view s) {
  Int value{};
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}
// The part after the last `separator`, or all of `s`.
inline std::string_view AfterLast(std::string_view s, char separator) {
  size_t i = s.rfind(separator);
  return i == std::string_view::npos ? s : s.substr(i + 1);
}
// The last component of a POSIX or Windows path.
inline std::string_view BaseName(std::string_view path) {
  size_t i = path.find_last_of("/\\");
  return i == std::string_view::npos ? path : path.substr(i + 1);
}
// `s` up to its first newline, all of it if it has none.
inline std::string_view FirstLine(std::string_view s) {
  return s.substr(0, s.find('\n'));
}
// Takes the next line off the front of `*text` (without its newline).
inline std::string_view NextLine(std::string_view* text) {
  size_t i = text->find('\n');
  std::string_view line = text->substr(0, i);
  text->remove_prefix(i == std::string_view::npos ? text->size() : i + 1);
  return line;
}

}  // namespace pt2triage
