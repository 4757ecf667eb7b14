#include "record/dull_lines.h"

#include <functional>
#include <string>
#include <string_view>

#include "event/text_events.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using std::string_literals::operator""s;

constexpr std::string_view kTime = "V1129 15:22:18.930000 ";
constexpr std::string_view kStamp = "2025-04-17T06:19:22.0392577Z ";

std::string Header(std::string_view process, std::string_view place,
                   std::string_view artifact) {
  std::string line(kTime);
  line.append(process).append(" torch/_dynamo/").append(place).append("] ");
  line.append("[0/0] ");
  if (!artifact.empty()) line.append("[__").append(artifact).append("] ");
  return line;
}

DullRun Take(std::string_view text, bool trace = false,
             const DullLines::Verdicts& verdicts = {}) {
  DullLines lines(TextEventBuilder::Rules());
  DullRun run;
  lines.Take(text, trace, verdicts, &run);
  return run;
}

TEST(DullLinesTest, RecordsThatNobodyWantsAreCounted) {
  const std::string a = Header("9", "symbolic_convert.py:1584", "trace_call");
  const std::string b = Header("9", "symbolic_convert.py:1554", "trace_source");
  const std::string text =
      a + "TRACE x []\n" + a + "more of it\n" + b + "TRACE y\n" + a + "z\n";
  const DullRun run = Take(text);
  EXPECT_EQ(run.bytes, text.size());
  EXPECT_EQ(run.lines, 4);
  EXPECT_EQ(run.plain, 0);
  ASSERT_EQ(run.used, 1);
  EXPECT_EQ(run.processes[0].name, "9");
  EXPECT_EQ(run.processes[0].records, 3);
  EXPECT_EQ(run.processes[0].first + " ", a);
  EXPECT_EQ(run.processes[0].last + " ", a);
}

TEST(DullLinesTest, ProcessesAreApartAndSortedByTheirLastLines) {
  const std::string a = Header("1", "x.py:1", "trace_call");
  const std::string b = Header("2", "x.py:1", "trace_call");
  const DullRun run =
      Take(a + "long enough a\n" + b + "long enough b\n" + a + "and again\n");
  ASSERT_EQ(run.used, 2);
  EXPECT_EQ(run.processes[0].name, "2");
  EXPECT_EQ(run.processes[1].name, "1");
  EXPECT_EQ(run.processes[1].records, 1);
}

TEST(DullLinesTest, StopsAtARecordThatIsWanted) {
  const std::string dull = Header("9", "x.py:1", "trace_call") + "anything\n";
  for (const std::string& line : {
           Header("9", "x.py:2", "graph_breaks") + "Graph break in user code\n",
           Header("9", "x.py:3", "recompiles") + "Recompiling function f in\n",
           Header("9", "x.py:4", "") + "WON'T CONVERT f a.py line 1\n",
           std::string(kTime) + "9 torch/x.py:5] {\"str\": [\"a\", 1]}\n",
           "W1129 15:22:18.930000 9 torch/_dynamo/x.py:9] a warning\n"s,
       }) {
    EXPECT_EQ(Take(dull + line + dull).bytes, dull.size()) << line;
  }
}

TEST(DullLinesTest, TheWordsOfARecordWithoutArtifactMatter) {
  const std::string head = Header("9", "x.py:4", "");
  const std::string dull = head + "nothing of interest to anybody\n";
  const std::string text = dull + dull + head + "WON'T CONVERT f a.py line 1\n";
  EXPECT_EQ(Take(text).bytes, 2 * dull.size());
}

TEST(DullLinesTest, PlainTextIsDullWithoutATellingWord) {
  const std::string dull = std::string(kStamp) + "step 3 loss 0.25\n";
  for (std::string_view line :
       {"Traceback (most recent call last):", "==== FAILURES ====",
        "[rank0]: anything", "E   assert x", "a/b.py:12: in f",
        "FAILED t.py::x - E", "\x1b[31mred\x1b[0m", "a\rb", "\xff"}) {
    for (std::string_view stamp : {"", std::string_view(kStamp).data()}) {
      const std::string text =
          dull + std::string(stamp) + std::string(line) + "\n" + dull;
      EXPECT_EQ(Take(text).bytes, dull.size()) << line;
    }
  }
  const DullRun run = Take(dull + "\n" + dull + "d\xC3\xA9j\xC3\xA0 vu\r\n");
  EXPECT_EQ(run.lines, 4);
  EXPECT_EQ(run.plain, run.bytes);
}

TEST(DullLinesTest, PayloadMayMatterInATrace) {
  EXPECT_EQ(Take("\tx = 1\n").lines, 1);
  EXPECT_EQ(Take("\tx = 1\n", /*trace=*/true).lines, 0);
}

TEST(DullLinesTest, VerdictsAreNotedOrAskedAbout) {
  const std::string text = "a.py::t PASSED [ 1%]\na.py::u PASSED [ 2%]\n";
  EXPECT_FALSE(Take(text).verdicts);
  EXPECT_TRUE(Take(text, false, {.note = true}).verdicts);
  EXPECT_FALSE(Take("nothing\n", false, {.note = true}).verdicts);
  const std::function<bool(std::string_view)> watched =
      [](std::string_view line) { return line.starts_with("a.py::u"); };
  EXPECT_EQ(Take(text, false, {.watched = &watched}).lines, 1);
}

}  // namespace
}  // namespace pt2triage
