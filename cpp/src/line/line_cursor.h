// Walks over the lines of a text that is in memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/simd.h"

namespace pt2triage {

// Gives the ends of the lines of `text` one after the other. Looks at 64 bytes
// at a time, so that short lines do not cost a call each. Borrows the text.
class LineCursor {
 public:
  explicit LineCursor(std::string_view text) : text_(text) {}

  // The position behind the next newline at or after the last position given;
  // npos if there is none.
  size_t NextEnd() {
    while (mask_ == 0) {
      if (next_ >= text_.size()) return std::string_view::npos;
      base_ = next_;
      if (text_.size() - base_ >= 64) {
        mask_ = EqualMask64(text_.data() + base_, '\n');
        next_ = base_ + 64;
      } else {
        for (size_t i = base_; i < text_.size(); ++i) {
          mask_ |= static_cast<uint64_t>(text_[i] == '\n') << (i - base_);
        }
        next_ = text_.size();
      }
    }
    const auto bit = static_cast<size_t>(std::countr_zero(mask_));
    mask_ &= mask_ - 1;
    return base_ + bit + 1;
  }

 private:
  std::string_view text_;
  size_t base_ = 0;  // where bit 0 of the mask stands
  size_t next_ = 0;  // what is not looked at yet
  uint64_t mask_ = 0;
};

// The length of the whole lines at the front of `text`: the position behind its
// last newline, 0 if it has none.
inline size_t WholeLines(std::string_view text) {
  size_t end = text.size();
  for (; end >= 64; end -= 64) {
    const uint64_t mask = EqualMask64(text.data() + end - 64, '\n');
    if (mask != 0) return end - static_cast<size_t>(std::countl_zero(mask));
  }
  while (end > 0 && text[end - 1] != '\n') --end;
  return end;
}

// How far a run of lines goes that all begin with a tab.
struct TabbedLines {
  size_t bytes = 0;
  uint64_t lines = 0;
};

// `text` holds whole lines.
TabbedLines TakeTabbedLines(std::string_view text);

}  // namespace pt2triage
