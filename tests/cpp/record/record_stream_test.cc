#include "record/record_stream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

// What came out of a stream that was fed `text` in chunks.
struct Streamed {
  std::vector<std::string> logs;
  std::vector<std::string> traces;
  std::vector<std::string> plain;
  LineAccounts accounts;
  uint64_t bytes = 0;
  uint64_t lines = 0;
  uint64_t places = 0;
  std::vector<std::string> issues;
  std::vector<int32_t> ranks;
};

Streamed Stream(std::string_view text, size_t chunk = 1 << 20) {
  Streamed out;
  ParseStats stats;
  RecordStream stream(
      nullptr, false, &stats,
      {[&](LogRecord& r) { out.logs.push_back(r.text); },
       [&](TraceRecord& r) { out.traces.emplace_back(r.name); },
       [&](const Line& line) { out.plain.emplace_back(line.text); }});
  for (size_t i = 0; i < text.size(); i += chunk) {
    stream.Feed(text.substr(i, chunk));
  }
  stream.Finish();
  out.accounts = stream.accounts();
  out.bytes = stream.bytes();
  out.lines = stream.lines();
  out.places = stats.places();
  for (const Diagnostic& diagnostic : stats.kept()) {
    out.issues.push_back(diagnostic.kind);
  }
  out.ranks = stream.ranks();
  EXPECT_EQ(out.bytes, text.size());
  EXPECT_EQ(out.accounts.plain + out.accounts.parsed + out.accounts.malformed,
            text.size());
  return out;
}

constexpr std::string_view kRecord =
    "W1129 15:22:18.930000 9 torch/a.py:1] [0/0] text\n";
constexpr std::string_view kEnvelope =
    "V1129 15:22:18.930000 9 torch/a.py:1] {\"dynamo_start\": {}, "
    "\"rank\": 3, \"frame_id\": 0}\n";

TEST(RecordStreamTest, LinesGoWhereTheyBelong) {
  const Streamed out =
      Stream(std::string(kRecord) + "plain\n" + std::string(kEnvelope));
  EXPECT_THAT(out.logs, ElementsAre("text"));
  EXPECT_THAT(out.plain, ElementsAre("plain"));
  EXPECT_THAT(out.traces, ElementsAre("dynamo_start"));
  EXPECT_EQ(out.accounts.plain, 6u);
  EXPECT_EQ(out.accounts.parsed, kRecord.size() + kEnvelope.size());
  EXPECT_EQ(out.lines, 3u);
}

TEST(RecordStreamTest, CutsOfLongPlainLinesAreShown) {
  const size_t size = LineSplitter::kMaxLine;
  std::string text = "x\n" + std::string(size, 'a') + std::string(size, 'b') +
                     std::string(10, 'c') + "\n" + "next\n";
  for (const size_t chunk : {size_t{1} << 16, size_t{1} << 20, text.size()}) {
    std::vector<std::string> cuts;
    ParseStats stats;
    RecordStream stream(
        nullptr, false, &stats,
        {[](LogRecord&) {}, [](TraceRecord&) {}, [](const Line&) {},
         [&](std::string_view before, std::string_view after,
             const Evidence& at) {
           cuts.push_back(std::string(before.substr(before.size() - 3)) + "|" +
                          std::string(after.substr(0, 3)));
           EXPECT_EQ(at.line, 2u);
           EXPECT_EQ(text.substr(at.offset, before.size()), before);
         }});
    for (size_t i = 0; i < text.size(); i += chunk) {
      stream.Feed(std::string_view(text).substr(i, chunk));
    }
    stream.Finish();
    EXPECT_THAT(cuts, ElementsAre("aaa|bbb", "bbb|ccc"));
    EXPECT_EQ(stream.accounts().plain, text.size());
  }
}

TEST(RecordStreamTest, TabsArePayloadOnlyBehindAnEnvelope) {
  const Streamed text = Stream("\tindented\n");
  EXPECT_THAT(text.plain, ElementsAre("\tindented"));
  const Streamed trace = Stream(
      "V1129 15:22:18.930000 9 torch/a.py:1] {\"dynamo_guards\": {}, "
      "\"has_payload\": \"d41d8cd98f00b204e9800998ecf8427e\"}\n\tx\n");
  EXPECT_THAT(trace.plain, IsEmpty());
  EXPECT_EQ(trace.accounts.plain, 0u);
}

TEST(RecordStreamTest, TextInFrontOfAHeaderIsNotLost) {
  const Streamed out = Stream(" 42%|### | " + std::string(kRecord));
  EXPECT_THAT(out.logs, ElementsAre("text"));
  EXPECT_THAT(out.plain, ElementsAre(" 42%|### | "));
}

TEST(RecordStreamTest, AProgressBarsPiecesAreLines) {
  const Streamed out = Stream("\r 1%\r 2%\rdone\r\nnext\r\n");
  EXPECT_THAT(out.plain, ElementsAre("", " 1%", " 2%", "done", "next"));
  EXPECT_EQ(out.lines, 2u);
}

TEST(RecordStreamTest, RecordsAfterACarriageReturnAreRead) {
  const Streamed out = Stream(" 7%|# |\r" + std::string(kRecord));
  EXPECT_THAT(out.logs, ElementsAre("text"));
}

TEST(RecordStreamTest, BrokenUtf8IsCountedAndRead) {
  const Streamed out = Stream("bad \xFF byte\ngood \xC3\xA9\n");
  EXPECT_THAT(out.issues, ElementsAre("invalid-utf8"));
  EXPECT_THAT(out.plain, ElementsAre("bad \xFF byte", "good \xC3\xA9"));
}

TEST(RecordStreamTest, NulsAreLeftOutAndCounted) {
  const Streamed out = Stream("a\0b\n"s + std::string(8, '\0') + "\nc\n");
  EXPECT_THAT(out.plain, ElementsAre("ab", "c"));
  EXPECT_THAT(out.issues, ElementsAre("nul-bytes", "nul-bytes"));
  EXPECT_EQ(out.accounts.malformed, 9u);
}

TEST(RecordStreamTest, EveryRankThatWroteARecordIsKnown) {
  const Streamed out =
      Stream("[rank2]:" + std::string(kRecord) + std::string(kEnvelope) +
             "[rank2]:" + std::string(kRecord));
  EXPECT_THAT(out.ranks, ElementsAre(2, 3));
}

TEST(RecordStreamTest, AnyChunkingGivesTheSame) {
  const std::string text = "[rank0]:" + std::string(kRecord) +
                           "bad \xFF\n\x1b[31mred\x1b[0m\r\n" +
                           std::string(kEnvelope) + "\tx\n\0\0\nend"s;
  const Streamed whole = Stream(text);
  for (size_t chunk : {1u, 2u, 3u, 5u, 17u, 64u}) {
    const Streamed out = Stream(text, chunk);
    EXPECT_EQ(out.logs, whole.logs) << chunk;
    EXPECT_EQ(out.traces, whole.traces) << chunk;
    EXPECT_EQ(out.plain, whole.plain) << chunk;
    EXPECT_EQ(out.issues, whole.issues) << chunk;
    EXPECT_EQ(out.accounts.plain, whole.accounts.plain) << chunk;
    EXPECT_EQ(out.accounts.malformed, whole.accounts.malformed) << chunk;
  }
}

}  // namespace
}  // namespace pt2triage
