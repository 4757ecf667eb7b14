// Which bytes of a source were understood.
#pragma once

#include <cstdint>

#include "pt2triage/finding.h"

namespace pt2triage {

enum class LineFate : uint8_t { kPlain, kParsed, kMalformed };

// Adds up fates; each physical line has one, so the three sums are the
// source's size.
struct LineAccounts {
  uint64_t plain = 0;
  uint64_t parsed = 0;
  uint64_t malformed = 0;

  void Add(LineFate fate, uint64_t bytes) {
    switch (fate) {
      case LineFate::kPlain:
        plain += bytes;
        return;
      case LineFate::kParsed:
        parsed += bytes;
        return;
      case LineFate::kMalformed:
        malformed += bytes;
        return;
    }
  }
  // Moves bytes that were first taken for parsed.
  void Spoil(uint64_t bytes) {
    uint64_t moved = bytes < parsed ? bytes : parsed;
    parsed -= moved;
    malformed += moved;
  }
};

}  // namespace pt2triage
