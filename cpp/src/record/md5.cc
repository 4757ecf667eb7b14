#include "record/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pt2triage {
namespace {

// floor(2^32 * abs(sin(i + 1))), as RFC 1321 defines it.
constexpr std::array<uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
    0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
    0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
    0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
    0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr std::array<std::array<int, 4>, 4> kShifts = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

uint32_t LoadLittleEndian(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8U |
         static_cast<uint32_t>(p[2]) << 16U |
         static_cast<uint32_t>(p[3]) << 24U;
}

}  // namespace

void Md5::Transform(const uint8_t* block) {
  std::array<uint32_t, 16> words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = LoadLittleEndian(block + 4 * i);
  }
  uint32_t a = state_[0];
  uint32_t b = state_[1];
  uint32_t c = state_[2];
  uint32_t d = state_[3];
  // What depends on the step before comes last: its latency is the speed.
  auto step = [&](uint32_t early, uint32_t late, size_t word, size_t i) {
    const uint32_t sum = (a + kSines[i] + words[word] + early) + late;
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[i / 16][i % 4]);
  };
  for (size_t i = 0; i < 16; ++i) step(0, d ^ (b & (c ^ d)), i, i);
  // No bit is set on both sides, so that adding them is as good as an "or".
  for (size_t i = 16; i < 32; ++i) {
    step(~d & c, d & b, (5 * i + 1) % 16, i);
  }
  for (size_t i = 32; i < 48; ++i) step(0, b ^ (c ^ d), (3 * i + 5) % 16, i);
  for (size_t i = 48; i < 64; ++i) step(0, c ^ (b | ~d), (7 * i) % 16, i);
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

void Md5::Update(std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t used = length_ % kBlock;
  length_ += bytes.size();
  if (used != 0) {
    const size_t take = std::min(kBlock - used, bytes.size());
    std::memcpy(buffer_.data() + used, bytes.data(), take);
    bytes.remove_prefix(take);
    if (used + take < kBlock) return;
    Transform(buffer_.data());
  }
  while (bytes.size() >= kBlock) {
    Transform(reinterpret_cast<const uint8_t*>(bytes.data()));
    bytes.remove_prefix(kBlock);
  }
  if (!bytes.empty()) std::memcpy(buffer_.data(), bytes.data(), bytes.size());
}

std::string Md5::HexDigest() const {
  Md5 padded = *this;
  const uint64_t bits = length_ * 8;
  std::string tail(1, '\x80');
  tail.append((kBlock + 55 - length_ % kBlock) % kBlock, '\0');
  for (unsigned shift = 0; shift < 64; shift += 8) {
    tail.push_back(static_cast<char>(bits >> shift & 0xFFU));
  }
  padded.Update(tail);
  std::string hex;
  for (uint32_t word : padded.state_) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const uint32_t byte = word >> shift & 0xFFU;
      hex.push_back("0123456789abcdef"[byte >> 4U]);
      hex.push_back("0123456789abcdef"[byte & 15U]);
    }
  }
  return hex;
}

}  // namespace pt2triage
