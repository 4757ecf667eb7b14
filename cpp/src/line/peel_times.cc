// Times, and what stands beside them.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "line/peelers.h"
#include "line/stamps.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxName = 64;

// `stdout F `, with tags `stderr P:tag `; the blank may be lost at a line's
// end.
bool ConsumeCriTag(std::string_view* s, Stamp* stamp) {
  std::string_view rest = *s;
  const std::string_view stream = rest.substr(0, 6);
  if (!Consume(&rest, "stdout ") && !Consume(&rest, "stderr ")) return false;
  if (rest.empty() || (rest[0] != 'F' && rest[0] != 'P')) return false;
  const bool part = rest[0] == 'P';
  rest.remove_prefix(1);
  if (rest.starts_with(':')) {
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  if (!rest.empty() && !Consume(&rest, " ")) return false;
  stamp->stream = stream;
  if (part) stamp->line = Stamp::Line::kPart;
  *s = rest;
  return true;
}

bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

// `01O ` or `01E+` behind a time of six digits.
void ConsumeGitlabTag(std::string_view* s, Stamp* stamp) {
  const std::string_view tag = s->substr(0, 3);
  if (tag.size() < 3 || !IsHex(tag[0]) || !IsHex(tag[1]) ||
      (tag[2] != 'O' && tag[2] != 'E')) {
    return;
  }
  const char flag = s->size() > 3 ? (*s)[3] : ' ';
  if (flag != ' ' && flag != '+') return;
  stamp->stream = tag;
  stamp->line = flag == '+' ? Stamp::Line::kGoesOn : Stamp::Line::kTold;
  s->remove_prefix(std::min<size_t>(4, s->size()));
}

// `host ident[pid]: ` or `host kernel: `; gives the ident with its pid.
std::string_view ConsumeJournalName(std::string_view* s) {
  const size_t host = s->substr(0, 256).find(' ');
  if (host == 0 || host == std::string_view::npos) return {};
  std::string_view rest = s->substr(host + 1);
  const size_t colon = rest.substr(0, kMaxName + 24).find(": ");
  if (colon == std::string_view::npos) return {};
  const std::string_view name = rest.substr(0, colon);
  if (name.find(' ') != std::string_view::npos) return {};
  if (name != "kernel") {
    const size_t open = name.find('[');
    if (open == 0 || open == std::string_view::npos || !name.ends_with(']') ||
        !ToInt(name.substr(open + 1, name.size() - open - 2))) {
      return {};
    }
  }
  *s = rest.substr(colon + 2);
  return name;
}

constexpr std::array<std::string_view, 12> kMonths = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool IsClock(std::string_view s) {
  return s.size() >= 8 && IsDigit(s[0]) && IsDigit(s[1]) && s[2] == ':' &&
         IsDigit(s[3]) && IsDigit(s[4]) && s[5] == ':' && IsDigit(s[6]) &&
         IsDigit(s[7]);
}

}  // namespace

Stamp ReadStamp(std::string_view text) {
  const IsoTime iso = ReadIsoTime(text);
  if (iso.length == 0) return {};
  Stamp stamp;
  stamp.time = text.substr(0, iso.length);
  std::string_view rest = text.substr(iso.length);
  if (!rest.empty() && !Consume(&rest, " ")) return {};
  const bool cri = ConsumeCriTag(&rest, &stamp);
  // Other programs print local times; a CI or container runtime says its own.
  if (!iso.utc && !cri) return {};
  if (!cri && iso.fraction == 6) ConsumeGitlabTag(&rest, &stamp);
  stamp.length = text.size() - rest.size();
  return stamp;
}

// 2025-04-17T06:19:22.0392577Z, alone, with a stream tag, before a journal's
// names, or in the brackets of Jenkins, Buildkite or Taskcluster.
Peel PeelIsoTime(std::string_view s) {
  Peel peel;
  if (!s.starts_with('[')) {
    const Stamp stamp = ReadStamp(s);
    peel.length = stamp.length;
    peel.time = stamp.time;
    peel.channel = stamp.stream;
    if (peel.length > 0) return peel;
    const IsoTime iso = ReadIsoTime(s);
    if (iso.length == 0 || iso.utc) return {};
    std::string_view rest = s.substr(iso.length);
    if (!Consume(&rest, " ")) return {};
    peel.stream = ConsumeJournalName(&rest);
    if (peel.stream.empty()) return {};
    peel.time = s.substr(0, iso.length);
    peel.length = s.size() - rest.size();
    return peel;
  }
  std::string_view rest = s.substr(1);
  size_t word = 0;  // task, vcs, fetches, taskcluster ...
  while (word < std::min<size_t>(rest.size(), 16) && rest[word] >= 'a' &&
         rest[word] <= 'z') {
    ++word;
  }
  if (word > 0) {
    rest.remove_prefix(word);
    if (!Consume(&rest, " ")) return {};
  }
  const IsoTime iso = ReadIsoTime(rest);
  if (iso.length == 0) return {};
  peel.time = rest.substr(0, iso.length);
  rest.remove_prefix(iso.length);
  if (!Consume(&rest, "]")) return {};
  if (!rest.empty() && !Consume(&rest, " ")) return {};
  peel.length = s.size() - rest.size();
  return peel;
}

// Jenkins's timestamper: `06:19:22  text`.
Peel PeelClock(std::string_view s) {
  Peel peel;
  if (s.size() >= 10 && s[8] == ' ' && s[9] == ' ' && IsClock(s)) {
    peel.length = 10;
  }
  return peel;
}

// journalctl: `Nov 29 15:22:18 host python[123]: text`, with or without a
// fraction.
Peel PeelJournal(std::string_view s) {
  if (s.size() < 22 || s[3] != ' ' || s[6] != ' ' || s[9] != ':') return {};
  const bool day = (IsDigit(s[4]) || s[4] == ' ') && IsDigit(s[5]);
  const bool month = std::find(kMonths.begin(), kMonths.end(),
                               s.substr(0, 3)) != kMonths.end();
  if (!day || !month || !IsClock(s.substr(7))) return {};
  std::string_view rest = s.substr(15);
  if (Consume(&rest, ".")) ConsumeDigits(&rest);
  if (!Consume(&rest, " ")) return {};
  Peel peel;
  peel.stream = ConsumeJournalName(&rest);
  if (peel.stream.empty()) return {};
  peel.length = s.size() - rest.size();
  return peel;
}

}  // namespace pt2triage
