#include "line/places.h"

#include <algorithm>

#include "base/strings.h"
#include "line/decorations.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxSections = 16;
constexpr std::string_view kGroup = "##[group]";
constexpr std::string_view kGroupRun = "##[group]Run ";
constexpr std::string_view kStage = "[Pipeline] { (";

// section_start:1720000000:step_script[collapsed=true]
std::string_view SectionName(std::string_view text, std::string_view head) {
  if (!Consume(&text, head) || ConsumeDigits(&text).empty() ||
      !Consume(&text, ":")) {
    return {};
  }
  return text.substr(0, text.find_first_of("[ \r"));
}

// `--- name` and `+++ name`, but no file of a patch.
std::string_view BuildkiteGroup(std::string_view text) {
  for (std::string_view mark : {"--- ", "+++ ", "~~~ "}) {
    if (!Consume(&text, mark)) continue;
    const bool patch = text.starts_with("a/") || text.starts_with("b/") ||
                       text.starts_with("/dev/null");
    return patch ? std::string_view() : Trim(text);
  }
  return {};
}

}  // namespace

bool Places::IsMark(std::string_view text) {
  return text.starts_with(kGroupRun) || text.starts_with(kStage);
}

void Places::Set(const Line& line, std::string_view step) {
  const bool named = !line.step.empty();
  if (named) step = line.step;
  step = step.substr(0, kMaxName);
  const std::string_view job = line.job.substr(0, kMaxName);
  if (!places_.empty() && places_.back().job == job &&
      places_.back().step == step) {
    return;
  }
  if (places_.size() >= kMaxPlaces) return;
  // A line that was put together may come after one that began later.
  const uint64_t offset =
      std::max(line.physical.offset,
               places_.empty() ? uint64_t{0} : places_.back().offset);
  places_.push_back({offset, std::string(job), std::string(step), named});
}

void Places::OnLine(const Line& line) {
  const std::string_view text = line.text;
  if (!line.job.empty()) {
    const bool known = !places_.empty() &&
                       places_.back().job == line.job.substr(0, kMaxName) &&
                       (line.step.empty() || places_.back().step == line.step);
    if (!known) Set(line, {});
  }
  if (text.empty()) return;
  if (text[0] == '#' && text.starts_with(kGroupRun)) {
    Set(line, Trim(text.substr(kGroup.size())));
  } else if (text[0] == '[' && text.starts_with(kStage)) {
    std::string_view name = text.substr(kStage.size());
    Set(line, name.substr(0, name.rfind(')')));
  } else if (text[0] == 's' && text.starts_with("section_")) {
    std::string_view name = SectionName(text, "section_start:");
    if (!name.empty() && sections_.size() < kMaxSections) {
      sections_.emplace_back(name.substr(0, kMaxName));
    }
    const std::string_view end = SectionName(text, "section_end:");
    const auto open = std::find(sections_.begin(), sections_.end(), end);
    if (!end.empty()) sections_.erase(open, sections_.end());
    if (name.empty() && end.empty()) return;
    Set(line, sections_.empty() ? std::string_view() : sections_.back());
  } else if (line.buildkite) {
    const std::string_view group = BuildkiteGroup(text);
    if (!group.empty()) Set(line, group);
  }
}

const Places::Place* Places::At(uint64_t offset) const {
  auto next = std::upper_bound(
      places_.begin(), places_.end(), offset,
      [](uint64_t at, const Place& place) { return at < place.offset; });
  return next == places_.begin() ? nullptr : &*std::prev(next);
}

}  // namespace pt2triage
