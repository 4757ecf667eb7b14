#include "event/trace_events.h"

namespace pt2triage {

void TraceEventBuilder::OnRecord(const TraceRecord& record) {
  if (record.kind == nullptr || record.kind->flags == 0) return;
  std::unique_ptr<TraceProcess>& process = processes_[record.session];
  if (process == nullptr) {
    process = std::make_unique<TraceProcess>(&sink_);
    if (processes_.size() > kMaxProcesses) {
      const auto oldest = processes_.begin();
      oldest->second->Finish();
      processes_.erase(oldest);
    }
  }
  process->OnRecord(record, &parser_);
}

void TraceEventBuilder::Finish() {
  for (const auto& [session, process] : processes_) process->Finish();
  processes_.clear();
}

}  // namespace pt2triage
