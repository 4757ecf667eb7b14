#include "record/log_record.h"

#include <algorithm>
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

const RecordAssembler::Open* RecordAssembler::FindOpen(
    std::string_view process, std::string_view stream) const {
  auto same = [&](const Open& open) {
    return open.record.process == process && open.record.stream == stream;
  };
  if (last_ < open_.size() && same(open_[last_])) return &open_[last_];
  const auto found = std::find_if(open_.begin(), open_.end(), same);
  return found == open_.end() ? nullptr : &*found;
}

// The open record of a writer; a new or emptied one if it has none.
RecordAssembler::Open* RecordAssembler::Find(std::string_view process,
                                             std::string_view stream) {
  if (const Open* found = FindOpen(process, stream)) {
    last_ = static_cast<size_t>(found - open_.data());
    return &open_[last_];
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
  record.stamp.assign(line.time);
  record.path.assign(header.path);
  record.path_line.assign(header.path_line);
  record.compile_id = header.compile_id;
  record.artifact.assign(header.artifact);
  record.rank = line.rank;
  record.text.assign(header.body.substr(0, kMaxText));
  record.evidence = {source_, line.physical.number, line.physical.offset,
                     line.physical.length};
}

void RecordAssembler::OnLine(const Line& line, const LogHeader& header) {
  Open* open = Find(header.process, line.stream);
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

bool RecordAssembler::HasWanted() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const Open& open) { return open.wanted; });
}

bool RecordAssembler::OnDullRun(const DullRun& run) {
  size_t added = 0;
  for (size_t i = 0; i < run.used; ++i) {
    const Open* open = FindOpen(run.processes[i].name, {});
    if (open != nullptr && open->wanted) return false;
    added += open == nullptr ? 1 : 0;
  }
  if (open_.size() + added > kMaxOpen) return false;
  for (size_t i = 0; i < run.used; ++i) {
    const DullRun::Process& process = run.processes[i];
    Open* open = Find(process.name, {});
    open->used = ++clock_;
    const bool goes_on = open->identity == process.first;
    records_ += process.records - (goes_on ? 1 : 0);
    open->identity.assign(process.last);
    open->record.process.assign(process.name);
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
