// Words of a shell command.
#pragma once

#include <string>
#include <string_view>

namespace pt2triage {

// `word` as a POSIX shell reads it back: as it is where it holds only letters,
// digits and `_@%+=:,./-`, else in single quotes. Control characters are left
// out: they have no place in a line to paste.
std::string ShellQuote(std::string_view word);

}  // namespace pt2triage
