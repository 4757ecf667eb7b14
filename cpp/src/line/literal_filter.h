// Finds lines that hold one of a set of literals.
#pragma once

#include <algorithm>
#include <array>
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
// window only, which is enough since of each literal, which is at least 7 bytes
// long, four windows side by side are in the table: those that ordinary text
// holds least. About one load and one bit test per 4 bytes of text, eight of
// them for each branch. Only where a window is a literal's are the two
// compared. Immutable after construction; 8 KB.
class LiteralFilter {
 public:
  static constexpr size_t kMinLiteral = 7;

  // Of several lists.
  LiteralFilter(std::initializer_list<std::span<const std::string_view>> lists);
  LiteralFilter(std::initializer_list<std::string_view> literals)
      : LiteralFilter({std::span(literals.begin(), literals.size())}) {}

  bool MayContain(std::string_view text) const;

 private:
  static constexpr size_t kStep = 32;

  // One alignment of one literal.
  struct Window {
    uint32_t bytes;
    uint32_t hash;
    size_t start;  // of the window in the literal
    std::string literal;
  };

  static size_t FindWindows(const uint64_t* bits, const char* text, size_t i,
                            size_t size);
  void Add(std::string_view literal);
  bool HasLiteralAt(std::string_view text, size_t i) const;

  std::array<uint64_t, 1024> bits_{};  // a bit for each hash of a window
  std::vector<Window> windows_;        // sorted by hash
  std::array<uint32_t, 257> first_{};  // of windows_, by the hash's high byte
};

}  // namespace pt2triage
