#include "record/log_record.h"

#include <array>
#include <utility>

#include "base/strings.h"

namespace pt2triage {
namespace {

struct Opening {
  std::string_view artifact;
  std::string_view head;
};
// First lines of records that torch can write twice within a millisecond.
constexpr std::array<Opening, 6> kFirstLines = {{
    {"graph_breaks", "Graph break in user code at "},
    {"graph_breaks", "Graph break ("},
    {"graph_breaks", "Graph break: "},
    {"recompiles", "Recompiling function "},
    {"recompiles_verbose", "Recompiling function "},
    {"", "torch._dynamo hit config."},
}};

}  // namespace

bool StartsRecord(std::string_view artifact, std::string_view body) {
  for (const Opening& first : kFirstLines) {
    if (artifact == first.artifact && body.starts_with(first.head)) return true;
  }
  return false;
}

RecordAssembler::Open* RecordAssembler::Find(const Line& line,
                                             const LogHeader& header) {
  auto same = [&](const Open& open) {
    return open.record.process == header.process &&
           open.record.stream == line.stream;
  };
  if (last_ < open_.size() && same(open_[last_])) return &open_[last_];
  for (size_t i = 0; i < open_.size(); ++i) {
    if (same(open_[i])) {
      last_ = i;
      return &open_[i];
    }
  }
  if (open_.size() < kMaxOpen) {
    last_ = open_.size();
    open_.emplace_back();
    return &open_.back();
  }
  last_ = 0;
  for (size_t i = 1; i < open_.size(); ++i) {
    if (open_[i].used < open_[last_].used) last_ = i;
  }
  Close(&open_[last_]);
  return &open_[last_];
}

void RecordAssembler::Start(Open* open, const Line& line,
                            const LogHeader& header) {
  ++records_;
  open->identity.assign(header.identity);
  open->wanted = wanted_ == nullptr || wanted_(header);
  LogRecord& record = open->record;
  record.process.assign(header.process);
  record.stream.assign(line.stream);
  if (!open->wanted) return;
  record.level = header.level;
  record.time.assign(header.time);
  record.path.assign(header.path);
  record.path_line.assign(header.path_line);
  record.compile_id = header.compile_id;
  record.artifact.assign(header.artifact);
  record.rank = line.rank;
  record.text.assign(header.body);
  record.evidence = {source_, line.physical.number, line.physical.offset,
                     line.physical.length};
}

void RecordAssembler::OnLine(const Line& line, const LogHeader& header) {
  Open* open = Find(line, header);
  open->used = ++clock_;
  if (open->identity != header.identity ||
      StartsRecord(header.artifact, header.body)) {
    Close(open);
    Start(open, line, header);
    return;
  }
  if (!open->wanted) return;
  LogRecord& record = open->record;
  if (record.text.size() < kMaxText) {
    record.text += '\n';
    record.text.append(header.body.substr(0, kMaxText));
  }
  record.evidence.length =
      line.physical.offset + line.physical.length - record.evidence.offset;
}

bool RecordAssembler::OnDullLine(std::string_view identity,
                                 std::string_view process) {
  if (last_ >= open_.size()) return false;
  Open& open = open_[last_];
  if (open.wanted || !open.record.stream.empty() ||
      open.record.process != process) {
    return false;
  }
  open.used = ++clock_;
  if (open.identity != identity) {
    ++records_;
    open.identity.assign(identity);
  }
  return true;
}

void RecordAssembler::Close(Open* open) {
  if (open->wanted && !open->identity.empty()) sink_(open->record);
  open->identity.clear();
  open->wanted = false;
}

void RecordAssembler::Finish() {
  // In the order in which they began, as a reader would see them.
  while (true) {
    Open* first = nullptr;
    for (Open& open : open_) {
      if (open.identity.empty() || !open.wanted) continue;
      if (first == nullptr ||
          open.record.evidence.offset < first->record.evidence.offset) {
        first = &open;
      }
    }
    if (first == nullptr) return;
    Close(first);
  }
}

}  // namespace pt2triage
