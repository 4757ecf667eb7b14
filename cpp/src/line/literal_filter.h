// Finds lines that hold one of a set of literals.
#pragma once

#include <algorithm>
#include <bitset>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pt2triage {

// Says whether any of a set of literals occurs. Looks at every fourth 4-byte
// window only, which is enough since each literal is at least 7 bytes long and
// all its four alignments are in the table: about one load and one bit test per
// 4 bytes of text. Only where a window is a literal's are the two compared.
// Immutable after construction; 8 KB.
class LiteralFilter {
 public:
  static constexpr size_t kMinLiteral = 7;

  explicit LiteralFilter(std::initializer_list<std::string_view> literals)
      : LiteralFilter({std::span(literals.begin(), literals.size())}) {}

  // Of several lists.
  explicit LiteralFilter(
      std::initializer_list<std::span<const std::string_view>> lists) {
    for (std::span<const std::string_view> list : lists) {
      for (std::string_view literal : list) Add(literal);
    }
    std::sort(windows_.begin(), windows_.end(),
              [](const Window& a, const Window& b) { return a.hash < b.hash; });
  }

  bool MayContain(std::string_view text) const {
    for (size_t i = 3; i + 4 <= text.size(); i += 4) {
      const size_t hash = Hash(text.data() + i);
      if (bits_.test(hash) && HasLiteralAt(text, i, hash)) return true;
    }
    return false;
  }

 private:
  void Add(std::string_view literal) {
    assert(literal.size() >= kMinLiteral);
    for (size_t i = 0; i < 4; ++i) {
      const size_t hash = Hash(literal.data() + i);
      bits_.set(hash);
      windows_.push_back({hash, i, std::string(literal)});
    }
  }

  // One alignment of one literal.
  struct Window {
    size_t hash;
    size_t start;  // of the window in the literal
    std::string literal;
  };

  static size_t Hash(const char* p) {
    uint32_t v;
    std::memcpy(&v, p, 4);
    return (v * 2654435761u) >> 16;
  }

  // True if a literal lies so that the window at `i` is its own.
  bool HasLiteralAt(std::string_view text, size_t i, size_t hash) const {
    auto window = std::lower_bound(
        windows_.begin(), windows_.end(), hash,
        [](const Window& w, size_t value) { return w.hash < value; });
    for (; window != windows_.end() && window->hash == hash; ++window) {
      if (window->start <= i &&
          text.substr(i - window->start).starts_with(window->literal)) {
        return true;
      }
    }
    return false;
  }

  std::bitset<65536> bits_;
  std::vector<Window> windows_;  // sorted by hash
};

}  // namespace pt2triage
