// What can stand before a line's text, one function for each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pt2triage {

// What a peeler found: the bytes to take off the front, and what they say.
struct Peel {
  size_t length = 0;         // 0: no match
  std::string_view stream;   // part that names the writer
  std::string_view channel;  // stdout or stderr, as the runtime names it
  std::string_view time;     // an IsoTime
  int32_t rank = -1;
  bool pytest = false;
  bool quote = false;
};

// A CI's or a container runtime's time at the front of a line, and what tells
// whether the line is whole.
struct Stamp {
  enum class Line : uint8_t {
    kWhole,
    kPart,   // CRI's P: the next line of the stream goes on
    kTold,   // GitLab: the next line tells
    kGoesOn  // GitLab's +: goes on from the last line of its stream
  };
  size_t length = 0;  // 0: none
  std::string_view time;
  std::string_view stream;  // stdout, stderr, or GitLab's 01O
  Line line = Line::kWhole;
};
// Without brackets.
Stamp ReadStamp(std::string_view text);

Peel PeelBom(std::string_view s);
Peel PeelIsoTime(std::string_view s);
Peel PeelClock(std::string_view s);
Peel PeelJournal(std::string_view s);
Peel PeelRank(std::string_view s);
Peel PeelPod(std::string_view s);
Peel PeelWorker(std::string_view s);
Peel PeelAppLogger(std::string_view s);
Peel PeelRunnerCommand(std::string_view s);
Peel PeelPytest(std::string_view s);
Peel PeelQuote(std::string_view s);

}  // namespace pt2triage
