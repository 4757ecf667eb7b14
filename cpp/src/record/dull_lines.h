// Runs of lines that cannot matter, recognised without the state of a scan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "record/dull_headers.h"

namespace pt2triage {

// What makes a line matter while no record, traceback or test section is open.
// All of it is free of state, so any thread may ask.
struct DullRules {
  // True if a log record of this header is one that somebody wants.
  bool (*wanted)(const LogHeader& header);
  // True if no plain line of these whole lines matters, those apart whose
  // beginning, decorations taken off, is telling.
  bool (*quiet)(std::string_view lines);
  // The same for one line without decorations.
  bool (*quiet_line)(std::string_view text);
  bool (*telling)(std::string_view text);
  // How telling lines begin.
  const std::array<bool, 256>* telling_first;
  // True if one of the lines may tell that a test has passed, which matters if
  // it failed before.
  bool (*verdicts)(std::string_view lines);
};

// Some whole lines, none of which matters.
struct DullRun {
  // The records of one process among them.
  struct Process {
    std::string name;
    std::string first;     // the identity of its first record
    std::string last;      // ... and of its last one
    uint64_t records = 0;  // runs of lines of one identity
  };

  size_t bytes = 0;
  uint64_t lines = 0;
  uint64_t plain = 0;  // bytes of lines that are no record's
  bool verdicts = false;
  bool text = false;         // a plain line is not empty
  bool blank_first = false;  // an empty one comes before any such
  // The first and the last time of a CI; views into the text.
  std::string_view first_stamp;
  std::string_view last_stamp;
  size_t used = 0;                 // of `processes`
  std::vector<Process> processes;  // by their last lines; kept for their memory

  void NoteStamp(std::string_view stamp) {
    if (first_stamp.empty()) first_stamp = stamp;
    last_stamp = stamp;
  }
  void Clear() {
    bytes = used = 0;
    lines = plain = 0;
    verdicts = text = blank_first = false;
    first_stamp = last_stamp = {};
  }
};

// Takes such runs off the front of a text: known headers of records that nobody
// wants by one compare, plain text by vectorised looks at blocks. Owns its memo
// of headers; borrows the rules. Not thread-safe. Cost: a few instructions for
// a byte, a few dozen for a line.
class DullLines {
 public:
  static constexpr size_t kMaxProcesses = 16;
  // Text is looked over in blocks of up to this size; the first one is smaller,
  // so that where many lines matter few are looked at again and again.
  static constexpr size_t kBlock = 4096;

  explicit DullLines(const DullRules& rules);

  // How plain lines that may be a test's verdict, and empty ones, are taken.
  struct Verdicts {
    bool note = false;  // `DullRun::verdicts` is to say whether there are any
    // Says whether such a line matters; null: none does.
    const std::function<bool(std::string_view)>* watched = nullptr;
    bool blanks = false;  // empty lines matter up to one that is not
  };

  // Adds to `*run` the lines at the front of `text`, which holds whole lines
  // only, up to the first one that may matter. `trace` says that lines that
  // begin with a tab may be payload.
  void Take(std::string_view text, bool trace, const Verdicts& verdicts,
            DullRun* run);

 private:
  enum class Quiet : uint8_t { kUnknown, kYes, kNo };
  enum class Fate : uint8_t { kMatters, kRecord, kPlain };

  bool TakeBlock(std::string_view block, bool trace, const Verdicts& verdicts,
                 DullRun* run);
  Fate FateOf(std::string_view text, uint8_t front, std::string_view rest,
              bool trace, Quiet* quiet, DullRun* run);
  Fate FateOfHeader(std::string_view text, size_t time, DullRun* run);
  bool IsReadAlone(std::string_view block) const;
  bool IsDullPlain(std::string_view text, uint8_t front, std::string_view rest,
                   Quiet* quiet) const;

  DullRules rules_;
  DullHeaders headers_;
  // What can begin with a character, decorations but for the time taken off.
  static constexpr uint8_t kHeader = 1;
  static constexpr uint8_t kPayload = 2;
  static constexpr uint8_t kDecorated = 4;
  static constexpr uint8_t kTelling = 8;
  std::array<uint8_t, 256> fronts_{};
};

// True if nothing of `text` has to be counted or repaired: it is UTF-8 without
// control characters.
bool IsCleanText(std::string_view text);

}  // namespace pt2triage
