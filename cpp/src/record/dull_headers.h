// Knows the headers of records that nobody wants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "record/log_header.h"

namespace pt2triage {

// Most of a verbose log is the same few headers again and again, with another
// time. This remembers them, so that a line that begins with one need not be
// parsed: a look at the shape of the time and one compare. Owns at most kSlots
// headers of kMaxTail bytes. Not thread-safe.
class DullHeaders {
 public:
  // Of a line: its record's identity, as in LogHeader, and the part of it that
  // names the process. Views into the line.
  struct Known {
    std::string_view identity;
    std::string_view process;
  };

  // The header at the front of `line`, if it is known and no word of the line
  // can make its record wanted; an empty identity otherwise.
  Known Find(std::string_view line) const;
  // Remembers the header at the front of `line`, whose record is not wanted.
  void Add(std::string_view line, const LogHeader& header);

 private:
  static constexpr size_t kSlots = 256;
  static constexpr size_t kMaxTail = 256;

  struct Slot {
    std::string tail;    // the identity behind the time
    size_t process = 0;  // its length, behind the tail's first blank
    bool artifact = false;
  };
  static size_t SlotOf(std::string_view line, size_t bracket);

  std::array<Slot, kSlots> slots_;
};

}  // namespace pt2triage
