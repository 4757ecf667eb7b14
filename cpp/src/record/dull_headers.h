// Remembers the headers of log records, and whether anybody wants them.
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
  enum class State : uint8_t {
    kUnknown,
    kDull,     // its record is not wanted, whatever the line says
    kMatters,  // its record is wanted, or the line may open one that is
  };
  struct Known {
    State state = State::kUnknown;
    // Views into the line: its record's identity, as in LogHeader, and the part
    // of it that names the process.
    std::string_view identity;
    std::string_view process;
  };

  // What is known of the header at the front of `line`, whose first `time`
  // bytes are its time (DullTimeLength).
  Known Find(std::string_view line, size_t time) const;
  // Remembers `header`, which stands at the front of `line`.
  void Add(std::string_view line, const LogHeader& header, bool wanted);
  // True if `line` begins like a record of a trace, as far as this can tell.
  static bool IsEnvelope(std::string_view line);

 private:
  static constexpr size_t kSlots = 256;
  static constexpr size_t kMaxTail = 256;

  struct Slot {
    std::string tail;    // the identity behind the time
    size_t process = 0;  // its length, behind the tail's first blank
    bool artifact = false;
    bool wanted = false;
  };
  static size_t SlotOf(std::string_view line, size_t bracket);

  std::array<Slot, kSlots> slots_;
};

}  // namespace pt2triage
