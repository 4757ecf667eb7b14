#include "line/decorations.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/rule_watch.h"
#include "base/simd.h"
#include "base/strings.h"
#include "line/peelers.h"
#include "line/places.h"
#include "line/stamps.h"
#include "line/wrapped_lines.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxStream = 256;  // what comes later tells no writers apart

struct Decoration {
  std::string_view name;
  std::string_view first;  // the characters that it can begin with
  Peel (*peel)(std::string_view);
};

constexpr std::array<Decoration, 11> kDecorations = {{
    {"bom", "\xEF", PeelBom},
    {"iso time stamp", "0123456789[", PeelIsoTime},
    {"clock", "012", PeelClock},
    {"journal", "JFMASOND", PeelJournal},
    {"rank", "[", PeelRank},
    {"pod", "[", PeelPod},
    {"worker", "(", PeelWorker},
    {"application logger", "EWIDC", PeelAppLogger},
    {"runner command", "#", PeelRunnerCommand},
    {"pytest", "E", PeelPytest},
    {"quote", ">", PeelQuote},
}};
PT2TRIAGE_WATCH_TABLE(kDecorations, row.name);

// Which rows can match a text, by its first character: bit i for row i.
using Rows = uint16_t;
constexpr std::array<Rows, 256> kRowsByFirst = [] {
  static_assert(kDecorations.size() <= 8 * sizeof(Rows));
  std::array<Rows, 256> rows{};
  for (size_t i = 0; i < kDecorations.size(); ++i) {
    for (char c : kDecorations[i].first) {
      Rows& row = rows[static_cast<unsigned char>(c)];
      row = static_cast<Rows>(row | 1u << i);
    }
  }
  return rows;
}();

Rows RowsOf(char first) {
  return kRowsByFirst[static_cast<unsigned char>(first)];
}

// What the first row that matches takes off `text`, which is not empty.
Peel PeelOne(std::string_view text) {
  for (unsigned rows = RowsOf(text.front()); rows != 0; rows &= rows - 1) {
    const Decoration& row =
        kDecorations[static_cast<size_t>(std::countr_zero(rows))];
    const Peel peel = row.peel(text);
    if (peel.length == 0) continue;
    NoteRule(&row);
    return peel;
  }
  return {};
}

// ` [repeated 2x across cluster]`, with Ray's advice after it.
std::string_view WithoutRaySuffix(std::string_view s) {
  constexpr std::string_view kTail = "x across cluster]";
  size_t tail = s.rfind(kTail);
  if (tail == std::string_view::npos) return s;
  std::string_view after = s.substr(tail + kTail.size());
  if (!after.empty() && !after.starts_with(" (Ray deduplicates")) return s;
  size_t open = s.rfind(" [repeated ", tail);
  return open == std::string_view::npos ? s : s.substr(0, open);
}

}  // namespace

size_t LineCleaner::TimeLength(std::string_view text) {
  if (text.empty() || !IsDigit(text.front())) return 0;
  // As GitHub writes it, which is most of all.
  constexpr Shape8 kDate("0000-00-");
  constexpr Shape8 kMiddle("00T00:00");
  constexpr Shape8 kTime("00:00:00");
  constexpr Shape8 kFraction(".0000000");
  if (text.size() > 29 && text[27] == 'Z' && text[28] == ' ' &&
      !IsDigit(text[29]) && kDate.Matches(text.data()) &&
      kMiddle.Matches(text.data() + 8) && kTime.Matches(text.data() + 11) &&
      kFraction.Matches(text.data() + 19) &&
      !(text[29] == 's' && text.substr(29).starts_with("std"))) {
    return 29;
  }
  const Stamp stamp = ReadStamp(text);
  return stamp.line == Stamp::Line::kWhole ? stamp.length : 0;
}

bool LineCleaner::CanBeDecorated(char first) {
  return RowsOf(first) != 0 || first == '{';
}

bool LineCleaner::IsDecorated(std::string_view text) {
  return PeelOne(text).length > 0 || WrappedLines::MayTake(text) ||
         Places::IsMark(text);
}

Line LineCleaner::Clean(const PhysicalLine& physical, Hints hints,
                        const Outside& outside) {
  Line line;
  line.physical = physical;
  line.time = outside.time;
  line.channel = outside.channel;
  std::string_view text = physical.text;
  if (hints.controls &&
      std::memchr(text.data(), '\x1b', text.size()) != nullptr) {
    stripped_.clear();
    const int64_t millis = AppendWithoutEscapes(text, &stripped_);
    text = stripped_;
    line.buildkite = millis >= 0;
    if (line.buildkite) line.time = time_ = UtcTimeOfMillis(millis);
  }
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  const bool alone = text.size() <= 1;
  const size_t columns = hints.tabs ? columns_.Find(text) : 0;
  if (columns > 0) {
    text.remove_prefix(columns);
    line.job = columns_.job();
    line.step = columns_.step();
  }
  stream_.assign(outside.stream);
  while (!text.empty()) {
    Peel peel = PeelOne(text);
    if (peel.length == 0) peel = learned_.Find(text, physical.number);
    if (peel.length == 0) break;
    text.remove_prefix(peel.length);
    if (stream_.size() < kMaxStream) stream_.append(peel.stream);
    if (!peel.time.empty()) line.time = peel.time;
    if (!peel.channel.empty()) line.channel = peel.channel;
    if (peel.rank >= 0) line.rank = peel.rank;
    line.pytest_error = line.pytest_error || peel.pytest;
    line.quoted = line.quoted || peel.quote;
  }
  if (text == "E" && !alone) {  // pytest's empty line in a CI log
    line.pytest_error = false;
  }
  if (!stream_.empty()) text = WithoutRaySuffix(text);
  line.text = text;
  line.stream = stream_;
  return line;
}

}  // namespace pt2triage
