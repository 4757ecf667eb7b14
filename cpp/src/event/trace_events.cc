#include "event/trace_events.h"

#include <algorithm>

namespace pt2triage {

void TraceEventBuilder::OnRecord(const TraceRecord& record) {
  if (record.kind == nullptr || record.kind->flags == 0) return;
  std::unique_ptr<TraceProcess>& process = processes_[record.session];
  if (process == nullptr) {
    process = std::make_unique<TraceProcess>(&sink_);
    if (processes_.size() > kMaxProcesses) {
      auto oldest = processes_.begin();
      if (oldest->second == process) ++oldest;  // it came back
      oldest->second->Finish();
      name_bytes_ -= oldest->second->name_bytes();
      processes_.erase(oldest);
    }
  }
  const size_t before = process->name_bytes();
  process->OnRecord(record, &parser_);
  name_bytes_ += process->name_bytes() - before;
  if (name_bytes_ > kMaxNameBytes) LimitNames();
}

void TraceEventBuilder::LimitNames() {
  const auto most = std::max_element(
      processes_.begin(), processes_.end(), [](const auto& a, const auto& b) {
        return a.second->name_bytes() < b.second->name_bytes();
      });
  name_bytes_ -= most->second->name_bytes();
  most->second->ForgetNames();
}

void TraceEventBuilder::Finish() {
  for (const auto& [session, process] : processes_) process->Finish();
  processes_.clear();
}

}  // namespace pt2triage
