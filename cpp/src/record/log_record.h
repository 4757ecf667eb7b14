// TORCH_LOGS records, rebuilt from their physical lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "line/decorations.h"
#include "pt2triage/compile_id.h"
#include "pt2triage/evidence.h"
#include "record/dull_lines.h"
#include "record/log_header.h"

namespace pt2triage {

// One message of torch's loggers. `text` joins the lines without prefixes.
struct LogRecord {
  char level = 0;
  std::string time;
  std::string stamp;  // the CI's time, empty if there is none
  std::string process;
  std::string path;
  std::string path_line;
  std::optional<CompileId> compile_id;
  std::string artifact;
  int32_t rank = -1;
  std::string stream;
  std::string text;
  Evidence evidence;  // first line to last line
};

// Joins lines of one record though other ranks and processes write between
// them: one record is open per writer (decorations and pid), and a line whose
// header differs from its writer's open record closes it. Two records of one
// call within a millisecond look like one, so known first lines split again.
// A record whose lines cannot matter (`wanted` says no) is counted and not
// stored. Keeps at most kMaxOpen records of kMaxText bytes each. Not
// thread-safe.
class RecordAssembler {
 public:
  static constexpr size_t kMaxOpen = 64;
  static constexpr size_t kMaxText = size_t{64} << 10;

  using Wanted = bool (*)(const LogHeader& header);
  using Sink = std::function<void(LogRecord&)>;

  // `wanted` nullptr keeps all records.
  RecordAssembler(uint32_t source, Wanted wanted, Sink sink)
      : source_(source), wanted_(wanted), sink_(std::move(sink)) {}

  void OnLine(const Line& line, const LogHeader& header);
  // The same for lines without decorations of records that nobody wants. False,
  // and nothing is done, if one of their processes has a wanted record open.
  bool OnDullRun(const DullRun& run);
  // Closes what `stream` has open (plain text of the same writer follows).
  void Finish();
  // True if a record that somebody wants is open.
  bool HasWanted() const;
  uint64_t records() const { return records_; }

 private:
  struct Open {
    std::string identity;
    bool wanted = false;
    uint64_t used = 0;  // for eviction
    LogRecord record;
  };
  Open* Find(std::string_view process, std::string_view stream);
  const Open* FindOpen(std::string_view process, std::string_view stream) const;
  void Start(Open* open, const Line& line, const LogHeader& header);
  void Close(Open* open);

  uint32_t source_;
  Wanted wanted_;
  Sink sink_;
  std::vector<Open> open_;
  size_t last_ = 0;  // index of the record written last
  uint64_t clock_ = 0;
  uint64_t records_ = 0;
};

// How Dynamo begins to tell that it gave up on a frame, at INFO or WARNING; the
// frame follows: `WON'T CONVERT f /path/file.py line 12`.
inline constexpr std::string_view kWontConvert = "WON'T CONVERT ";

// True if a record of this artifact that begins with `body` is a new record
// even when its header equals that of the line before.
bool StartsRecord(std::string_view artifact, std::string_view body);

}  // namespace pt2triage
