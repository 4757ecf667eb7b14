// Compile ids as PyTorch prints them: `0/1`, `0/1_2`, `!0`, `!0/1/0_1`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pt2triage {

// One compile of one frame, with its attempt (restart count) and, inside
// compiled autograd, that graph's id. A plain value: 16 bytes, no ownership,
// freely shared between threads. -1 means that the part is absent.
struct CompileId {
  int32_t compiled_autograd = -1;
  int32_t frame = -1;
  int32_t compile = -1;
  int32_t attempt = 0;

  bool operator==(const CompileId&) const = default;
  auto operator<=>(const CompileId&) const = default;

  // `0/1_2` for frame 0, compile 1, attempt 2.
  std::string ToString() const;
  // Reads the text between the brackets of a log prefix; nullopt for anything
  // else (an artifact name, a test parameter).
  static std::optional<CompileId> Parse(std::string_view text);
};

}  // namespace pt2triage
