#include "record/trace_reader.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "line/line_cursor.h"

namespace pt2triage {
namespace {

// Of a named stream, of which there may be many, smaller buffers are kept.
constexpr size_t kUsualCost = size_t{8} << 10;

// An assignment would keep the buffers of strings.
template <class T>
void Free(T* value) {
  T empty;
  std::swap(*value, empty);
}

size_t CostOf(const Envelope& envelope, const TraceRecord& record) {
  size_t bytes = envelope.text.view().size() + envelope.name.size() +
                 envelope.artifact_name.size() +
                 2 * envelope.has_payload.size() +
                 envelope.stack.capacity() * sizeof(TraceFrame);
  for (const StackFrame& frame : record.stack) {
    bytes += sizeof(StackFrame) + frame.file.size() + frame.function.size() +
             frame.code.size();
  }
  return bytes;
}

}  // namespace

void ReadTorchVersion(std::string_view payload,
                      std::optional<std::string>* version) {
  PaddedText text;
  text.Assign(payload);
  JsonParser parser;
  const auto object = parser.ParseObject(text.view());
  if (!object) return;
  ForEachField(*object, [version](std::string_view key, JsonValue value) {
    if (key == "pytorch_version") *version = ReadString(value);
  });
}

// One writer's record that may still get payload lines.
struct TraceReader::Stream {
  // kEarly: the record was handed out before its payload had ended.
  enum class State : uint8_t { kNone, kRecord, kEarly, kMalformed };

  State state = State::kNone;
  bool orphans = false;  // payload lines that nothing announced
  bool cut = false;      // ... that came after the record was handed out
  Envelope envelope;
  Payload payload;
  TraceRecord record;
  uint64_t end = 0;        // of its last line
  uint64_t last_line = 0;  // that belongs to the record
  size_t cost = 0;         // bytes that the open envelope takes, about
  std::string copy;        // of the payload
  size_t copied = 0;       // bytes of it that are counted
};

TraceReader::TraceReader(uint32_t source, bool verify, ParseStats* stats,
                         std::function<void(TraceRecord&)> sink)
    : source_(source),
      verify_(verify),
      stats_(stats),
      sink_(std::move(sink)),
      unnamed_(std::make_unique<Stream>()) {}

TraceReader::~TraceReader() = default;

bool TraceReader::OnLine(std::string_view line, const Evidence& at,
                         std::string_view stream_name,
                         const LogHeader* header) {
  Stream* const stream =
      stream_name.empty() ? unnamed_.get() : FindStream(stream_name);
  // Pieces of one over-long line share its number and follow each other.
  if (at.line != 0 && at.line == stream->last_line &&
      at.offset >= stream->end) {
    return ContinueLine(line, at, stream);
  }
  bool ours = false;
  if (line.starts_with('\t')) {
    ours = OnPayloadLine(line.substr(1), at, stream);
  } else if (const auto prefix = header != nullptr
                                     ? ParseTracePrefix(line, *header)
                                     : ParseTracePrefix(line)) {
    ours = OnEnvelope(*prefix, at, stream);
  }
  if (ours) {
    stream->last_line = at.line;
    return true;
  }
  saw_plain_ = true;
  return false;
}

SkippedLines TraceReader::SkipPayload(std::string_view text,
                                      const Evidence& at) {
  SkippedLines skipped;
  Stream* const stream = unnamed_.get();
  const bool unread = stream->state == Stream::State::kRecord &&
                      stream->envelope.announces_payload &&
                      stream->payload.TakesRuns();
  if (!unread) return skipped;
  const TabbedLines taken = TakeTabbedLines(text);
  skipped = {taken.bytes, taken.lines};
  if (skipped.lines == 0) return skipped;
  TraceRecord& record = stream->record;
  if (record.payload_lines == 0) record.payload_offset = at.offset;
  record.payload_lines += skipped.lines;
  record.payload_interrupted |= at.offset != stream->end;
  stream->payload.AddRun(text.substr(0, skipped.bytes), skipped.lines);
  if (record.whole_payload != nullptr) CountCopied(stream);
  stream->end = at.offset + skipped.bytes;
  stream->last_line = at.line + skipped.lines - 1;
  return skipped;
}

bool TraceReader::ReadsPayload() const {
  return unnamed_->state == Stream::State::kRecord &&
         !unnamed_->payload.TakesRuns();
}

TraceReader::Stream* TraceReader::FindStream(std::string_view name) {
  const auto it = named_.find(name);
  if (it != named_.end()) return it->second.get();
  if (named_.size() >= kMaxStreams) Finish();
  return named_.emplace(std::string(name), std::make_unique<Stream>())
      .first->second.get();
}

bool TraceReader::OnPayloadLine(std::string_view line, const Evidence& at,
                                Stream* stream) {
  if (stream->state == Stream::State::kNone) return false;
  TraceRecord& record = stream->record;
  const bool announced = stream->state == Stream::State::kMalformed ||
                         stream->envelope.announces_payload;
  if (!announced) {
    if (saw_plain_) return false;  // rather some program's indented output
    if (!std::exchange(stream->orphans, true)) {
      stats_->Add(ParseIssue::kOrphanPayload, at);
    }
  }
  const uint64_t last_end = std::exchange(stream->end, at.offset + at.length);
  if (stream->state == Stream::State::kMalformed || !announced) {
    malformed_bytes_ += at.length;
    return true;
  }
  if (stream->state == Stream::State::kEarly) {
    if (!std::exchange(stream->cut, true)) {
      stats_->Add(ParseIssue::kTruncatedRecord, at,
                  "too many large records are open at once");
    }
    return true;
  }
  if (record.payload_lines++ == 0) record.payload_offset = at.offset;
  record.payload_interrupted |= at.offset != last_end;
  const size_t before = stream->payload.kept();
  stream->payload.AddLine(line);
  CountKept(before, stream->payload.kept());
  if (record.whole_payload != nullptr) CountCopied(stream);
  return true;
}

// A piece of a line that is too long to come whole.
bool TraceReader::ContinueLine(std::string_view text, const Evidence& at,
                               Stream* stream) {
  stream->end = at.offset + at.length;
  if (stream->state == Stream::State::kRecord && !stream->orphans) {
    const size_t before = stream->payload.kept();
    stream->payload.ContinueLine(text);
    CountKept(before, stream->payload.kept());
    if (stream->record.whole_payload != nullptr) CountCopied(stream);
  } else if (stream->state != Stream::State::kEarly || stream->orphans) {
    malformed_bytes_ += at.length;
  }
  return true;
}

bool TraceReader::OnEnvelope(const TracePrefix& prefix, const Evidence& at,
                             Stream* stream) {
  if (at.length >= EnvelopeParser::kMaxLength) {
    OpenMalformed(ParseIssue::kEnvelopeTooLong, at, stream);
    return true;
  }
  const bool readable = parser_.Parse(prefix.json, &next_);
  const bool sure = next_.has_context || next_.metadata.starts_with('{') ||
                    next_.metadata.starts_with('[');
  if (!sure && (!next_.issue || records_ == 0)) {
    return false;  // a log message that happens to be JSON
  }
  if (!readable || !sure) {
    OpenMalformed(next_.issue.value_or(ParseIssue::kBadEnvelope), at, stream);
    return true;
  }
  Close(stream);
  std::swap(stream->envelope, next_);
  Open(prefix, at, stream);
  stream->cost = CostOf(stream->envelope, stream->record);
  envelope_bytes_ += stream->cost;
  while (envelope_bytes_ - stream->cost > kMaxEnvelopes &&
         HandOutLargest(stream)) {
  }
  return true;
}

void TraceReader::OpenMalformed(ParseIssue issue, const Evidence& at,
                                Stream* stream) {
  Close(stream);
  stats_->Add(issue, at);
  malformed_bytes_ += at.length;
  stream->end = at.offset + at.length;
  stream->state = Stream::State::kMalformed;
}

void TraceReader::Open(const TracePrefix& prefix, const Evidence& at,
                       Stream* stream) {
  ++records_;
  Envelope& envelope = stream->envelope;
  // Bytes that are not UTF-8 are counted where lines are cut.
  if (envelope.issue && *envelope.issue != ParseIssue::kInvalidUtf8) {
    stats_->Add(*envelope.issue, at, envelope.name);
  }
  CountUnknown(envelope);
  TraceRecord& record = stream->record;
  record.process = prefix.process;
  record.time = prefix.time;
  record.location.assign(prefix.location);
  record.session = sessions_.Enter(prefix.process);
  if (envelope.interned_id) {
    bool stored = false;
    record.session = sessions_.Intern(*envelope.interned_id,
                                      envelope.interned_text, &stored);
    if (!stored) {
      stats_->Add(ParseIssue::kUnresolvedString, at,
                  "the intern table is full");
    }
    Free(&envelope.interned_text);
  }
  record.name = envelope.name;
  record.metadata_json = envelope.metadata;
  record.artifact_name = envelope.artifact_name;
  record.kind = envelope.kind;
  record.compile_id = envelope.compile_id;
  record.rank = envelope.rank;
  record.has_payload_md5 = envelope.has_payload;
  record.payload_offset = record.payload_length = record.payload_lines = 0;
  record.payload_interrupted = false;
  const uint8_t kept = TraceKind::kKeepPayload |
                       (for_tables_ ? TraceKind::kTabulatePayload : uint8_t{0});
  record.kept_payload = envelope.kind != nullptr && envelope.kind->Has(kept);
  record.payload.clear();
  record.damaged = envelope.issue.has_value();
  record.evidence = at;
  record.evidence.source = source_;
  ResolveStack(&envelope, record.evidence, &record);
  const bool copies = copies_ && envelope.announces_payload && copies_(record);
  record.whole_payload = copies ? &stream->copy : nullptr;
  record.payload_too_long = false;
  record.payload_md5.clear();
  stream->payload.Start(record.kept_payload, verify_, record.whole_payload);
  stream->orphans = stream->cut = false;
  stream->end = at.offset + at.length;
  stream->state = Stream::State::kRecord;
}

void TraceReader::ResolveStack(Envelope* envelope, const Evidence& at,
                               TraceRecord* record) {
  record->stack.clear();
  bool unresolved = false;
  for (TraceFrame& frame : envelope->stack) {
    if (const int64_t id = frame.file_id.value_or(-1); id >= 0) {
      const std::optional<std::string_view> file = sessions_.Find(id);
      frame.frame.file = file.value_or("");
      unresolved |= !file;
    }
    record->stack.push_back(std::move(frame.frame));
  }
  if (unresolved) {
    stats_->Add(ParseIssue::kUnresolvedString, at, std::string(record->name));
  }
}

void TraceReader::CountUnknown(const Envelope& envelope) {
  unknown_keys_ += envelope.unknown_keys;
  if (envelope.kind != nullptr) return;
  const std::string& name =
      envelope.artifact_name.empty() ? envelope.name : envelope.artifact_name;
  const auto it = unknown_names_.find(name);
  if (it != unknown_names_.end()) {
    ++it->second;
  } else if (unknown_names_.size() < kMaxUnknownNames) {
    unknown_names_.emplace(name.substr(0, 256), 1);
  }
}

// Hands out the record that takes most, the newest apart: one that waits for no
// payload if there is any, so that nothing is lost. False if there is none.
bool TraceReader::HandOutLargest(const Stream* newest) {
  Stream* largest = nullptr;
  auto look = [&](Stream* stream) {
    if (stream == newest || stream->state != Stream::State::kRecord) return;
    auto key = [](const Stream& s) {
      return std::tuple(!s.envelope.announces_payload, s.cost,
                        UINT64_MAX - s.record.evidence.offset);
    };
    if (largest == nullptr || key(*stream) > key(*largest)) largest = stream;
  };
  look(unnamed_.get());
  for (const auto& [name, stream] : named_) look(stream.get());
  if (largest == nullptr) return false;
  Close(largest, /*early=*/true);
  return true;
}

// `before` and `after`: what one payload keeps.
void TraceReader::CountKept(size_t before, size_t after) {
  payload_bytes_ += after - before;
  if (payload_bytes_ <= kMaxPayloads) return;
  // Leaves room, so that it is not done again for the next line.
  constexpr size_t kGoal = kMaxPayloads / 4 * 3;
  size_t limit = Payload::kMaxKept;
  auto sum = [&] {
    size_t bytes = std::min(unnamed_->payload.kept(), limit);
    for (const auto& [name, stream] : named_) {
      bytes += std::min(stream->payload.kept(), limit);
    }
    return bytes;
  };
  while (sum() > kGoal) limit /= 2;
  unnamed_->payload.LimitTo(limit);
  for (const auto& [name, stream] : named_) stream->payload.LimitTo(limit);
  payload_bytes_ = sum();
}

void TraceReader::Close(Stream* stream, bool early) {
  const Stream::State before = std::exchange(
      stream->state, early ? Stream::State::kEarly : Stream::State::kNone);
  if (before != Stream::State::kRecord) return;
  TraceRecord& record = stream->record;
  if (record.payload_lines != 0) {
    record.payload_length = stream->end - record.payload_offset;
    record.evidence.length = stream->end - record.evidence.offset;
  }
  if (stream->envelope.announces_payload && !early) CheckPayload(*stream);
  payload_bytes_ -= stream->payload.kept();
  if (record.kept_payload) record.payload = stream->payload.TakeText();
  if (record.whole_payload != nullptr) FinishCopy(stream);
  if (record.artifact_name == "torch_version") {
    ReadTorchVersion(record.payload, &torch_version_);
  }
  sink_(record);
  Free(&record.payload);
  if (record.whole_payload != nullptr) {
    constexpr size_t kUsual = size_t{1} << 20;
    stream->copy.capacity() > kUsual ? Free(&stream->copy)
                                     : stream->copy.clear();
  }
  envelope_bytes_ -= stream->cost;
  const size_t cost = std::exchange(stream->cost, 0);
  if (stream != unnamed_.get() && cost > kUsualCost) {
    const bool announced = stream->envelope.announces_payload;
    Free(&stream->envelope);
    Free(&stream->record);
    stream->envelope.announces_payload = announced;  // of one handed out early
  }
  stream->envelope.text.Shrink();
  parser_.Shrink();
}

void TraceReader::CountCopied(Stream* stream) {
  const size_t size = stream->copy.size();
  const size_t others = copied_ - stream->copied;
  if (size + others > max_copied_) {
    stream->record.payload_too_long = true;
    stream->copy.resize(max_copied_ - std::min(others, max_copied_));
  }
  stream->copied = stream->copy.size();
  copied_ = others + stream->copied;
}

void TraceReader::FinishCopy(Stream* stream) {
  TraceRecord& record = stream->record;
  const std::string& expected = record.has_payload_md5;
  record.payload_md5 = stream->payload.Checksum(expected);
  if (stream->payload.HasAddedReturns(expected)) {
    std::string& text = stream->copy;
    size_t kept = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool ends = i + 1 == text.size() || text[i + 1] == '\n';
      if (text[i] != '\r' || !ends) text[kept++] = text[i];
    }
    text.resize(kept);
  }
  copied_ -= std::exchange(stream->copied, 0);
}

void TraceReader::CheckPayload(const Stream& stream) {
  const TraceRecord& record = stream.record;
  if (record.payload_lines == 0) {
    stats_->Add(ParseIssue::kTruncatedRecord, record.evidence,
                "the payload is missing");
    return;
  }
  if (!verify_) return;
  const std::string sum = stream.payload.Checksum(record.has_payload_md5);
  if (sum != record.has_payload_md5) {
    stats_->Add(
        ParseIssue::kChecksumMismatch, record.evidence,
        record.has_payload_md5.substr(0, 64) + ", but the payload has " + sum);
  }
}

void TraceReader::Finish() {
  Close(unnamed_.get());
  std::vector<std::pair<uint64_t, Stream*>> open;
  for (const auto& [name, stream] : named_) {
    open.emplace_back(stream->record.evidence.offset, stream.get());
  }
  std::sort(open.begin(), open.end());
  for (const auto& [offset, stream] : open) Close(stream);
  named_.clear();
}

}  // namespace pt2triage
