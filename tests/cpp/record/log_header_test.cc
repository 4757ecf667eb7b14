#include "record/log_header.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::Optional;

TEST(GlogHeaderTest, AllPartsAreRead) {
  const auto header = FindLogHeader(
      "V1129 15:22:18.930000 9036 torch/_dynamo/symbolic_convert.py:5124] "
      "[0/0] [__graph_breaks] Graph break in user code at a.py:3");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->level, 'V');
  EXPECT_EQ(header->time, "1129 15:22:18.930000");
  EXPECT_EQ(header->process, "9036");
  EXPECT_EQ(header->path, "torch/_dynamo/symbolic_convert.py");
  EXPECT_EQ(header->path_line, "5124");
  EXPECT_THAT(header->compile_id, Optional(CompileId{-1, 0, 0, 0}));
  EXPECT_EQ(header->artifact, "graph_breaks");
  EXPECT_EQ(header->body, "Graph break in user code at a.py:3");
  EXPECT_EQ(header->start, 0u);
}

TEST(GlogHeaderTest, IdAndArtifactMayBeMissing) {
  const auto bare =
      FindLogHeader("W1129 15:22:18.930000 9036 torch/x.py:1] text");
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->compile_id);
  EXPECT_EQ(bare->artifact, "");
  EXPECT_EQ(bare->body, "text");
  const auto artifact = FindLogHeader(
      "W1129 15:22:18.930000 9036 torch/x.py:1] [__cudagraphs] skipping");
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->artifact, "cudagraphs");
  EXPECT_EQ(artifact->body, "skipping");
}

TEST(GlogHeaderTest, EveryLevelAndKindOfId) {
  for (char level : {'V', 'I', 'W', 'E', 'C'}) {
    const std::string line = std::string(1, level) +
                             "1129 15:22:18.930000 9036 t/x.py:1] [!0/1/0_2] x";
    const auto header = FindLogHeader(line);
    ASSERT_TRUE(header) << level;
    EXPECT_EQ(header->level, level);
    EXPECT_THAT(header->compile_id, Optional(CompileId{0, 1, 0, 2}));
  }
}

TEST(GlogHeaderTest, ThreadIdsOf24AreLong) {
  const auto header = FindLogHeader(
      "V1129 15:37:25.165000 139968694107008 torch/x.py:534] [0/0] x");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->process, "139968694107008");
}

TEST(GlogHeaderTest, PathsMayHoldBlanksAndDrives) {
  const auto windows = FindLogHeader(
      "W0302 11:22:33.000000 1234 C:\\Program Files\\torch\\_guards.py:12] x");
  ASSERT_TRUE(windows);
  EXPECT_EQ(windows->path, "C:\\Program Files\\torch\\_guards.py");
  EXPECT_EQ(windows->path_line, "12");
  const auto up = FindLogHeader(
      "W0302 11:22:33.000000 1234 ../my dir/torch/_guards.py:12] x");
  ASSERT_TRUE(up);
  EXPECT_EQ(up->path, "../my dir/torch/_guards.py");
}

TEST(GlogHeaderTest, ThePrefixEndsAtTheFirstLineNumber) {
  const auto header = FindLogHeader(
      "V1129 15:22:18.930000 9036 torch/a.py:1] list[0:2] at b.py:7] end");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->path, "torch/a.py");
  EXPECT_EQ(header->body, "list[0:2] at b.py:7] end");
}

TEST(GlogHeaderTest, OneBlankIsTakenAndIndentationStays) {
  const auto header =
      FindLogHeader("V1129 15:22:18.930000 9036 torch/a.py:1] [0/0]   x");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->body, "  x");
  EXPECT_EQ(FindLogHeader("V1129 15:22:18.930000 9036 torch/a.py:1] ")->body,
            "");
  EXPECT_EQ(FindLogHeader("V1129 15:22:18.930000 9036 torch/a.py:1]")->body,
            "");
}

TEST(GlogHeaderTest, TextInBracketsIsText) {
  const auto header = FindLogHeader(
      "V1129 15:22:18.930000 9036 torch/a.py:1] [3, 4] [rank0] x");
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->compile_id);
  EXPECT_EQ(header->body, "[3, 4] [rank0] x");
}

TEST(GlogHeaderTest, StandsBehindOtherOutput) {
  const std::string_view line =
      " 42%|####      | 21/50 [00:03<00:04]W1129 15:22:18.930000 9036 "
      "torch/a.py:1] [0/0] x";
  const auto header = FindLogHeader(line);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->start, line.find("W1129"));
  EXPECT_EQ(header->body, "x");
}

TEST(GlogHeaderTest, LinesOfOneRecordHaveOneIdentity) {
  const std::string_view prefix =
      "V1129 15:22:18.930000 9036 torch/a.py:1] [0/0] [__recompiles] ";
  const std::string a = std::string(prefix) + "first";
  const std::string b = std::string(prefix) + "    second";
  EXPECT_EQ(FindLogHeader(a)->identity, FindLogHeader(b)->identity);
  const std::string other =
      "V1129 15:22:18.930000 9036 torch/a.py:1] [0/1] [__recompiles] x";
  EXPECT_NE(FindLogHeader(a)->identity, FindLogHeader(other)->identity);
}

TEST(OldHeaderTest, AllPartsAreRead) {
  const auto header = FindLogHeader(
      "[2026-11-29 15:42:12,872] [0/0] "
      "torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] Graph break: x");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->level, 'V');
  EXPECT_EQ(header->time, "2026-11-29 15:42:12,872");
  EXPECT_EQ(header->process, "");
  EXPECT_EQ(header->path, "torch._dynamo.symbolic_convert");
  EXPECT_EQ(header->path_line, "");
  EXPECT_THAT(header->compile_id, Optional(CompileId{-1, 0, 0, 0}));
  EXPECT_EQ(header->artifact, "graph_breaks");
  EXPECT_EQ(header->body, "Graph break: x");
}

TEST(OldHeaderTest, EveryLevel) {
  const struct {
    std::string_view name;
    char level;
  } kLevels[] = {{"DEBUG", 'V'},
                 {"INFO", 'I'},
                 {"WARNING", 'W'},
                 {"ERROR", 'E'},
                 {"CRITICAL", 'C'}};
  for (const auto& [name, level] : kLevels) {
    const std::string line = "[2026-11-29 15:42:12,872] torch._dynamo.x: [" +
                             std::string(name) + "] text";
    const auto header = FindLogHeader(line);
    ASSERT_TRUE(header) << name;
    EXPECT_EQ(header->level, level);
    EXPECT_EQ(header->body, "text");
  }
}

TEST(OldHeaderTest, WinsOverOneThatItsTextQuotes) {
  const auto header = FindLogHeader(
      "[2026-11-29 16:07:46,758] [3/0] torch._dynamo.guards.__guards: [DEBUG] "
      "said W0102 09:11:05.120000 812 torch/_dynamo/utils.py:906] [0/8] hello");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->start, 0u);
  EXPECT_EQ(header->artifact, "guards");
}

TEST(OldHeaderTest, StandsBehindOtherOutput) {
  const auto header = FindLogHeader(
      "  0%|          | 0/2 [00:00<?, ?it/s][2026-11-29 15:42:12,872] [1/0] "
      "torch._dynamo.convert_frame: [WARNING] torch._dynamo hit config.x (8)");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->level, 'W');
  EXPECT_EQ(header->body, "torch._dynamo hit config.x (8)");
}

TEST(LogHeaderTest, LookAlikesAreNone) {
  for (std::string_view line : {
           "",
           "V1129",
           "plain text with a bracket] in it",
           // c10's own loggers.
           "[I1129 15:38:53.071261182 debug.cpp:49] [c10d] The debug level",
           "[I debug.cpp:49] [c10d] The debug level is set to INFO.",
           "[rank0]:[E1129 15:38:53.071261182 ProcessGroupNCCL.cpp:616] x",
           "W1129 15:38:53.071261182 socket.cpp:697] [c10d] x",
           // Other programs.
           "[2026-11-29 15:42:12,872] my.app: [ERROR] broken",
           "[2026-11-29 15:42:12,872] [0/0] my.app: [ERROR] broken",
           "[2026-11-29 15:42:12,872] torch._dynamo.x: text",
           "[2026-11-29 15:42:12,872] torch._dynamo.x: [NOTSET] text",
           "2026-11-29 15:42:12,872 - torch - ERROR - text [x]",
           "[2026-11-29 15:42:12] torch._dynamo.x: [ERROR] text",
           "I1129 15:22:18.930 9036 glog.cc:1] milliseconds only",
           "E1129 15:22:18.930000 torch/x.py:1] no process",
           "E1129 15:22:18.930000 9036 torch/x.py] no line",
           "D1129 15:22:18.930000 9036 torch/x.py:1] unknown level",
       }) {
    EXPECT_FALSE(FindLogHeader(line)) << line;
  }
}

}  // namespace
}  // namespace pt2triage
