// Rebuilds lines whose text is no slice of their source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "line/line_splitter.h"
#include "line/peelers.h"

namespace pt2triage {

// What a program wrote as one line, and what the wrapping tells of it.
struct WrappedLine {
  PhysicalLine line;  // text: rebuilt; the place is that of all its parts
  std::string_view time;
  std::string_view stream;
  std::string_view channel;
  uint64_t bytes = 0;  // of the source that are done with
};

// Undoes what container runtimes, journals and runners do to lines:
//   docker's json-file  {"log":"text\n","stream":"stderr","time":"..."}, a long
//                       line in several
//   journalctl -o json  {"MESSAGE":"text", "__REALTIME_TIMESTAMP":"..."}, bytes
//                       as an array of numbers
//   CRI                 `... stderr P text`: goes on in the next of its stream
//   GitLab              `... 01O+text`: goes on from the last of its stream
// A part waits for the rest of its line, at most kMaxHeld of them with
// LineSplitter::kMaxLine bytes together; what is longer comes in pieces. Owns
// its buffers; what it hands out is good during the call. Not thread-safe. A
// line that is not wrapped costs a look at its first character, or at its time.
class WrappedLines {
 public:
  using Sink = std::function<void(const WrappedLine&)>;
  static constexpr size_t kMaxHeld = 8;

  explicit WrappedLines(Sink sink) : sink_(std::move(sink)) {}

  // False if the line is to be read as it is. `bytes` of a line that is taken
  // come with a later WrappedLine, at the latest at Finish().
  bool OnLine(const PhysicalLine& line);
  void Finish();
  // A part waits, so the next line matters.
  bool holds() const { return !held_.empty(); }

  // True if OnLine() may take a line that begins like this; it is asked often.
  static bool MayTake(std::string_view text) {
    return text.starts_with("{\"") && MayTakeJson(text);
  }

 private:
  enum class Kind : uint8_t { kDocker, kCri, kGitlab };
  struct Held {
    Kind kind = Kind::kDocker;
    std::string channel;
    std::string time;
    std::string text;
    PhysicalLine first;
    uint64_t bytes = 0;
    uint64_t end = 0;  // offset behind the last part
  };

  static bool MayTakeJson(std::string_view text);
  bool OnDocker(const PhysicalLine& line);
  bool OnJournal(const PhysicalLine& line);
  bool OnStamped(const PhysicalLine& line, const Stamp& stamp);
  size_t Find(Kind kind, std::string_view channel) const;
  void Hold(const PhysicalLine& line, std::string_view text, Held held);
  bool Append(const PhysicalLine& line, std::string_view text, size_t at);
  void Release(size_t at);
  void ReleaseGitlab(size_t end);
  void Emit(WrappedLine wrapped, std::string_view text);

  Sink sink_;
  std::vector<Held> held_;  // by their first lines
  size_t held_bytes_ = 0;
  std::string text_;
  std::string time_;
  std::string writer_;
};

}  // namespace pt2triage
