#include "event/text_events.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "record/record_stream.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

// The text events of a log.
std::vector<Event> EventsOf(std::string_view text) {
  std::vector<Event> events;
  TextEventBuilder builder(
      0, [&](Event event) { events.push_back(std::move(event)); });
  ParseStats stats;
  RecordStream stream(RecordMatters, false, &stats,
                      {[&](LogRecord& record) { builder.OnRecord(record); },
                       [](TraceRecord&) {},
                       [&](const Line& line) { builder.OnPlainLine(line); }});
  stream.Feed(text);
  stream.Finish();
  builder.Finish();
  return events;
}

// `text` as the lines of one record.
std::string Record(std::string_view text, std::string_view artifact = "",
                   char level = 'W', std::string_view before = "") {
  std::string out;
  std::string head = std::string(before) + level +
                     "1129 15:22:18.930000 9 torch/a.py:1] [0/1] ";
  if (!artifact.empty()) head += "[__" + std::string(artifact) + "] ";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += head + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

constexpr std::string_view kTraceback =
    "Traceback (most recent call last):\n"
    "  File \"/a/main.py\", line 3, in f\n"
    "    g()\n"
    "torch._dynamo.exc.Unsupported: call_method x\n";

TEST(RecordMattersTest, ByArtifactLevelAndHead) {
  auto matters = [](std::string_view line) {
    return RecordMatters(*FindLogHeader(line));
  };
  EXPECT_TRUE(matters(
      "V1129 15:22:18.930000 9 t/a.py:1] [0/0] [__graph_breaks] Graph break"));
  EXPECT_TRUE(
      matters("V1129 15:22:18.930000 9 t/a.py:1] [0/0] [__recompiles] x"));
  EXPECT_TRUE(matters("W1129 15:22:18.930000 9 t/a.py:1] anything"));
  EXPECT_TRUE(matters("E1129 15:22:18.930000 9 t/a.py:1] anything"));
  EXPECT_TRUE(
      matters("I1129 15:22:18.930000 9 t/a.py:1] WON'T CONVERT f a.py "
              "line 1"));
  EXPECT_FALSE(matters("I1129 15:22:18.930000 9 t/a.py:1] create_env"));
  EXPECT_FALSE(
      matters("V1129 15:22:18.930000 9 t/a.py:1] [0/0] [__guards] GUARDS:"));
}

TEST(TextEventsTest, RecordsGiveTheirEvent) {
  const auto events =
      EventsOf(Record("Graph break in user code at /a/m.py:3\nReason: x\n",
                      "graph_breaks", 'V') +
               Record("Recompiling function f in /a/m.py:1\n"
                      "    triggered by the following guard failure(s):\n"
                      "    - 0/0: n == 3\n",
                      "recompiles", 'V') +
               Record("torch._dynamo hit config.recompile_limit (8)\n"
                      "   function: 'f' (/a/m.py:1)\n"
                      "   last reason: 0/0: n == 3\n"));
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[0].kind, EventKind::kGraphBreak);
  EXPECT_THAT(events[0].compile_id, Optional(CompileId{-1, 0, 1, 0}));
  EXPECT_EQ(events[0].process, "9");
  EXPECT_EQ(events[0].time, "1129 15:22:18.930000");
  EXPECT_EQ(events[1].kind, EventKind::kRecompile);
  EXPECT_EQ(events[2].kind, EventKind::kRecompileLimit);
  EXPECT_TRUE(events[2].logged);
}

TEST(TextEventsTest, ARaisedExceptionIsNotLogged) {
  const auto events = EventsOf(kTraceback);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, EventKind::kException);
  EXPECT_FALSE(events[0].logged);
  EXPECT_EQ(events[0].evidence.line, 1u);
  EXPECT_EQ(events[0].evidence.offset, 0u);
}

TEST(TextEventsTest, ALoggedTracebackIs) {
  const auto events =
      EventsOf(Record("failed while attempting to run meta for aten.add\n" +
                          std::string(kTraceback),
                      "", 'E'));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, EventKind::kException);
  EXPECT_TRUE(events[0].logged);
  EXPECT_EQ(events[0].message,
            "failed while attempting to run meta for aten.add");
}

TEST(TextEventsTest, WontConvertIsASkippedFrame) {
  const auto events =
      EventsOf(Record("WON'T CONVERT f /a/my model.py line 12 \ndue to: \n" +
                      std::string(kTraceback) + std::string(kTraceback)));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, EventKind::kSkippedFrame);
  EXPECT_EQ(events[0].user_frame, (StackFrame{"/a/my model.py", 12, "f", ""}));
  EXPECT_THAT(events[0].blocks, SizeIs(1));
}

TEST(TextEventsTest, InterleavedRanksKeepTheirTracebacks) {
  std::string text;
  std::string_view rest = kTraceback;
  while (!rest.empty()) {
    const size_t end = rest.find('\n') + 1;
    for (int rank : {0, 1}) {
      text += "[rank" + std::to_string(rank) + "]: ";
      text += rest.substr(0, end);
    }
    rest.remove_prefix(end);
  }
  const auto events = EventsOf(text);
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].rank + events[1].rank, 1);
  for (const Event& event : events) {
    ASSERT_THAT(event.blocks, SizeIs(1));
    EXPECT_EQ(event.blocks[0].type, "torch._dynamo.exc.Unsupported");
    EXPECT_THAT(event.blocks[0].frames, SizeIs(1));
  }
}

TEST(TextEventsTest, ATestSectionNamesTheTest) {
  const auto events = EventsOf(
      "======================= FAILURES =======================\n"
      "______________________ test_f ______________________\n" +
      std::string(kTraceback));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].test_id, "test_f");
}

TEST(TextEventsTest, APastedLimitIsPutTogether) {
  const auto events = EventsOf("   function: 'f' (/a/m.py:1)\n" +
                               Record("   last reason: 0/0: n == 3\n"
                                      "To log all recompilation reasons, use "
                                      "TORCH_LOGS=\"recompiles\".\n"));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, EventKind::kRecompileLimit);
  EXPECT_EQ(events[0].user_frame, (StackFrame{"/a/m.py", 1, "f", ""}));
  EXPECT_THAT(events[0].guards, SizeIs(1));
}

TEST(TextEventsTest, CrashesAndAssertsAreSeen) {
  const auto events = EventsOf(
      "Fatal Python error: Segmentation fault\n"
      "\n"
      "Current thread 0x00007f02 (most recent call first):\n"
      "  File \"/a/main.py\", line 7 in f\n"
      "\n"
      "/tmp/torchinductor_me/ab/cabc.py:18: unknown: block: [1,0,0], thread: "
      "[48,0,0] Assertion `index out of bounds: 0 <= tmp4 < 8` failed.\n");
  std::vector<EventKind> kinds;
  for (const Event& event : events) kinds.push_back(event.kind);
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre(EventKind::kCrash,
                                                     EventKind::kDeviceAssert));
}

TEST(TextEventsTest, HarmlessTextGivesNothing) {
  EXPECT_THAT(EventsOf("loss 0.1\nstep 2\n\n" + Record("create_env", "", 'I') +
                       Record("Guard eval latency", "guards", 'V')),
              IsEmpty());
}

TEST(TextEventsTest, ManyWritersAreBounded) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "(Worker pid=" + std::to_string(1000 + i) +
            ") Traceback (most recent call last):\n";
  }
  EXPECT_THAT(EventsOf(text), IsEmpty());
}

}  // namespace
}  // namespace pt2triage
