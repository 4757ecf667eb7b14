#include "line/decorations.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

// A cleaned line whose strings are copies.
struct Cleaned {
  std::string text;
  std::string stream;
  std::string time;
  int32_t rank;
  bool pytest_error;
};

Cleaned Clean(std::string_view physical) {
  LineCleaner cleaner;
  const Line line = cleaner.Clean({physical, 1, 0, physical.size() + 1});
  return {std::string(line.text), std::string(line.stream),
          std::string(line.time), line.rank, line.pytest_error};
}

TEST(DecorationsTest, EverySampleIsCleaned) {
  for (const DecorationSample& sample : DecorationSamples()) {
    EXPECT_EQ(Clean(sample.decorated).text, sample.clean) << sample.name;
  }
}

TEST(DecorationsTest, ALineWithoutEscapesIsNotCopied) {
  LineCleaner cleaner;
  for (const DecorationSample& sample : DecorationSamples()) {
    const std::string_view text = sample.decorated;
    const Line line = cleaner.Clean({text, 1, 0, text.size() + 1});
    EXPECT_EQ(line.text.data() + line.text.size(), text.data() + text.size())
        << sample.name;
  }
}

TEST(DecorationsTest, PlainTextStays) {
  for (std::string_view text :
       {"", "hello", "  indented", "\ttab", "E", "E  x", "[rank]: x",
        "[rankx]: y", "(no pid) x", "2025-04-17 06:19:22 x",
        "2025-04-17T06:19:22+02:00 x", "ERROR: test_x", "INFO something",
        "[2026-11-29 15:42:12,872] torch.x: [INFO] y"}) {
    const Cleaned line = Clean(text);
    EXPECT_EQ(line.text, text);
    EXPECT_EQ(line.stream, "");
    EXPECT_EQ(line.rank, -1);
    EXPECT_FALSE(line.pytest_error);
  }
}

TEST(DecorationsTest, RankIsReadWithAndWithoutTheBlank) {
  EXPECT_EQ(Clean("[rank3]: Traceback").rank, 3);
  EXPECT_EQ(Clean("[rank3]: Traceback").text, "Traceback");
  EXPECT_EQ(Clean("[rank12]:V1129 x").rank, 12);
  EXPECT_EQ(Clean("[rank12]:V1129 x").text, "V1129 x");
  EXPECT_EQ(Clean("[rank1]:   indented").text, "  indented");
}

TEST(DecorationsTest, ARankOutOfRangeIsText) {
  EXPECT_EQ(Clean("[rank99999999999]: x").text, "[rank99999999999]: x");
}

TEST(DecorationsTest, DecorationsNest) {
  const Cleaned line = Clean(
      "\xEF\xBB\xBF"
      "2025-04-17T06:19:22.0392577Z [default0]:[rank1]: E   x");
  EXPECT_EQ(line.text, "x");
  EXPECT_EQ(line.time, "2025-04-17T06:19:22.0392577Z");
  EXPECT_EQ(line.stream, "[default0]:[rank1]:");
  EXPECT_EQ(line.rank, 1);
  EXPECT_TRUE(line.pytest_error);
}

TEST(DecorationsTest, WritersAreToldApart) {
  const Cleaned a = Clean("(EngineCore_0 pid=12) x");
  const Cleaned b = Clean("(EngineCore_0 pid=13) x");
  EXPECT_NE(a.stream, b.stream);
  EXPECT_EQ(a.text, b.text);
}

TEST(DecorationsTest, AWritersNameIsBounded) {
  std::string line;
  for (int i = 0; i < 10'000; ++i) line += "[rank1]:";
  line += " x";
  const Cleaned cleaned = Clean(line);
  EXPECT_EQ(cleaned.text, "x");
  EXPECT_LE(cleaned.stream.size(), 512u);
}

TEST(DecorationsTest, WorkerNamesTellTheRank) {
  EXPECT_EQ(Clean("(Worker_TP1 pid=884120) x").rank, 1);
  EXPECT_EQ(Clean("(Worker_TP1_EP3 pid=884120) x").rank, 1);
  EXPECT_EQ(Clean("(RayWorkerWrapper pid=8, ip=10.0.0.7) x").rank, -1);
}

TEST(DecorationsTest, RaysSuffixIsTakenOff) {
  EXPECT_EQ(Clean("(A pid=1) boom [repeated 2x across cluster]").text, "boom");
  EXPECT_EQ(Clean("(A pid=1) boom [repeated 2x across cluster] (Ray "
                  "deduplicates logs by default. See https://x)")
                .text,
            "boom");
  EXPECT_EQ(Clean("boom [repeated 2x across cluster]").text,
            "boom [repeated 2x across cluster]");
}

TEST(DecorationsTest, EscapesAreRemoved) {
  EXPECT_EQ(Clean("\x1b[31mred\x1b[0m rest").text, "red rest");
  EXPECT_EQ(Clean("\x1b]0;title\x07shell").text, "shell");
  EXPECT_EQ(Clean("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\").text, "link");
  EXPECT_EQ(Clean("\x1b_bk;t=1\x07hello").text, "hello");
  EXPECT_EQ(Clean("a\x1b").text, "a");
  EXPECT_EQ(Clean("a\x1b]0;t\x07"
                  "b\x1b[1;2mc")
                .text,
            "abc");
  EXPECT_EQ(Clean("\x1b[1m[rank0]:\x1b[0m x").text, "x");
  EXPECT_EQ(Clean("\x1b_bk;t=1\x07"
                  "2025-04-17T06:19:22Z x")
                .text,
            "x");
}

TEST(DecorationsTest, DecorationsBehindColoursAreFound) {
  const Cleaned line = Clean("\x1b[1m\x1b[31mE   ValueError: x\x1b[0m");
  EXPECT_EQ(line.text, "ValueError: x");
  EXPECT_TRUE(line.pytest_error);
}

TEST(DecorationsTest, AnUnterminatedSequenceKeepsItsText) {
  EXPECT_EQ(Clean("\x1b]never closed").text, "never closed");
}

TEST(DecorationsTest, ABareCommandIsAnEmptyLine) {
  EXPECT_EQ(Clean("##[error]").text, "");
  EXPECT_EQ(Clean("2025-04-17T06:19:22.0392577Z ##[error]").text, "");
}

TEST(DecorationsTest, CarriageReturnsAtTheEndGo) {
  EXPECT_EQ(Clean("x\r").text, "x");
  EXPECT_EQ(Clean("\r").text, "");
}

TEST(DecorationsTest, WithoutEscapesIsTheSame) {
  EXPECT_EQ(WithoutEscapes("\x1b[31mred\x1b[0m\nnext"), "red\nnext");
  EXPECT_EQ(WithoutEscapes("plain"), "plain");
}

}  // namespace
}  // namespace pt2triage
