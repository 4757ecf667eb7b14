#include "base/shell.h"

#include <algorithm>

#include "base/strings.h"

namespace pt2triage {

std::string ShellQuote(std::string_view word) {
  std::string clean;
  for (char c : word) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) clean += c;
  }
  bool plain =
      !clean.empty() && std::all_of(clean.begin(), clean.end(), [](char c) {
        return IsWord(c) ||
               std::string_view("@%+=:,./-").find(c) != std::string_view::npos;
      });
  if (plain) return clean;
  std::string out = "'";
  for (char c : clean) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace pt2triage
