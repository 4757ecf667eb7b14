#include "io/decoding_source.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/codec.h"
#include "io/packed.h"
#include "pt2triage/source.h"
#ifdef PT2TRIAGE_ZSTD
#include <zstd.h>
#endif

namespace pt2triage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Gives at most `step` bytes at a time.
std::unique_ptr<Source> InSteps(std::string_view bytes, size_t step) {
  return FromCallback(
      [bytes, step](char* buffer,
                    size_t size) mutable -> absl::StatusOr<size_t> {
        const size_t n = bytes.copy(buffer, std::min(size, step));
        bytes.remove_prefix(n);
        return n;
      },
      "packed");
}

struct Read {
  std::string text;
  absl::Status status;
  std::string warning;
};

Read ReadAll(std::unique_ptr<Source> source, size_t size = 4096) {
  Read read;
  std::string buffer(size, '\0');
  while (true) {
    const absl::StatusOr<size_t> n = source->Read(buffer.data(), size);
    if (!n.ok()) read.status = n.status();
    if (!n.ok() || *n == 0) break;
    read.text.append(buffer, 0, *n);
  }
  read.warning = source->Warning();
  return read;
}

using Make = std::unique_ptr<Decoder> (*)();
struct Way {
  std::string_view name;
  Codec codec;
  Make make;
};

std::vector<Way> Ways() {
  std::vector<Way> ways = {
      {"zlib", Codec::kGzip, [] { return MakeZlibDecoder(Codec::kGzip); }}};
  if (MakeIsalDecoder(Codec::kGzip)) {
    ways.push_back(
        {"isal", Codec::kGzip, [] { return MakeIsalDecoder(Codec::kGzip); }});
  }
  if (MakeZstdDecoder()) {
    ways.push_back({"zstd", Codec::kZstd, [] { return MakeZstdDecoder(); }});
  }
  return ways;
}

class DecodingTest : public testing::TestWithParam<Way> {
 protected:
  static std::string Pack(std::string_view text) {
#ifdef PT2TRIAGE_ZSTD
    if (GetParam().codec == Codec::kZstd) {
      std::string out(ZSTD_compressBound(text.size()), '\0');
      ZSTD_CCtx* context = ZSTD_createCCtx();
      ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
      out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(),
                                text.size()));
      ZSTD_freeCCtx(context);
      return out;
    }
#endif
    return Deflated(text);
  }
  static std::unique_ptr<Source> Unpack(std::string_view packed, size_t step,
                                        const DecodeLimits& limits = {}) {
    return std::make_unique<DecodingSource>(
        InSteps(packed, step), GetParam().codec, GetParam().make(), limits);
  }
};

TEST_P(DecodingTest, AnyChunkingGivesTheSame) {
  const std::string text = ManyLines(3000);
  const std::string packed = Pack(text);
  EXPECT_LT(packed.size(), text.size());
  for (size_t step : {1, 2, 3, 7, 100, 4096, 1 << 20}) {
    for (size_t size : {1, 5, 4096, 1 << 20}) {
      const Read read = ReadAll(Unpack(packed, step), size);
      EXPECT_TRUE(read.status.ok()) << read.status;
      EXPECT_EQ(read.text, text) << step << " " << size;
      EXPECT_THAT(read.warning, IsEmpty());
    }
  }
}

TEST_P(DecodingTest, MembersFollowEachOther) {
  const std::string packed =
      Pack("one\n") + Pack("") + Pack("two\n") + Pack(ManyLines(2000));
  for (size_t step : {1, 3, 1 << 20}) {
    const Read read = ReadAll(Unpack(packed, step));
    EXPECT_TRUE(read.status.ok());
    EXPECT_EQ(read.text, "one\ntwo\n" + ManyLines(2000));
  }
}

TEST_P(DecodingTest, EveryCutIsSaid) {
  const std::string text = ManyLines(50);
  const std::string packed = Pack(text);
  for (size_t size = 0; size < packed.size(); ++size) {
    for (size_t step : {1, 1 << 20}) {
      const Read read = ReadAll(Unpack(packed.substr(0, size), step));
      EXPECT_TRUE(absl::IsDataLoss(read.status)) << size << read.status;
      EXPECT_TRUE(text.starts_with(read.text));
    }
  }
}

TEST_P(DecodingTest, WhatStandsBeforeACutIsGiven) {
  const std::string text = ManyLines(100000);
  const std::string packed = Pack(text);
  const Read read =
      ReadAll(Unpack(packed.substr(0, packed.size() / 2), 1 << 20));
  EXPECT_GT(read.text.size(), text.size() / 3);
  EXPECT_TRUE(text.starts_with(read.text));
}

TEST_P(DecodingTest, NoDamageIsMissed) {
  const std::string text = ManyLines(20000);
  const std::string packed = Pack(text);
  for (size_t at = 40; at < packed.size(); at += packed.size() / 29) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const Read read = ReadAll(Unpack(damaged, 1 << 20));
    EXPECT_TRUE(absl::IsInvalidArgument(read.status) ||
                absl::IsDataLoss(read.status))
        << at << read.status;
  }
}

TEST_P(DecodingTest, WhatStandsBeforeDamageIsGiven) {
  const std::string text = ManyLines(100000);
  std::string packed = Pack(text);
  for (size_t i = 0; i < 50; ++i) packed[packed.size() / 2 + i] = '\x55';
  const Read read = ReadAll(Unpack(packed, 1 << 20));
  EXPECT_FALSE(read.status.ok());
  EXPECT_TRUE(read.text.starts_with(text.substr(0, text.size() / 3)));
}

TEST_P(DecodingTest, OtherBytesBehindTheEndAreTold) {
  for (size_t step : {1, 1 << 20}) {
    const Read read = ReadAll(Unpack(Pack("one\n") + "garbage", step));
    EXPECT_TRUE(read.status.ok());
    EXPECT_EQ(read.text, "one\n");
    EXPECT_THAT(read.warning, HasSubstr("7 bytes behind the end"));
    const Read padded =
        ReadAll(Unpack(Pack("one\n") + std::string(5000, '\0'), step));
    EXPECT_THAT(padded.warning, IsEmpty());
  }
}

TEST_P(DecodingTest, BombsEndAtTheLimits) {
  const std::string packed = Pack(std::string(size_t{100} << 20, 'x'));
  const Read ratio = ReadAll(Unpack(packed, 1 << 20, {.max_ratio = 100}));
  EXPECT_TRUE(absl::IsOutOfRange(ratio.status));
  EXPECT_THAT(std::string(ratio.status.message()), HasSubstr("--max-ratio"));
  EXPECT_LE(ratio.text.size(), (size_t{64} << 20) + 4096);
  const Read size = ReadAll(Unpack(packed, 1 << 20, {.max_bytes = 100000}));
  EXPECT_TRUE(absl::IsOutOfRange(size.status));
  EXPECT_THAT(std::string(size.status.message()),
              HasSubstr("--max-archive-bytes"));
}

INSTANTIATE_TEST_SUITE_P(Codecs, DecodingTest, testing::ValuesIn(Ways()),
                         [](const auto& way) {
                           return std::string(way.param.name);
                         });

TEST(MemberTest, SizeAndChecksumAreCompared) {
  const std::string text = ManyLines(100);
  const std::string packed = Deflated(text, -15);
  const uint32_t crc = Crc32(0, text);
  const auto read = [&](const Expected& expected) {
    auto source =
        Decode(InSteps(packed, 10), Codec::kDeflate, {}, nullptr, expected);
    EXPECT_TRUE(source.ok());
    return ReadAll(*std::move(source));
  };
  EXPECT_TRUE(read({crc, text.size()}).status.ok());
  EXPECT_EQ(read({crc, text.size()}).text, text);
  EXPECT_TRUE(absl::IsInvalidArgument(read({crc + 1, text.size()}).status));
  EXPECT_TRUE(absl::IsInvalidArgument(read({crc, text.size() + 1}).status));
}

TEST(CodecTest, IsToldByContent) {
  EXPECT_EQ(SniffCodec(Deflated("x")), Codec::kGzip);
  EXPECT_EQ(SniffCodec(""), Codec::kNone);
  EXPECT_EQ(SniffCodec("BZh9 is how this text begins"), Codec::kNone);
  EXPECT_EQ(SniffCodec("BZh91AY&SY...."), Codec::kBzip2);
  EXPECT_EQ(SniffCodec("\x1f\x8b is how this text begins"), Codec::kNone);
  EXPECT_EQ(SniffCodec("PK\x03\x04"), Codec::kZip);
  EXPECT_EQ(SniffCodec("PKZIP is how this text begins"), Codec::kNone);
  EXPECT_EQ(SniffCodec(std::string(1024, '\0')), Codec::kNone);
  EXPECT_EQ(SniffCodec(std::string(1024, ' ')), Codec::kNone);
}

}  // namespace
}  // namespace pt2triage
