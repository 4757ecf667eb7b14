#include "event/limit_lines.h"

#include "base/strings.h"
#include "event/recompile.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxText = size_t{16} << 10;

}  // namespace

bool LimitLines::OnLine(std::string_view text, const Evidence& at) {
  std::string_view s = TrimLeft(text);
  if (!text_.empty()) {
    bool mine = s.starts_with("function: '") || s.starts_with("last reason: ");
    if (mine && text_.size() < kMaxText) {
      text_.append("\n").append(text.substr(0, kMaxText));
      evidence_.length = at.offset + at.length - evidence_.offset;
      if (s.starts_with("last reason: ")) Finish();
      return true;
    }
    Finish();
  }
  size_t head = text.find(kLimitHead);
  if (head == std::string_view::npos) return false;
  text_.assign(text.substr(head, kMaxText));
  evidence_ = at;
  return true;
}

void LimitLines::Finish() {
  Event event;
  bool whole = !text_.empty() && ParseLimitRecord(text_, &event) &&
               event.user_frame.has_value();
  text_.clear();
  if (!whole) return;
  event.evidence = evidence_;
  event.logged = true;
  event.level = 'W';
  sink_(std::move(event));
}

}  // namespace pt2triage
