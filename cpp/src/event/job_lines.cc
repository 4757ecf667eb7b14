#include "event/job_lines.h"

#include <array>

#include "base/rule_watch.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

enum class Where : uint8_t { kHead, kWhole, kShell, kStamped };

struct JobText {
  std::string_view name;
  Where where;  // the line's head, all of it, after a shell's place or a time
  std::string_view text;
};
constexpr std::array<JobText, 20> kTexts = {{
    {"killed", Where::kWhole, "Killed"},
    {"killed", Where::kWhole, "Killed: 9"},
    {"killed", Where::kShell, "Killed "},
    {"killed", Where::kWhole, "Reason:       OOMKilled"},
    {"killed", Where::kStamped, "Out of memory: Killed process "},
    {"killed", Where::kHead, "slurmstepd: error: Detected 1 oom"},
    {"lost", Where::kHead, "##[error]The runner has received a shutdown"},
    {"lost", Where::kHead, "##[error]The hosted runner lost communication"},
    {"lost", Where::kHead, "##[error]The self-hosted runner lost comm"},
    {"cancelled", Where::kHead, "##[error]The operation was canceled"},
    {"cancelled", Where::kHead, "##[error]The job was canceled"},
    {"failed", Where::kHead, "##[error]Process completed with exit code "},
    {"failed", Where::kHead, "ERROR: Job failed"},
    {"failed", Where::kHead, "error: job failed"},
    {"failed", Where::kHead, "🚨 Error: The command exited with status "},
    {"failed", Where::kHead, "user command error: exit status "},
    {"failed", Where::kHead, "script returned exit code "},
    {"failed", Where::kWhole, "Finished: FAILURE"},
    {"failed", Where::kHead, "Exited with code exit status "},
    {"cancelled", Where::kHead, "Too long with no output (exceeded "},
}};
PT2TRIAGE_WATCH_TABLE(kTexts, row.text);

// `run.sh: line 31:    14 Killed   python train.py`: a place and a pid.
bool AfterShellPlace(std::string_view text, std::string_view word) {
  size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  std::string_view before = TrimRight(text.substr(0, at));
  return !before.empty() && IsDigit(before.back()) &&
         Contains(before, ": line ");
}

bool Fits(const JobText& row, std::string_view text) {
  switch (row.where) {
    case Where::kHead:
      return text.starts_with(row.text);
    case Where::kWhole:
      return text == row.text;
    case Where::kStamped:  // [184223.102490] of dmesg
      if (text.starts_with('[')) text = Trim(text.substr(text.find(']') + 1));
      return text.starts_with(row.text);
    case Where::kShell:
      return AfterShellPlace(text, row.text);
  }
  return false;
}

}  // namespace

std::optional<Event> ParseJobLine(std::string_view text) {
  text = Trim(text);
  for (const JobText& row : kTexts) {
    if (!Fits(row, text)) continue;
    NoteRule(&row);
    Event event;
    event.kind = EventKind::kJobFailure;
    event.name.assign(row.name);
    event.message.assign(text);
    return event;
  }
  return std::nullopt;
}

int JobLineRank(const Event& event) {
  constexpr std::string_view kOrder[] = {"failed", "cancelled", "lost",
                                         "killed"};
  for (size_t i = 0; i < std::size(kOrder); ++i) {
    if (event.name == kOrder[i]) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace pt2triage
