#include "line/learned_prefixes.h"

#include <array>
#include <cstring>
#include <optional>

#include "base/simd.h"
#include "base/strings.h"
#include "line/stamps.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxColumn = 256;
constexpr std::string_view kBom = "\xEF\xBB\xBF";

// V1129 15:22:18.930000 9036
bool HasTorchHeader(std::string_view s) {
  constexpr Shape8 kDay("0000 00:");
  constexpr Shape8 kMiddle("00:00.00");
  constexpr Shape8 kFraction(".000000 ");
  constexpr std::string_view kLevels = "VIWEC";
  return s.size() > 26 && kLevels.find(s[0]) != std::string_view::npos &&
         kDay.Matches(s.data() + 1) && kMiddle.Matches(s.data() + 9) &&
         kFraction.Matches(s.data() + 14) && IsDigit(s[22]);
}

// [2023-07-26 06:31:09,284] [0/0] torch._dynamo...
bool HasOldHeader(std::string_view s) {
  constexpr Shape8 kYear("[0000-00");
  constexpr Shape8 kSecond(":00,000]");
  return s.size() > 32 && kYear.Matches(s.data()) &&
         kSecond.Matches(s.data() + 17) && Contains(s.substr(25, 40), " torch");
}

// What may stand between the prefix and what tells.
std::string_view WithoutInner(std::string_view text) {
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    Peel peel = PeelRank(text);
    if (text[0] != '[') peel = PeelIsoTime(text);
    if (text[0] == '(') peel = PeelWorker(text);
    if (peel.length == 0) break;
    text.remove_prefix(peel.length);
  }
  return text;
}

constexpr std::array<bool, 256> kNameChars = [] {
  std::array<bool, 256> known{};
  for (size_t c = 0; c < known.size(); ++c) {
    const auto letter = static_cast<char>(c);
    known[c] = IsWord(letter) || letter == '-' || letter == '.';
  }
  return known;
}();

bool IsNameChar(char c) { return kNameChars[static_cast<unsigned char>(c)]; }

// `name  |` of compose, which pads names to one width.
size_t ServiceLength(std::string_view s) {
  size_t i = 0;
  while (i < s.size() && i < 64 && IsNameChar(s[i])) ++i;
  const size_t name = i;
  while (i < s.size() && i < 128 && s[i] == ' ') ++i;
  if (name == 0 || i == name || i >= s.size() || s[i] != '|') return 0;
  ++i;
  return i == s.size() || s[i] == ' ' ? i : 0;
}

// `3:` or `003:` of srun, whose labels have one width.
size_t LabelLength(std::string_view s, std::optional<int32_t>* rank) {
  std::string_view rest = s;
  const std::string_view digits = ConsumeDigits(&rest);
  if (digits.empty() || digits.size() > 6 || !rest.starts_with(':')) return 0;
  if (rest.size() > 1 && rest[1] != ' ') return 0;
  *rank = ToInt<int32_t>(digits);
  return digits.size() + 1;
}

// A number of up to six digits, padded to six, and a tab.
bool IsPadded(std::string_view s) {
  return s.size() > 6 && s[0] == ' ' && s[6] == '\t' && IsDigit(s[5]);
}

// The two columns at the front of `s` if a time of GitHub's follows them.
size_t ColumnsLength(std::string_view s) {
  const size_t job = s.substr(0, kMaxColumn).find('\t');
  if (job == 0 || job == std::string_view::npos) return 0;
  std::string_view rest = s.substr(job + 1);
  const size_t step = rest.substr(0, kMaxColumn).find('\t');
  if (step == 0 || step == std::string_view::npos) return 0;
  rest.remove_prefix(step + 1);
  Consume(&rest, kBom);
  const IsoTime time = ReadIsoTime(rest);
  const bool github = time.utc && time.fraction == 7 &&
                      (rest.size() == time.length || rest[time.length] == ' ');
  return github ? job + step + 2 : 0;
}

}  // namespace

bool IsTelling(std::string_view text) {
  text = WithoutInner(text);
  constexpr std::array<std::string_view, 5> kHeads = {
      "Fatal Python error: ", "Segmentation fault", "terminate called ",
      "torch._dynamo.exc.", "torch._inductor.exc."};
  if (TrimRight(text) == "Traceback (most recent call last):") return true;
  if (HasTorchHeader(text) || HasOldHeader(text)) return true;
  if (text.starts_with("  File \"") && Contains(text, "\", line ")) return true;
  for (std::string_view head : kHeads) {
    if (text.starts_with(head)) return true;
  }
  return false;
}

Peel LearnedPrefixes::FindLabel(std::string_view text, size_t length,
                                int32_t rank) {
  std::string_view rest = text.substr(length);
  Consume(&rest, " ");
  Peel peel;
  peel.stream = text.substr(0, length);
  peel.rank = rank;
  peel.length = text.size() - rest.size();
  if (known_.contains(std::string(peel.stream))) return peel;
  if (known_.size() >= kMaxKnown || !IsTelling(rest)) return {};
  known_.insert(std::string(peel.stream));
  return peel;
}

// `     3<TAB>text`. Numbers go on from line to line, or stay away.
Peel LearnedPrefixes::FindNumber(std::string_view text, uint64_t line) {
  std::string_view rest = text.substr(Indent(text));
  const std::optional<uint64_t> number = ToInt<uint64_t>(ConsumeDigits(&rest));
  if (!number || *number == 0 || !Consume(&rest, "\t")) return {};
  if (line == line_) return {};  // once for each line
  const bool next = numbered_ && *number == number_ + 1;
  if (!next && !IsTelling(rest)) return {};
  numbered_ = true;
  number_ = *number;
  line_ = line;
  Peel peel;
  peel.length = text.size() - rest.size();
  return peel;
}

Peel LearnedPrefixes::Find(std::string_view text, uint64_t line) {
  if (IsDigit(text[0])) {
    std::optional<int32_t> rank;
    const size_t length = LabelLength(text, &rank);
    if (length > 0 && rank) return FindLabel(text, length, *rank);
  }
  if (IsDigit(text[0]) || IsPadded(text)) {
    const Peel peel = FindNumber(text, line);
    if (peel.length > 0) return peel;
  }
  if (!IsNameChar(text[0])) return {};
  const size_t service = ServiceLength(text);
  if (service == 0) return {};
  return FindLabel(text, service, -1);
}

size_t Columns::Find(std::string_view text) {
  if (!known_.empty() && text.starts_with(known_)) return known_.size();
  const size_t length = ColumnsLength(text);
  if (length > 0) known_.assign(text.substr(0, length));
  return length;
}

std::string_view Columns::job() const {
  return std::string_view(known_).substr(0, known_.find('\t'));
}

std::string_view Columns::step() const {
  std::string_view step = known_;
  if (step.empty()) return {};
  step.remove_suffix(1);
  step.remove_prefix(step.find('\t') + 1);
  return step == "UNKNOWN STEP" ? std::string_view() : step;
}

bool MayHoldColumns(std::string_view text) {
  for (size_t tab = 0;
       (tab = text.find('\t', tab)) != std::string_view::npos;) {
    std::string_view rest = text.substr(++tab);
    Consume(&rest, kBom);
    if (rest.size() > 28 && IsDigit(rest[0]) && rest[10] == 'T' &&
        rest[27] == 'Z') {
      return true;
    }
  }
  return false;
}

}  // namespace pt2triage
