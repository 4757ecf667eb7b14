// The records of a trace with their payloads, for those who want the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "io/encoding.h"
#include "pt2triage/evidence.h"
#include "record/record_stream.h"

namespace pt2triage {

// One record, with all that it says. `process` counts the processes of the
// source as ProcessRow does.
struct FullRecord {
  int64_t process = 0;
  std::optional<int32_t> rank;
  std::string pid;
  std::string time;
  std::string location;
  std::string compile_id;  // without the attempt; empty: none
  std::optional<int64_t> attempt;
  std::string record;
  std::string name;      // of an artifact; else empty
  std::string metadata;  // JSON
  std::vector<StackFrame> stack;
  bool has_payload = false;
  std::string payload;
  bool too_long = false;  // the end of the payload is missing
  std::string checksum;   // that the record states
  std::string md5;        // of the payload
  uint64_t line = 0;
  uint64_t offset = 0;
};

// Push reader: records come out of Feed() once they are whole. Owns what it
// keeps: one payload of at most `max_payload` bytes, and the records until they
// are taken. Not thread-safe. Cost: that of a scan, and MD5 and a copy of the
// payloads that are wanted.
class RecordFeed {
 public:
  static constexpr size_t kMaxPayload = size_t{256} << 20;
  // `names` of records and artifacts that are wanted, all if there are none,
  // but those `without`. A `max_payload` of 0 is kMaxPayload.
  RecordFeed(std::vector<std::string> names, std::vector<std::string> without,
             size_t max_payload);
  RecordFeed(const RecordFeed&) = delete;
  RecordFeed& operator=(const RecordFeed&) = delete;

  void Feed(std::string_view chunk);
  void Finish();
  // The records since the last call.
  std::vector<FullRecord> Take();
  // How many processes were seen.
  size_t processes() const { return sessions_.size(); }

 private:
  bool Wants(const TraceRecord& record) const;
  void OnRecord(TraceRecord& record);
  void Begin();

  const std::set<std::string, std::less<>> names_;
  const std::set<std::string, std::less<>> without_;
  ParseStats stats_;
  RecordStream stream_;
  FlatMap<uint32_t, int64_t> sessions_;
  std::vector<FullRecord> records_;
  bool begun_ = false;
  std::string head_;  // bytes that wait to be sniffed
  std::string decoded_;
  std::optional<Utf16Decoder> utf16_;
};

}  // namespace pt2triage
