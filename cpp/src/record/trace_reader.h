// Finds the records of a structured trace in a stream of lines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "pt2triage/evidence.h"
#include "pt2triage/parse_stats.h"
#include "record/envelope.h"
#include "record/payload.h"
#include "record/trace_record.h"
#include "record/trace_sessions.h"

namespace pt2triage {

// Sets `*version` to the `pytorch_version` in the payload of a `torch_version`;
// nullopt for one that is no text. Leaves it where there is none.
void ReadTorchVersion(std::string_view payload,
                      std::optional<std::string>* version);

// What SkipPayload() took.
struct SkippedLines {
  uint64_t bytes = 0;
  uint64_t lines = 0;
};

// Push reader: takes lines one at a time, hands each record out when the next
// one of its stream begins. An envelope opens a record; lines that start with
// a tab are its payload; other lines in between are not ours and leave it open.
// A damaged envelope is repaired and read as far as it goes, or counted with
// its payload as malformed; neither hides the records after it.
//
// Owns its buffers: one envelope and the kept part of one payload per stream,
// and the intern tables. Envelopes but the newest take at most kMaxEnvelopes in
// all, else some are handed out before the next record of their stream: first
// those without payload, of which nothing is lost. Kept payloads take at most
// kMaxPayloads in all, else each keeps less of its middle. Borrows `stats`. Not
// thread-safe. Cost: a payload line that nobody keeps is one compare and a few
// additions; an envelope is one simdjson pass.
class TraceReader {
 public:
  static constexpr size_t kMaxStreams = 256;
  static constexpr size_t kMaxUnknownNames = 256;
  static constexpr size_t kMaxEnvelopes = size_t{2} << 20;  // bytes
  static constexpr size_t kMaxPayloads = size_t{2} << 20;

  TraceReader(uint32_t source, bool verify, ParseStats* stats,
              std::function<void(TraceRecord&)> sink);
  ~TraceReader();

  // Hands out with each record what tables ask for, too; before the first line.
  void ReadForTables() {
    for_tables_ = true;
    parser_.ReadForTables();
  }
  // Hands out with each record that `wanted` takes all of its payload. Open
  // payloads take at most `max_bytes` in all; what is more is cut off.
  void CopyPayloads(std::function<bool(const TraceRecord&)> wanted,
                    size_t max_bytes) {
    copies_ = std::move(wanted);
    max_copied_ = max_bytes;
  }
  // `line` is the text without its newline and decorations, `at` the physical
  // line; a line too long to come whole comes in pieces with one line number.
  // `stream` tells interleaved writers apart (a rank prefix) where the
  // text around the trace has one. True if the line belongs to the trace.
  // `header`, if given, is that at the front of the line.
  bool OnLine(std::string_view line, const Evidence& at,
              std::string_view stream = {}, const LogHeader* header = nullptr);
  // Takes whole lines off the front of `text` (which begins at `at`) as long as
  // they are payload that nobody keeps; `text` holds whole lines only. The same
  // as OnLine() on each of them, at the speed of memchr.
  SkippedLines SkipPayload(std::string_view text, const Evidence& at);
  // True if the text of the payload that is open matters to somebody.
  bool ReadsPayload() const;
  // Text that is no trace's stands between: a tab may be any program's.
  void NotePlain() { saw_plain_ = true; }
  // Hands out what is still open.
  void Finish();

  uint64_t records() const { return records_; }
  // Bytes of lines that OnLine() took but that no record could be made of.
  uint64_t malformed_bytes() const { return malformed_bytes_; }
  // Keys of envelopes that no known PyTorch writes.
  uint64_t unknown_keys() const { return unknown_keys_; }
  // How often each unknown record or artifact name came, as far as kept.
  const FlatMap<std::string, uint64_t>& unknown_names() const {
    return unknown_names_;
  }
  // As the trace states it; absent before PyTorch 2.10.
  const std::optional<std::string>& torch_version() const {
    return torch_version_;
  }

 private:
  struct Stream;

  Stream* FindStream(std::string_view name);
  bool OnPayloadLine(std::string_view line, const Evidence& at, Stream* stream);
  bool ContinueLine(std::string_view text, const Evidence& at, Stream* stream);
  bool OnEnvelope(const TracePrefix& prefix, const Evidence& at,
                  Stream* stream);
  void Open(const TracePrefix& prefix, const Evidence& at, Stream* stream);
  void OpenMalformed(ParseIssue issue, const Evidence& at, Stream* stream);
  void Close(Stream* stream, bool early = false);
  bool HandOutLargest(const Stream* newest);
  void CountKept(size_t before, size_t after);
  void CheckPayload(const Stream& stream);
  void CountCopied(Stream* stream);
  void FinishCopy(Stream* stream);
  void ResolveStack(Envelope* envelope, const Evidence& at,
                    TraceRecord* record);
  void CountUnknown(const Envelope& envelope);

  const uint32_t source_;
  const bool verify_;
  bool for_tables_ = false;
  std::function<bool(const TraceRecord&)> copies_;
  size_t max_copied_ = 0;
  size_t copied_ = 0;  // by payloads that are open
  ParseStats* const stats_;
  const std::function<void(TraceRecord&)> sink_;
  EnvelopeParser parser_;
  Envelope next_;  // scratch
  TraceSessions sessions_;
  std::unique_ptr<Stream> unnamed_;
  FlatMap<std::string, std::unique_ptr<Stream>> named_;
  bool saw_plain_ = false;     // other text is mixed in
  size_t envelope_bytes_ = 0;  // of open records
  size_t payload_bytes_ = 0;
  uint64_t records_ = 0;
  uint64_t malformed_bytes_ = 0;
  uint64_t unknown_keys_ = 0;
  FlatMap<std::string, uint64_t> unknown_names_;
  std::optional<std::string> torch_version_;
};

}  // namespace pt2triage
