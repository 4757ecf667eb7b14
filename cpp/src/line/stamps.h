// Times that CI systems, container runtimes and torch print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pt2triage {

// A time with its date and zone at the front of a text, RFC 3339:
// 2025-04-17T06:19:22.0392577Z or ...+02:00; length 0 if there is none.
struct IsoTime {
  size_t length = 0;
  size_t fraction = 0;  // digits
  bool utc = false;     // ends in Z
};
IsoTime ReadIsoTime(std::string_view text);

// The same in UTC with its fraction as printed; empty if `text` does not begin
// with one.
std::string UtcTime(std::string_view text);
// Of a number of milliseconds or microseconds since 1970.
std::string UtcTimeOfMillis(int64_t millis);
std::string UtcTimeOfMicros(int64_t micros);

// A time that torch printed, as ISO 8601. The year that it leaves out is the
// one that puts it nearest to `stamp`, an RFC 3339 time. It ends in Z where the
// two differ by so little that the job's clock must run in UTC; else its zone
// is not known. Empty if one of them cannot be read.
//   1129 15:22:18.930000      2026-11-29 15:42:12,872
std::string DatedTorchTime(std::string_view torch, std::string_view stamp);

}  // namespace pt2triage
