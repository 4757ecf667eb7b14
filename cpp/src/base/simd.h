// Help for loops over bytes: the compiler's own vectors, chosen at run time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// Before a function whose loops compilers turn into vector code: it is compiled
// twice, the second time for processors with AVX2, and the processor that it
// runs on decides. Sanitizers cannot run the code that decides; GCC on glibc
// can do it from version 12 on.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__) && __GNUC__ >= 12 && !defined(PT2TRIAGE_SANITIZED)
#define PT2TRIAGE_VECTORISED \
  __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PT2TRIAGE_VECTORISED
#endif

namespace pt2triage {

// Bit i is set where p[i] == c, for the 64 bytes at `p`.
inline uint64_t EqualMask64(const char* p, char c) {
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(c);
  uint64_t mask = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i v =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const auto bits =
        static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, wanted)));
    mask |= static_cast<uint64_t>(bits) << (16 * i);
  }
  return mask;
#elif defined(__ARM_NEON)
  const uint8x16_t wanted = vdupq_n_u8(static_cast<uint8_t>(c));
  const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128,
                              1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t part[4];
  for (int i = 0; i < 4; ++i) {
    const uint8x16_t v = vld1q_u8(reinterpret_cast<const uint8_t*>(p) + 16 * i);
    part[i] = vandq_u8(vceqq_u8(v, wanted), weights);
  }
  const uint8x16_t low = vpaddq_u8(part[0], part[1]);
  const uint8x16_t high = vpaddq_u8(part[2], part[3]);
  const uint8x16_t both = vpaddq_u8(vpaddq_u8(low, high), low);
  return vgetq_lane_u64(vreinterpretq_u64_u8(both), 0);
#else
  uint64_t mask = 0;
  for (int i = 0; i < 64; ++i) {
    mask |= static_cast<uint64_t>(p[i] == c) << i;
  }
  return mask;
#endif
}

inline uint64_t Load64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

// Eight characters of a fixed format, as `00:00:00`, where 0 stands for any
// digit and all else for itself. A match costs a few instructions.
class Shape8 {
 public:
  explicit constexpr Shape8(const char (&shape)[9]) {
    for (size_t i = 0; i < 8; ++i) {
      const size_t at = std::endian::native == std::endian::little ? i : 7 - i;
      const auto c = static_cast<unsigned char>(shape[i]);
      pattern_ |= uint64_t{c} << (8 * at);
      // What takes a wrong value over the low four bits.
      added_ |= uint64_t{c == '0' ? 0x06u : 0x0Fu} << (8 * at);
    }
  }
  bool Matches(const char* p) const {
    const uint64_t x = Load64(p) ^ pattern_;
    return ((x | ((x & kLow) + added_)) & ~kLow) == 0;
  }

 private:
  static constexpr uint64_t kLow = 0x0F0F0F0F0F0F0F0Full;
  uint64_t pattern_ = 0;
  uint64_t added_ = 0;
};

}  // namespace pt2triage
