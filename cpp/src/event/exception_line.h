// The line that names an exception.
#pragma once

#include <optional>
#include <string_view>

namespace pt2triage {

// `Type: message` or `Type`; nullopt when the line is not an exception's.
struct ExceptionLine {
  std::string_view type;
  std::string_view message;
};
std::optional<ExceptionLine> ParseExceptionLine(std::string_view text);

// True for what may be the name of an exception class, not a level or a word.
bool LooksLikeType(std::string_view type);

}  // namespace pt2triage
