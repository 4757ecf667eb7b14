// What rows of all tables have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pt2triage/evidence.h"

namespace pt2triage {

// Of a text in a row; what is longer loses its end.
inline constexpr size_t kMaxRowText = size_t{16} << 10;

inline std::string Shortened(std::string_view text) {
  return std::string(text.substr(0, kMaxRowText));
}

inline std::optional<int64_t> LineOf(const StackFrame& frame) {
  return frame.line == 0 ? std::nullopt : std::optional(frame.line);
}

template <typename Row>
void PutPlace(const Evidence& at, Row* row) {
  row->at_line = at.line;
  row->at_offset = at.offset;
}

}  // namespace pt2triage
