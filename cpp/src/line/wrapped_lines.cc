#include "line/wrapped_lines.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace pt2triage {
namespace {

// As GitHub writes times, which is most of all lines that begin with one; what
// could follow a container's is no digit and no stream.
bool IsGithubLine(std::string_view text) {
  return text.size() > 29 && text[19] == '.' && text[27] == 'Z' &&
         text[28] == ' ' && text[29] != 's';
}

}  // namespace

bool WrappedLines::OnLine(const PhysicalLine& line) {
  const std::string_view text = line.text;
  if (!text.empty() && IsDigit(text[0]) && !IsGithubLine(text)) {
    const Stamp stamp = ReadStamp(text);
    if (!stamp.stream.empty()) return OnStamped(line, stamp);
  }
  if (!held_.empty()) ReleaseGitlab(held_.size());
  return MayTake(text) && (OnDocker(line) || OnJournal(line));
}

bool WrappedLines::OnStamped(const PhysicalLine& line, const Stamp& stamp) {
  const bool gitlab =
      stamp.line == Stamp::Line::kTold || stamp.line == Stamp::Line::kGoesOn;
  const Kind kind = gitlab ? Kind::kGitlab : Kind::kCri;
  const size_t at = Find(kind, stamp.stream);
  const bool known = at < held_.size();
  const std::string_view rest = line.text.substr(stamp.length);
  Held held;
  held.kind = kind;
  held.channel.assign(stamp.stream);
  switch (stamp.line) {
    case Stamp::Line::kTold:
      if (known) ReleaseGitlab(at + 1);
      Hold(line, line.text, std::move(held));
      return true;
    case Stamp::Line::kGoesOn:
    case Stamp::Line::kPart:
      if (!known || !Append(line, rest, at)) {
        Hold(line, line.text, std::move(held));
      }
      return true;
    case Stamp::Line::kWhole:
      if (!known || !Append(line, rest, at)) return false;
      Release(Find(kind, stamp.stream));
      return true;
  }
  return false;
}

size_t WrappedLines::Find(Kind kind, std::string_view channel) const {
  size_t i = 0;
  while (i < held_.size() &&
         (held_[i].kind != kind || held_[i].channel != channel)) {
    ++i;
  }
  return i;
}

void WrappedLines::Hold(const PhysicalLine& line, std::string_view text,
                        Held held) {
  const size_t room = LineSplitter::kMaxLine;
  while (!held_.empty() &&
         (held_.size() >= kMaxHeld || held_bytes_ + text.size() > room)) {
    Release(0);
  }
  held.text.assign(text);
  held.first = line;
  held.bytes = line.length;
  held.end = line.offset + line.length;
  held_bytes_ += text.size();
  held_.push_back(std::move(held));
}

// False, and the line is released, if it gets too long.
bool WrappedLines::Append(const PhysicalLine& line, std::string_view text,
                          size_t at) {
  if (held_bytes_ + text.size() > LineSplitter::kMaxLine) {
    Release(at);
    return false;
  }
  Held& held = held_[at];
  held.text.append(text);
  held.bytes += line.length;
  held.end = line.offset + line.length;
  held_bytes_ += text.size();
  return true;
}

void WrappedLines::Release(size_t at) {
  const Held held = std::move(held_[at]);
  held_.erase(held_.begin() + static_cast<ptrdiff_t>(at));
  held_bytes_ -= held.text.size();
  PhysicalLine line = held.first;
  line.length = held.end - line.offset;
  Emit({line, held.time, {}, held.channel, held.bytes}, held.text);
}

// Of the first `end` lines that wait.
void WrappedLines::ReleaseGitlab(size_t end) {
  for (size_t i = 0; i < std::min(end, held_.size());) {
    if (held_[i].kind == Kind::kGitlab) {
      Release(i);
      --end;
    } else {
      ++i;
    }
  }
}

void WrappedLines::Emit(WrappedLine wrapped, std::string_view text) {
  const uint64_t bytes = wrapped.bytes;
  for (bool more = true; more;) {
    const size_t end = text.find('\n');
    more = end != std::string_view::npos;
    wrapped.line.text = text.substr(0, end);
    if (more) text.remove_prefix(end + 1);
    wrapped.bytes = more ? 0 : bytes;
    sink_(wrapped);
  }
}

void WrappedLines::Finish() {
  while (!held_.empty()) Release(0);
}

}  // namespace pt2triage
