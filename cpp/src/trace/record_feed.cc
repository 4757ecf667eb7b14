#include "trace/record_feed.h"

#include <utility>

#include "event/text_events.h"
#include "event/trace_facts.h"

namespace pt2triage {

RecordFeed::RecordFeed(std::vector<std::string> names,
                       std::vector<std::string> without, size_t max_payload)
    : names_(names.begin(), names.end()),
      without_(without.begin(), without.end()),
      stream_(
          [](const LogHeader&) { return false; },
          /*verify=*/false, &stats_,
          {[](LogRecord&) {}, [this](TraceRecord& record) { OnRecord(record); },
           [](const Line&) {}, nullptr, &TextEventBuilder::Rules(),
           [] { return Attention{}; }, nullptr, [] {}, true}) {
  stream_.trace().CopyPayloads(
      [this](const TraceRecord& record) { return Wants(record); },
      max_payload == 0 ? kMaxPayload : max_payload);
}

void RecordFeed::Begin() {
  constexpr size_t kSniffed = 4096;
  begun_ = true;
  const std::string first = std::exchange(head_, {});
  std::string_view rest = first;
  const Encoding encoding = SniffEncoding(rest.substr(0, kSniffed));
  if (encoding == Encoding::kUtf16Be || encoding == Encoding::kUtf16Le) {
    utf16_.emplace(encoding == Encoding::kUtf16Be);
    rest.remove_prefix(2);
  }
  Feed(rest);
}

void RecordFeed::Feed(std::string_view chunk) {
  if (!begun_) {
    head_.append(chunk);
    if (head_.size() >= 4096) Begin();
  } else if (utf16_) {
    decoded_.clear();
    utf16_->Decode(chunk, &decoded_);
    stream_.Feed(decoded_);
  } else {
    stream_.Feed(chunk);
  }
}

void RecordFeed::Finish() {
  if (!begun_) Begin();
  if (utf16_) {
    decoded_.clear();
    utf16_->Finish(&decoded_);
    stream_.Feed(decoded_);
  }
  stream_.Finish();
}

bool RecordFeed::Wants(const TraceRecord& record) const {
  if (without_.contains(record.name) ||
      without_.contains(record.artifact_name)) {
    return false;
  }
  return names_.empty() || names_.contains(record.name) ||
         names_.contains(record.artifact_name);
}

void RecordFeed::OnRecord(TraceRecord& record) {
  const auto process = static_cast<int64_t>(sessions_.size());
  const auto [session, is_new] = sessions_.try_emplace(record.session, process);
  if (!Wants(record)) return;
  FullRecord& full = records_.emplace_back();
  full.process = session->second;
  if (record.rank >= 0) full.rank = record.rank;
  full.pid = record.process;
  full.time = record.time;
  full.location = record.location;
  if (record.compile_id) {
    full.compile_id = WithoutAttempt(*record.compile_id).ToString();
    full.attempt = record.compile_id->attempt;
  }
  full.record = record.name;
  full.name = record.artifact_name;
  full.metadata = record.metadata_json;
  full.stack = record.stack;
  full.has_payload = record.payload_lines > 0;
  if (record.whole_payload != nullptr) {
    full.payload = std::move(*record.whole_payload);
    record.whole_payload->clear();
  }
  full.too_long = record.payload_too_long;
  full.checksum = record.has_payload_md5;
  full.md5 = record.payload_md5;
  full.line = record.evidence.line;
  full.offset = record.evidence.offset;
}

std::vector<FullRecord> RecordFeed::Take() {
  return std::exchange(records_, {});
}

}  // namespace pt2triage
