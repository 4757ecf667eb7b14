// Escape sequences of terminals, and what CI systems hide in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pt2triage {

// Appends `text` to `*out` without its escape sequences: CSI, OSC, APC, DCS and
// PM with their bodies, two-byte ones, and Jenkins's console notes. Gives the
// milliseconds of Buildkite's first time stamp (`ESC _bk;t=1700000000000 BEL`)
// in it, -1 if there is none.
int64_t AppendWithoutEscapes(std::string_view text, std::string* out);

// The text alone.
std::string WithoutEscapes(std::string_view text);

}  // namespace pt2triage
