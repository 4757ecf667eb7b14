// Repair of text that is not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pt2triage {

// Length of the longest prefix of `text` that is well-formed UTF-8.
size_t ValidUtf8Prefix(std::string_view text);

// `text` with each maximal ill-formed part as U+FFFD, as the Unicode standard
// advises (3.9, "substitution of maximal subparts") and Python's
// `bytes.decode("utf-8", "replace")` does.
std::string RepairUtf8(std::string_view text);

}  // namespace pt2triage
