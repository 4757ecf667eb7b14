// The payload of the trace record that is being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/md5.h"

namespace pt2triage {

// Collects payload lines: counts them, keeps their text if it is wanted, and
// computes the checksum if it is to be verified. A text beyond kMaxKept keeps
// its beginning and its end with a note between: tracebacks name the exception
// last. Where many payloads are open, their owner lets each keep less. Reused
// from record to record. Not thread-safe. Cost: a few instructions per line,
// plus a copy if kept and MD5 if verified.
class Payload {
 public:
  static constexpr size_t kMaxKept = size_t{256} << 10;

  // Begins a new payload. All of its text is appended to `copy` unless that is
  // null, as written, and it is verified then.
  void Start(bool keep, bool verify, std::string* copy = nullptr);
  // A line without its tab and newline, with its carriage return if it has one.
  void AddLine(std::string_view line);
  // True if the text is not kept, so that many lines can be taken at once.
  bool TakesRuns() const { return !keep_; }
  // `text` is that many whole lines, each with its tab and newline.
  void AddRun(std::string_view text, uint64_t lines);
  // More of the last line, where a very long one comes in pieces.
  void ContinueLine(std::string_view text);
  uint64_t lines() const { return lines_; }
  // The checksum: that of the bytes as written or, of a file whose line ends
  // were turned into CRLF, of the bytes before that. Empty if not verified.
  std::string Checksum(std::string_view expected) const;
  // True if the text has the checksum only without carriage returns.
  bool HasAddedReturns(std::string_view expected) const;
  // How many bytes are kept now.
  size_t kept() const { return head_.size() + tail_.size(); }
  // If more than `size` bytes are kept, keeps no more than that from now on.
  void LimitTo(size_t size);
  // The kept text; a carriage return at the end of every line is dropped.
  // Leaves nothing kept.
  std::string TakeText();

 private:
  void Keep(std::string_view text);
  void Sum(std::string_view run);
  void CutTail();

  std::string* copy_ = nullptr;
  bool keep_ = false;
  bool verify_ = false;
  bool all_crlf_ = true;
  uint64_t lines_ = 0;
  uint64_t left_out_ = 0;
  std::string sum_buffer_;
  size_t half_ = kMaxKept / 2;  // as much is kept of each end
  std::string head_;
  std::string tail_;  // up to twice as long
  Md5 as_written_;
  std::optional<Md5> without_cr_;  // once a line ends in a carriage return
};

}  // namespace pt2triage
