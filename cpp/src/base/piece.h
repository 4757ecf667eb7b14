// The one bridge between std::string_view and RE2.
#pragma once

#include <string_view>

#include "re2/re2.h"
#include "re2/stringpiece.h"

namespace pt2triage {

// re2::StringPiece is a class of its own in old releases and an alias of
// absl::string_view in newer ones, which some builds of Abseil keep apart from
// std::string_view. Going through pointer and length works with all of them.
// Both functions borrow: the result lives as long as the bytes it points to.
inline re2::StringPiece ToPiece(std::string_view text) {
  return re2::StringPiece(text.data(), text.size());
}

// For what RE2 captured.
inline std::string_view FromPiece(re2::StringPiece piece) {
  return std::string_view(piece.data(), piece.size());
}

}  // namespace pt2triage
