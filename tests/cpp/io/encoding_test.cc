#include "io/encoding.h"

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

// `text` (ASCII) as UTF-16.
std::string Utf16(std::string_view text, bool big_endian) {
  std::string out;
  for (char c : text) {
    if (big_endian) out += '\0';
    out += c;
    if (!big_endian) out += '\0';
  }
  return out;
}

std::string Decode(std::string_view bytes, bool big_endian, size_t chunk) {
  Utf16Decoder decoder(big_endian);
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += chunk) {
    decoder.Decode(bytes.substr(i, chunk), &out);
  }
  decoder.Finish(&out);
  return out;
}

TEST(IsOwnReportTest, DocumentsAndLinesOfPt2triage) {
  EXPECT_TRUE(
      IsOwnReport("{\n  \"schema_version\": 1,\n  \"tool\": {\n    \"name\": "
                  "\"pt2triage\","));
  EXPECT_TRUE(
      IsOwnReport(R"({"schema_version":1,"tool":{"name":"pt2triage"}})"));
  EXPECT_TRUE(IsOwnReport(R"({"schema_version": 1, "kind": "baseline")"));
  EXPECT_TRUE(
      IsOwnReport(R"({"fingerprint":"0123456789ab","category":"other")"));
  EXPECT_FALSE(IsOwnReport(""));
  EXPECT_FALSE(IsOwnReport("$ pt2triage scan --format json run.log\n{\n"));
  EXPECT_FALSE(IsOwnReport(R"({"schema_version": 1, "name": "else"})"));
  EXPECT_FALSE(IsOwnReport(R"({"fingerprint":"0123456789ab","level":"info"})"));
}

TEST(SniffEncodingTest, TextIsUtf8) {
  EXPECT_EQ(SniffEncoding(""), Encoding::kUtf8);
  EXPECT_EQ(SniffEncoding("V1129 15:22:18.930000 9036 torch/x.py:1] text\n"),
            Encoding::kUtf8);
  EXPECT_EQ(SniffEncoding("caf\xC3\xA9 \xF0\x9F\x98\x80"), Encoding::kUtf8);
  EXPECT_EQ(SniffEncoding("latin-1 caf\xE9"), Encoding::kUtf8);
}

TEST(SniffEncodingTest, EscapesAndLostWritesAreText) {
  EXPECT_EQ(SniffEncoding("\x1b[31mred\x1b[0m\r\n\ttab\f"), Encoding::kUtf8);
  EXPECT_EQ(SniffEncoding(std::string(4096, '\0')), Encoding::kUtf8);
}

TEST(SniffEncodingTest, AByteOrderMarkDecides) {
  EXPECT_EQ(SniffEncoding("\xFF\xFEV\0"sv), Encoding::kUtf16Le);
  EXPECT_EQ(SniffEncoding("\xFE\xFF\0V"sv), Encoding::kUtf16Be);
  EXPECT_EQ(SniffEncoding("\xEF\xBB\xBFtext"), Encoding::kUtf8);
}

TEST(SniffEncodingTest, MagicNumbersAndControlsAreBinary) {
  for (std::string_view head :
       {"\x1f\x8b\x08\0"sv, "PK\x03\x04rest"sv,
        "\x7f"
        "ELF\x02"sv,
        "\x89PNG\r\n"sv, "\x01\x02\x03\x04\x05\x06\x0e\x0f"sv}) {
    EXPECT_EQ(SniffEncoding(head), Encoding::kBinary) << head;
  }
}

TEST(CompressionNameTest, NamesWhatMustBeUnpacked) {
  EXPECT_EQ(CompressionName("\x1f\x8b\x08\0"sv), "gzip");
  EXPECT_EQ(CompressionName("\x28\xb5\x2f\xfd"), "zstd");
  EXPECT_EQ(CompressionName("\xfd"
                            "7zXZ\0"sv),
            "xz");
  EXPECT_EQ(CompressionName("BZh91AY&SY"), "bzip2");
  EXPECT_EQ(CompressionName("PK\x03\x04"), "zip");
  EXPECT_EQ(CompressionName("\x7f"
                            "ELF"),
            "");
  EXPECT_EQ(CompressionName("7z\xbc\xaf\x27\x1c"), "7z");
  EXPECT_EQ(CompressionName("text"), "");
}

// Endianness and chunk size.
class Utf16Test : public testing::TestWithParam<std::tuple<bool, size_t>> {};

TEST_P(Utf16Test, AsciiComesBack) {
  const auto [big_endian, chunk] = GetParam();
  const std::string bytes = Utf16("Traceback\n", big_endian);
  EXPECT_EQ(Decode(bytes, big_endian, chunk), "Traceback\n");
}

TEST_P(Utf16Test, AllPlanesComeBack) {
  const auto [big_endian, chunk] = GetParam();
  // U+00E9, U+2502, U+1F600
  std::string bytes = "\x00\xE9\x25\x02\xD8\x3D\xDE\x00"s;
  if (!big_endian) {
    for (size_t i = 0; i < bytes.size(); i += 2) {
      std::swap(bytes[i], bytes[i + 1]);
    }
  }
  EXPECT_EQ(Decode(bytes, big_endian, chunk),
            "\xC3\xA9\xE2\x94\x82\xF0\x9F\x98\x80");
}

TEST_P(Utf16Test, WhatIsNoCharacterIsReplaced) {
  const auto [big_endian, chunk] = GetParam();
  std::string lone_low =
      "\xDC\x00\x00"
      "a"s;
  std::string lone_high =
      "\xD8\x3D\x00"
      "a"s;
  if (!big_endian) {
    for (std::string* bytes : {&lone_low, &lone_high}) {
      std::swap((*bytes)[0], (*bytes)[1]);
      std::swap((*bytes)[2], (*bytes)[3]);
    }
  }
  EXPECT_EQ(Decode(lone_low, big_endian, chunk),
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(Decode(lone_high, big_endian, chunk),
            "\xEF\xBF\xBD"
            "a");
}

TEST_P(Utf16Test, ACutUnitIsReplaced) {
  const auto [big_endian, chunk] = GetParam();
  const std::string bytes = Utf16("ab", big_endian).substr(0, 3);
  EXPECT_EQ(Decode(bytes, big_endian, chunk), "a\xEF\xBF\xBD");
}

INSTANTIATE_TEST_SUITE_P(Chunks, Utf16Test,
                         testing::Combine(testing::Bool(),
                                          testing::Values(1, 2, 3, 100)));

}  // namespace
}  // namespace pt2triage
