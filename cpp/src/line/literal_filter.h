// Rejects lines that hold none of a set of literals.
#pragma once

#include <bitset>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace pt2triage {

// A one-sided test: false means that no literal occurs; true means that one
// may. Looks at every fourth 4-byte window only, which is enough since each
// literal is at least 7 bytes long and all its four alignments are in the
// table: about one load and one bit test per 4 bytes of text. Immutable after
// construction; 8 KB.
class LiteralFilter {
 public:
  static constexpr size_t kMinLiteral = 7;

  explicit LiteralFilter(std::initializer_list<std::string_view> literals) {
    for (std::string_view literal : literals) {
      assert(literal.size() >= kMinLiteral);
      for (size_t i = 0; i < 4; ++i) bits_.set(Hash(literal.data() + i));
    }
  }

  bool MayContain(std::string_view text) const {
    for (size_t i = 3; i + 4 <= text.size(); i += 4) {
      if (bits_.test(Hash(text.data() + i))) return true;
    }
    return false;
  }

 private:
  static size_t Hash(const char* p) {
    uint32_t v;
    std::memcpy(&v, p, 4);
    return (v * 2654435761u) >> 16;
  }

  std::bitset<65536> bits_;
};

}  // namespace pt2triage
