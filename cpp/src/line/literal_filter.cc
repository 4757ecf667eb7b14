#include "line/literal_filter.h"

#include <limits>

#include "base/simd.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

uint32_t Load32(const char* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
uint32_t HashOf(uint32_t bytes) { return (bytes * 2654435761u) >> 16; }

// How common a character is in the text of logs, roughly.
uint32_t Weight(char c) {
  constexpr std::string_view kCommon = "etaoingsrlc_ .-0";
  constexpr std::string_view kRare = "jkqvwxz";
  if (kCommon.find(c) != std::string_view::npos) return 8;
  if (kRare.find(c) != std::string_view::npos) return 2;
  return c >= 'a' && c <= 'z' ? 4 : IsDigit(c) ? 3 : 1;
}

// Where the four windows begin of which the most common one is rarest.
size_t RarestWindows(std::string_view literal) {
  size_t best = 0;
  uint32_t least = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i + LiteralFilter::kMinLiteral <= literal.size(); ++i) {
    uint32_t most = 0;
    for (size_t k = i; k < i + 4; ++k) {
      most =
          std::max(most, Weight(literal[k]) * Weight(literal[k + 1]) *
                             Weight(literal[k + 2]) * Weight(literal[k + 3]));
    }
    if (most < least) {
      least = most;
      best = i;
    }
  }
  return best;
}

}  // namespace

// Where in `text`, from `i` on, the first window stands that may be a
// literal's, rounded down to kStep; its size if there is none.
PT2TRIAGE_VECTORISED
size_t LiteralFilter::FindWindows(const uint64_t* bits, const char* text,
                                  size_t i, size_t size) {
  for (; i + kStep <= size; i += kStep) {
    uint64_t any = 0;
    for (size_t k = 0; k < kStep; k += 4) {
      const uint32_t hash = HashOf(Load32(text + i + k));
      any |= bits[hash / 64] >> (hash % 64);
    }
    if ((any & 1) != 0) return i;
  }
  return i;
}

LiteralFilter::LiteralFilter(
    std::initializer_list<std::span<const std::string_view>> lists) {
  for (std::span<const std::string_view> list : lists) {
    for (std::string_view literal : list) Add(literal);
  }
  std::sort(windows_.begin(), windows_.end(),
            [](const Window& a, const Window& b) { return a.hash < b.hash; });
  for (const Window& window : windows_) ++first_[window.hash / 256 + 1];
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

void LiteralFilter::Add(std::string_view literal) {
  assert(literal.size() >= kMinLiteral);
  const size_t rarest = RarestWindows(literal);
  for (size_t i = rarest; i < rarest + 4; ++i) {
    const uint32_t bytes = Load32(literal.data() + i);
    const uint32_t hash = HashOf(bytes);
    bits_[hash / 64] |= uint64_t{1} << (hash % 64);
    windows_.push_back({bytes, hash, i, std::string(literal)});
  }
}

bool LiteralFilter::MayContain(std::string_view text) const {
  size_t i = 3;
  while (i + 4 <= text.size()) {
    i = FindWindows(bits_.data(), text.data(), i, text.size());
    const size_t end = std::min(i + kStep, text.size());
    for (; i + 4 <= text.size() && i < end; i += 4) {
      const uint32_t hash = HashOf(Load32(text.data() + i));
      const bool hit = (bits_[hash / 64] >> (hash % 64) & 1) != 0;
      if (hit && HasLiteralAt(text, i)) return true;
    }
  }
  return false;
}

// True if a literal lies so that the window at `i` is its own.
bool LiteralFilter::HasLiteralAt(std::string_view text, size_t i) const {
  const uint32_t bytes = Load32(text.data() + i);
  const uint32_t bucket = HashOf(bytes) / 256;
  for (uint32_t k = first_[bucket]; k < first_[bucket + 1]; ++k) {
    const Window& window = windows_[k];
    if (window.bytes == bytes && window.start <= i &&
        text.substr(i - window.start).starts_with(window.literal)) {
      return true;
    }
  }
  return false;
}

}  // namespace pt2triage
