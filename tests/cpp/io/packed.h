// Packs texts for tests.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {

// As gzip (`window` 31) or as raw deflate data (-15).
inline std::string Deflated(std::string_view text, int window = 31) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// Lines that do not repeat, so that they stay many when they are packed.
inline std::string ManyLines(int number) {
  std::string text;
  unsigned state = 1;
  for (int i = 0; i < number; ++i) {
    state = state * 1664525 + 1013904223;
    text += "line " + std::to_string(state) + " of " + std::to_string(i) + "\n";
  }
  return text;
}

}  // namespace pt2triage
