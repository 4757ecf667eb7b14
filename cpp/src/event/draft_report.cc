#include "event/draft_report.h"

#include <array>
#include <utility>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/frames.h"

namespace pt2triage {
namespace {

constexpr std::string_view kHead =
    " issue(s) found during export, and it was not able to soundly produce";
constexpr size_t kMaxFrames = 200;

struct ItemText {
  std::string_view heading;
  std::string_view name;
};
constexpr std::array<ItemText, 4> kItems = {{
    {"Missing fake kernel.", "missing-fake-kernel"},
    {"Mismatched fake kernel.", "mismatched-fake-kernel"},
    {"Data dependent error.", "data-dependent"},
    {"Guard Added.", "guard-added"},
}};

PT2TRIAGE_WATCH_TABLE(kItems, row.heading);

// The sentences that say what an item is about.
constexpr std::array<std::string_view, 4> kSubjects = {{
    "we were unable to evaluate the value of ",
    "Specifically, this guard was added: ",
    " is missing a fake kernel implementation",
    "The reason for the mismatch is: ",
}};

}  // namespace

bool DraftReportParser::OnLine(const TextLine& line) {
  std::string_view text = TrimRight(line.text);
  if (!active_) {
    active_ = text.starts_with("WARNING: ") && Contains(text, kHead);
    return active_;
  }
  if (text.empty() || text == ":") return true;
  if (OnItem(text, line)) return true;
  if (item_ && Indent(text) > 0) {
    OnDetail(text);
    item_->evidence.length =
        line.at.offset + line.at.length - item_->evidence.offset;
    return true;
  }
  bool heading = text.starts_with("Please follow the instructions") ||
                 text.find_first_not_of('#') == std::string_view::npos;
  if (heading && !item_) return true;
  Finish();
  return false;
}

// `2. Guard Added.`
bool DraftReportParser::OnItem(std::string_view text, const TextLine& line) {
  std::string_view s = text;
  if (ConsumeDigits(&s).empty() || !Consume(&s, ". ")) return false;
  for (const ItemText& item : kItems) {
    if (s != item.heading) continue;
    NoteRule(&item);
    Flush();
    item_.emplace();
    item_->kind = EventKind::kExportIssue;
    item_->name.assign(item.name);
    item_->message.assign(text);
    item_->evidence = line.at;
    in_user_stack_ = false;
    return true;
  }
  return false;
}

void DraftReportParser::OnDetail(std::string_view text) {
  std::string_view s = Trim(text);
  for (std::string_view subject : kSubjects) {
    if (item_->reason.empty() && Contains(s, subject)) {
      item_->reason.assign(s.substr(0, 2000));
      if (item_->reason.ends_with('.')) item_->reason.pop_back();
    }
  }
  if (s.starts_with("This occurred at the following")) {
    in_user_stack_ = true;
    want_code_ = false;
  } else if (s.starts_with("Locals:") || s.starts_with("And the following")) {
    in_user_stack_ = false;
  } else if (in_user_stack_) {
    if (std::optional<FrameMatch> match = ParseFrame(text)) {
      if (item_->frames.size() < kMaxFrames) {
        item_->frames.push_back(std::move(match->frame));
      }
      want_code_ = true;
    } else if (want_code_ && !item_->frames.empty()) {
      item_->frames.back().code.assign(s.substr(0, 500));
      want_code_ = false;
    }
  }
}

void DraftReportParser::Flush() {
  if (item_) sink_(*std::exchange(item_, std::nullopt));
}

void DraftReportParser::Finish() {
  Flush();
  active_ = in_user_stack_ = false;
}

}  // namespace pt2triage
