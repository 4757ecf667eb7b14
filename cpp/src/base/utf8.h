// Writes code points as UTF-8.
#pragma once

#include <cstdint>
#include <string>

namespace pt2triage {

// `code` must be at most U+10FFFF; a surrogate is written as it is.
inline void AppendUtf8(uint32_t code, std::string* out) {
  auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  // The six bits of `code` above bit `low`, as a continuation byte.
  auto put_six = [&](uint32_t low) { put(0x80U | (code >> low & 0x3FU)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U);
    put_six(0);
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U);
    put_six(6);
    put_six(0);
  } else {
    put(0xF0U | code >> 18U);
    put_six(12);
    put_six(6);
    put_six(0);
  }
}

}  // namespace pt2triage
