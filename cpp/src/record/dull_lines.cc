#include "record/dull_lines.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "line/byte_kinds.h"
#include "line/decorations.h"
#include "line/line_cursor.h"
#include "record/log_header.h"

namespace pt2triage {
namespace {

size_t Byte(char c) { return static_cast<unsigned char>(c); }

// True if nothing of `text`, which holds `kinds`, has to be counted or
// repaired.
bool IsClean(std::string_view text, const ByteKinds& kinds) {
  return !kinds.controls && (!kinds.high_bits ||
                             simdjson::validate_utf8(text.data(), text.size()));
}

// The same for a line, whose carriage returns at the end go.
bool IsCleanLine(std::string_view* line) {
  while (line->ends_with('\r')) line->remove_suffix(1);
  return IsClean(*line, KindsOf(*line));
}

constexpr size_t kFirstBlock = 512;

// The whole lines at the front of `text` to look over next, some `size` bytes.
size_t BlockLength(std::string_view text, size_t size) {
  const size_t whole = WholeLines(text.substr(0, size));
  return whole > 0 ? whole : text.find('\n') + 1;
}

// Adds a line of a record. False if there are too many processes.
bool AddRecordLine(const DullHeaders::Known& known, DullRun* run) {
  auto& all = run->processes;
  if (run->used == 0 || all[run->used - 1].name != known.process) {
    size_t i = 0;
    while (i < run->used && all[i].name != known.process) ++i;
    if (i == run->used) {
      if (run->used == DullLines::kMaxProcesses) return false;
      if (run->used++ == all.size()) all.emplace_back();
      all[i].name.assign(known.process);
      all[i].first.assign(known.identity);
      all[i].last.assign(known.identity);
      all[i].records = 1;
      return true;
    }
    std::rotate(all.begin() + static_cast<ptrdiff_t>(i),
                all.begin() + static_cast<ptrdiff_t>(i) + 1,
                all.begin() + static_cast<ptrdiff_t>(run->used));
  }
  DullRun::Process& process = all[run->used - 1];
  if (process.last != known.identity) {
    ++process.records;
    process.last.assign(known.identity);
  }
  return true;
}

}  // namespace

bool IsCleanText(std::string_view text) { return IsClean(text, KindsOf(text)); }

DullLines::DullLines(const DullRules& rules) : rules_(rules) {
  for (size_t c = 0; c < fronts_.size(); ++c) {
    unsigned front = 0;
    if (LineCleaner::CanBeDecorated(static_cast<char>(c))) front |= kDecorated;
    if ((*rules_.telling_first)[c]) front |= kTelling;
    fronts_[c] = static_cast<uint8_t>(front);
  }
  for (char c : {'V', 'I', '['}) fronts_[Byte(c)] |= kHeader;
  fronts_[Byte('\t')] |= kPayload;
}

void DullLines::Take(std::string_view text, bool trace,
                     const Verdicts& verdicts, DullRun* run) {
  for (size_t size = kFirstBlock; !text.empty();
       size = std::min(2 * size, kBlock)) {
    const std::string_view block = text.substr(0, BlockLength(text, size));
    if (!TakeBlock(block, trace, verdicts, run)) return;
    text.remove_prefix(block.size());
  }
}

// False if a line of the block may matter.
bool DullLines::TakeBlock(std::string_view block, bool trace,
                          const Verdicts& verdicts, DullRun* run) {
  if (IsReadAlone(block)) return false;
  // Where an envelope stands at the front, the rest is its payload.
  if (trace && (block[0] == '\t' || headers_.IsEnvelope(block))) return false;
  if (IsWarning(block)) return false;
  const ByteKinds kinds = KindsOf(block);
  if (kinds.tabs && MayHoldColumns(block)) return false;
  const bool clean = IsClean(block, kinds);
  std::optional<bool> has_verdicts;  // looked for where there is plain text
  Quiet quiet = Quiet::kUnknown;
  LineCursor cursor(block);
  for (size_t at = 0; at < block.size();) {
    const size_t end = cursor.NextEnd();
    std::string_view line = block.substr(at, end - 1 - at);
    if (!clean && !IsCleanLine(&line)) return false;
    const std::string_view stamp =
        line.substr(0, LineCleaner::TimeLength(line));
    line.remove_prefix(stamp.size());
    const uint8_t front = line.empty() ? 0 : fronts_[Byte(line[0])];
    Fate fate = Fate::kPlain;
    if (front != 0 || quiet != Quiet::kYes) {
      fate = FateOf(line, front, block.substr(at), trace, &quiet, run);
    }
    if (fate == Fate::kMatters) return false;
    if (fate == Fate::kPlain && !run->text) {
      run->text = !Trim(line).empty();
      if (!run->text && verdicts.blanks) return false;
      run->blank_first |= !run->text;
    }
    if (fate == Fate::kPlain) {
      if (verdicts.note || verdicts.watched != nullptr) {
        if (!has_verdicts) has_verdicts = rules_.verdicts(block.substr(at));
        run->verdicts |= *has_verdicts;
        const bool ask = *has_verdicts && verdicts.watched != nullptr;
        if (ask && (*verdicts.watched)(line)) return false;
      }
      run->plain += end - at;
    }
    if (!stamp.empty()) run->NoteStamp(stamp);
    run->bytes += end - at;
    ++run->lines;
    at = end;
  }
  return true;
}

// True if the first line is decorated, so that there is no run: most such lines
// are followed by others of their kind.
bool DullLines::IsReadAlone(std::string_view block) const {
  const char c = block.front();
  const bool decorated = (fronts_[Byte(c)] & kDecorated) != 0 && !IsDigit(c);
  if (!decorated || c == '\xEF') return c == '\x1b';
  return LineCleaner::IsDecorated(block.substr(0, block.find('\n')));
}

// Of a line, its time taken off. `front` is what can begin as it does, `rest`
// are the lines of the block from it on.
DullLines::Fate DullLines::FateOf(std::string_view text, uint8_t front,
                                  std::string_view rest, bool trace,
                                  Quiet* quiet, DullRun* run) {
  if ((front & kHeader) != 0) {
    const size_t time = DullTimeLength(text);
    if (time > 0) return FateOfHeader(text, time, run);
  }
  if ((front & kPayload) != 0 && trace) return Fate::kMatters;
  if ((front & kDecorated) != 0 && LineCleaner::IsDecorated(text)) {
    return Fate::kMatters;
  }
  return IsDullPlain(text, front, rest, quiet) ? Fate::kPlain : Fate::kMatters;
}

DullLines::Fate DullLines::FateOfHeader(std::string_view text, size_t time,
                                        DullRun* run) {
  DullHeaders::Known known = headers_.Find(text, time);
  if (known.state == DullHeaders::State::kUnknown) {
    const std::optional<LogHeader> header = FindLogHeader(text);
    if (!header || header->start != 0) return Fate::kMatters;
    headers_.Add(text, *header, rules_.wanted(*header));
    known = headers_.Find(text, time);
  }
  const bool dull = known.state == DullHeaders::State::kDull;
  return dull && AddRecordLine(known, run) ? Fate::kRecord : Fate::kMatters;
}

bool DullLines::IsDullPlain(std::string_view text, uint8_t front,
                            std::string_view rest, Quiet* quiet) const {
  if (*quiet == Quiet::kUnknown) {
    const bool yes = !MayHoldLogHeader(rest) && rules_.quiet(rest);
    *quiet = yes ? Quiet::kYes : Quiet::kNo;
  }
  if (*quiet == Quiet::kNo) {
    return !MayHoldLogHeader(text) && rules_.quiet_line(text);
  }
  return (front & kTelling) == 0 || !rules_.telling(text);
}

}  // namespace pt2triage
