// The report that torch.export's draft mode prints.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "event/traceback.h"
#include "pt2triage/event.h"

namespace pt2triage {

// Reads the numbered items of a draft-export report (torch/export/
// _draft_export.py, 2.6 on) line by line; each gives a kExportIssue event with
// its kind as `name`, its heading as `message`, what it is about as `reason`
// and the user's stack as `frames`. Bounded; not thread-safe.
class DraftReportParser {
 public:
  using Sink = std::function<void(Event)>;
  explicit DraftReportParser(Sink sink) : sink_(std::move(sink)) {}

  // True if the line belongs to a report.
  bool OnLine(const TextLine& line);
  void Finish();
  bool active() const { return active_; }

 private:
  bool OnItem(std::string_view text, const TextLine& line);
  void OnDetail(std::string_view text);
  void Flush();

  Sink sink_;
  bool active_ = false;
  bool in_user_stack_ = false;
  bool want_code_ = false;
  std::optional<Event> item_;
};

}  // namespace pt2triage
