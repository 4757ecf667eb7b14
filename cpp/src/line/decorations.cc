#include "line/decorations.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/rule_watch.h"
#include "base/simd.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

constexpr char kEsc = '\x1b';
constexpr size_t kMaxEscape = 2048;  // an unterminated one must end somewhere
constexpr size_t kMaxStream = 256;   // what comes later tells no writers apart

// What a peeler found: the bytes to take off the front, and what they say.
struct Peel {
  size_t length = 0;        // 0: no match
  std::string_view stream;  // part that names the writer
  std::string_view time;
  int32_t rank = -1;
  bool pytest = false;
  bool quote = false;
};

// True if `s` matches `shape`, where 'd' is a digit and all else is literal.
bool Shape(std::string_view s, std::string_view shape) {
  if (s.size() < shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 'd' ? !IsDigit(s[i]) : s[i] != shape[i]) return false;
  }
  return true;
}

Peel PeelBom(std::string_view s) {
  return {s.starts_with("\xEF\xBB\xBF") ? size_t{3} : size_t{0}, {}, {}};
}

// 2025-04-17T06:19:22 at the front of `s`, which is long enough.
constexpr size_t kIsoSeconds = 19;
bool HasIsoSeconds(std::string_view s) {
  constexpr Shape8 kDate("0000-00-");
  constexpr Shape8 kMiddle("00T00:00");
  constexpr Shape8 kTime("00:00:00");
  return kDate.Matches(s.data()) && kMiddle.Matches(s.data() + 8) &&
         kTime.Matches(s.data() + kIsoSeconds - 8);
}

// Takes 2025-04-17T06:19:22.0392577Z off `*s`; empty if it is not there.
std::string_view ConsumeIsoTime(std::string_view* s) {
  if (s->size() < kIsoSeconds || !HasIsoSeconds(*s)) return {};
  std::string_view rest = s->substr(kIsoSeconds);
  if (Consume(&rest, ".")) ConsumeDigits(&rest);
  if (!Consume(&rest, "Z")) return {};
  std::string_view time = s->substr(0, s->size() - rest.size());
  *s = rest;
  return time;
}

// What container runtimes and GitLab's runner put after the time: the stream,
// and whether the line is whole.
void ConsumeStreamTag(std::string_view* s) {
  for (std::string_view tag : {"stdout F ", "stderr F ", "stdout P ",
                               "stderr P ", "stdout F", "stderr F"}) {
    if (Consume(s, tag)) return;
  }
  bool gitlab = s->size() >= 3 && IsDigit((*s)[0]) && IsDigit((*s)[1]) &&
                ((*s)[2] == 'O' || (*s)[2] == 'E') &&
                (s->size() == 3 || (*s)[3] == ' ' || (*s)[3] == '+');
  if (gitlab) s->remove_prefix(std::min<size_t>(4, s->size()));
}

// 2025-04-17T06:19:22.0392577Z, alone, with a stream tag, or in Jenkins's or
// Taskcluster's brackets.
Peel PeelIsoTime(std::string_view s) {
  if (s.size() < 6 || (s[0] == '[' && s[5] != '-' && s[1] != 't')) return {};
  std::string_view rest = s;
  bool bracket = Consume(&rest, "[");
  if (bracket) Consume(&rest, "task ");
  Peel peel;
  peel.time = ConsumeIsoTime(&rest);
  if (peel.time.empty() || (bracket && !Consume(&rest, "]"))) return {};
  if (!rest.empty() && !Consume(&rest, " ")) return {};
  if (!bracket) ConsumeStreamTag(&rest);
  peel.length = s.size() - rest.size();
  return peel;
}

// [rank0]: and [default0]: , with and without the space.
Peel PeelRank(std::string_view s) {
  if (s.size() < 2 || (s[1] != 'r' && s[1] != 'd')) return {};
  std::string_view rest = s;
  bool rank = Consume(&rest, "[rank");
  if (!rank && !Consume(&rest, "[default")) return {};
  std::string_view digits = ConsumeDigits(&rest);
  std::optional<int32_t> value = ToInt<int32_t>(digits);
  if (!value || !Consume(&rest, "]")) return {};
  if (!Consume(&rest, ":") && !rank) return {};  // pastes lose it
  Peel peel;
  peel.stream = s.substr(0, s.size() - rest.size());
  peel.rank = *value;
  if (rank) Consume(&rest, " ");  // torch writes one, torchrun none
  peel.length = s.size() - rest.size();
  return peel;
}

int32_t RankInWorkerName(std::string_view name) {
  for (std::string_view key : {"rank=", "_TP", "Worker_DP", "TP"}) {
    size_t at = name.find(key);
    if (at == std::string_view::npos) continue;
    std::string_view rest = name.substr(at + key.size());
    std::optional<int32_t> value = ToInt<int32_t>(ConsumeDigits(&rest));
    if (value) return *value;
  }
  return -1;
}

// (RayWorkerWrapper pid=884120, ip=10.0.0.7) and (EngineCore_0 pid=12).
Peel PeelWorker(std::string_view s) {
  if (!s.starts_with('(')) return {};
  size_t close = s.substr(0, 120).find(')');
  if (close == std::string_view::npos) return {};
  std::string_view inside = s.substr(1, close - 1);
  size_t pid = inside.find(" pid=");
  if (pid == std::string_view::npos || pid + 5 >= inside.size() ||
      !IsDigit(inside[pid + 5])) {
    return {};
  }
  Peel peel;
  peel.stream = s.substr(0, close + 1);
  peel.rank = RankInWorkerName(inside);
  peel.length = close + 1;
  if (close + 1 < s.size() && s[close + 1] == ' ') ++peel.length;
  return peel;
}

// ERROR 08-29 07:12:30 worker_base.py:464] and the form with [worker.py:4].
Peel PeelAppLogger(std::string_view s) {
  static constexpr std::array<std::string_view, 5> kLevels = {
      "ERROR ", "WARNING ", "INFO ", "DEBUG ", "CRITICAL "};
  if (s.size() < 2 || !IsUpper(s[1])) return {};
  std::string_view rest = s;
  bool level = false;
  for (std::string_view name : kLevels) level = level || Consume(&rest, name);
  constexpr std::string_view kShape = "dd-dd dd:dd:dd ";
  if (!level || !Shape(rest, kShape)) return {};
  rest.remove_prefix(kShape.size());
  Consume(&rest, "[");
  size_t close = rest.substr(0, 120).find(']');
  if (close == std::string_view::npos || close == 0 ||
      !IsDigit(rest[close - 1]) ||
      rest.substr(0, close).find(' ') != std::string_view::npos) {
    return {};
  }
  Peel peel;
  peel.stream = rest.substr(0, close + 1);
  rest.remove_prefix(close + 1);
  Consume(&rest, " ");
  peel.length = s.size() - rest.size();
  return peel;
}

// pytest marks each line of an exception's text with `E   `.
Peel PeelPytest(std::string_view s) {
  Peel peel;
  peel.pytest = true;
  if (s.starts_with("E   ")) peel.length = 4;
  return peel;
}

// A log quoted in Markdown or mail; also pytest's `>` before the line that
// failed.
Peel PeelQuote(std::string_view s) {
  Peel peel;
  peel.quote = true;
  if (s.starts_with("> ")) peel.length = 2;
  return peel;
}

struct Decoration {
  std::string_view name;
  std::string_view first;  // the characters that it can begin with
  Peel (*peel)(std::string_view);
};

constexpr std::array<Decoration, 7> kDecorations = {{
    {"bom", "\xEF", PeelBom},
    {"iso time stamp", "0123456789[", PeelIsoTime},
    {"rank", "[", PeelRank},
    {"worker", "(", PeelWorker},
    {"application logger", "EWIDC", PeelAppLogger},
    {"pytest", "E", PeelPytest},
    {"quote", ">", PeelQuote},
}};
PT2TRIAGE_WATCH_TABLE(kDecorations, row.name);

// Which rows can match a text, by its first character: bit i for row i.
constexpr std::array<uint8_t, 256> kRowsByFirst = [] {
  static_assert(kDecorations.size() <= 8);
  std::array<uint8_t, 256> rows{};
  for (size_t i = 0; i < kDecorations.size(); ++i) {
    for (char c : kDecorations[i].first) {
      uint8_t& row = rows[static_cast<unsigned char>(c)];
      row = static_cast<uint8_t>(row | 1u << i);
    }
  }
  return rows;
}();

bool CanMatch(size_t row, char first) {
  return (kRowsByFirst[static_cast<unsigned char>(first)] >> row & 1) != 0;
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

// Length of the escape sequence at the front of `s`, which begins with ESC.
size_t EscapeLength(std::string_view s) {
  if (s.size() < 2) return s.size();
  size_t i = 2;
  switch (s[1]) {
    case '[':  // CSI: parameters, intermediates, one final byte
      while (i < s.size() && s[i] >= 0x20 && s[i] <= 0x3F) ++i;
      return std::min(i + 1, s.size());
    case ']':
    case '_':
    case 'P':
    case '^':  // OSC, APC, DCS, PM: to ST or BEL
      for (; i < std::min(s.size(), kMaxEscape); ++i) {
        if (s[i] == '\a') return i + 1;
        if (s[i] == kEsc && i + 1 < s.size() && s[i + 1] == '\\') return i + 2;
      }
      return 2;  // unterminated: keep what follows
    default:
      return 2;
  }
}

}  // namespace

std::string WithoutEscapes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == kEsc) {
      i += EscapeLength(text.substr(i));
    } else {
      out += text[i++];
    }
  }
  return out;
}

void LineCleaner::StripEscapes(std::string_view text) {
  stripped_.clear();
  size_t raw = 0;
  while (raw < text.size()) {
    size_t esc = text.find(kEsc, raw);
    if (esc == std::string_view::npos) esc = text.size();
    stripped_.append(text.substr(raw, esc - raw));
    raw = esc < text.size() ? esc + EscapeLength(text.substr(esc)) : esc;
  }
}

size_t LineCleaner::TimeLength(std::string_view text) {
  if (text.empty() || !IsDigit(text.front())) return 0;
  // As GitHub writes it, which is most of all.
  constexpr Shape8 kFraction(".0000000");
  if (text.size() > 29 && text[27] == 'Z' && text[28] == ' ' &&
      !IsDigit(text[29]) && HasIsoSeconds(text) &&
      kFraction.Matches(text.data() + kIsoSeconds) &&
      !(text[29] == 's' && text.substr(29).starts_with("std"))) {
    return 29;
  }
  return PeelIsoTime(text).length;
}

bool LineCleaner::CanBeDecorated(char first) {
  return kRowsByFirst[static_cast<unsigned char>(first)] != 0;
}

bool LineCleaner::IsDecorated(std::string_view text) {
  if (text.empty()) return false;
  if (kRowsByFirst[static_cast<unsigned char>(text.front())] == 0) return false;
  for (size_t i = 0; i < kDecorations.size(); ++i) {
    if (CanMatch(i, text.front()) && kDecorations[i].peel(text).length > 0) {
      return true;
    }
  }
  return false;
}

Line LineCleaner::Clean(const PhysicalLine& physical, bool controls) {
  Line line;
  line.physical = physical;
  std::string_view text = physical.text;
  if (controls && std::memchr(text.data(), kEsc, text.size()) != nullptr) {
    StripEscapes(text);
    text = stripped_;
  }
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  const bool alone = text.size() <= 1;
  stream_.clear();
  for (bool again = true; again && !text.empty();) {
    again = false;
    for (size_t i = 0; i < kDecorations.size(); ++i) {
      if (!CanMatch(i, text.front())) continue;
      Peel peel = kDecorations[i].peel(text);
      if (peel.length == 0) continue;
      NoteRule(&kDecorations[i]);
      text.remove_prefix(peel.length);
      if (stream_.size() < kMaxStream) stream_.append(peel.stream);
      if (!peel.time.empty()) line.time = peel.time;
      if (peel.rank >= 0) line.rank = peel.rank;
      line.pytest_error = line.pytest_error || peel.pytest;
      line.quoted = line.quoted || peel.quote;
      again = true;
      break;
    }
  }
  if (text == "E" && !alone) {  // pytest's empty line in a CI log
    line.pytest_error = false;
  }
  if (!stream_.empty()) text = WithoutRaySuffix(text);
  line.text = text;
  line.stream = stream_;
  return line;
}

const std::vector<DecorationSample>& DecorationSamples() {
  static const std::vector<DecorationSample>& samples =
      *new std::vector<DecorationSample>{
          {"bom", "\xEF\xBB\xBFhello", "hello"},
          {"iso time stamp", "2025-04-17T06:19:22.0392577Z hello", "hello"},
          {"iso time stamp", "[2025-01-22T02:00:07.511Z] hello", "hello"},
          {"iso time stamp", "[task 2025-01-22T02:00:07.511Z] hello", "hello"},
          {"iso time stamp", "2025-09-20T03:14:15.926535897Z stderr F hello",
           "hello"},
          {"iso time stamp", "2025-05-02T07:11:09.123456Z 01E hello", "hello"},
          {"rank", "[rank2]: hello", "hello"},
          {"rank", "[default0]:[rank0]:hello", "hello"},
          {"worker", "(RayWorkerWrapper pid=884120, ip=10.0.0.7) hello",
           "hello"},
          {"worker", "(EngineCore_0 pid=12) hello", "hello"},
          {"application logger", "ERROR 08-29 07:12:30 worker_base.py:464] hi",
           "hi"},
          {"application logger", "ERROR 08-29 07:12:30 [core.py:700] hi", "hi"},
          {"pytest", "E   RuntimeError: x", "RuntimeError: x"},
          {"quote", "> > RuntimeError: x", "RuntimeError: x"},
      };
  return samples;
}

}  // namespace pt2triage
