#include "event/fault_handler.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Event> Parse(std::string_view text) {
  std::vector<Event> events;
  CrashParser parser([&](Event event) { events.push_back(std::move(event)); });
  Evidence at;
  at.line = 1;
  while (!text.empty()) {
    const std::string_view line = NextLine(&text);
    at.length = line.size() + 1;
    parser.OnLine({line, at, false});
    at.offset += at.length;
    ++at.line;
  }
  parser.Finish();
  return events;
}

TEST(CrashTest, ADumpGivesTheCurrentThreadsFrames) {
  const auto events = Parse(
      "Fatal Python error: Segmentation fault\n"
      "\n"
      "Thread 0x00007f01 (most recent call first):\n"
      "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
      "\n"
      "Current thread 0x00007f02 (most recent call first):\n"
      "  File \"/a/main.py\", line 7 in kernel\n"
      "  File \"/a/main.py\", line 12 in <module>\n"
      "\n"
      "Extension modules: numpy._core (total: 22)\n");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, EventKind::kCrash);
  EXPECT_EQ(events[0].name, "SIGSEGV");
  EXPECT_EQ(events[0].message, "Fatal Python error: Segmentation fault");
  EXPECT_THAT(events[0].frames,
              ElementsAre(StackFrame{"/a/main.py", 12, "<module>", ""},
                          StackFrame{"/a/main.py", 7, "kernel", ""}));
}

TEST(CrashTest, ADumpBehindAPrefixThatNobodyKnows) {
  const auto events = Parse(
      "[unit tests] Fatal Python error: Segmentation fault\n"
      "[unit tests] \n"
      "[unit tests] Current thread 0x00007f02 (most recent call first):\n"
      "[unit tests]   File \"/a/main.py\", line 7 in kernel\n"
      "[unit tests]   File \"/a/main.py\", line 12 in <module>\n"
      "[unit tests]\n"
      "[unit tests] Extension modules: numpy._core (total: 22)\n");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].message, "Fatal Python error: Segmentation fault");
  EXPECT_THAT(events[0].frames,
              ElementsAre(StackFrame{"/a/main.py", 12, "<module>", ""},
                          StackFrame{"/a/main.py", 7, "kernel", ""}));
}

TEST(CrashTest, APrefixOfTheFirstLineOnly) {
  const auto events = Parse(
      "test_a.py::test_b Fatal Python error: Segmentation fault\n"
      "\n"
      "Current thread 0x00007f02 (most recent call first):\n"
      "  File \"/a/main.py\", line 7 in kernel\n");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_THAT(events[0].frames, SizeIs(1));
}

TEST(CrashTest, SignalsAreNamed) {
  const struct {
    std::string_view text;
    std::string_view signal;
  } kSignals[] = {{"Segmentation fault", "SIGSEGV"},
                  {"Aborted", "SIGABRT"},
                  {"Bus error", "SIGBUS"},
                  {"Floating-point exception", "SIGFPE"},
                  {"Illegal instruction", "SIGILL"}};
  for (const auto& [text, signal] : kSignals) {
    const auto events =
        Parse("Fatal Python error: " + std::string(text) + "\n");
    ASSERT_THAT(events, SizeIs(1)) << text;
    EXPECT_EQ(events[0].name, signal);
  }
}

TEST(CrashTest, AnUncaughtCppExceptionSaysWhat) {
  const auto events = Parse(
      "terminate called after throwing an instance of 'std::runtime_error'\n"
      "  what():  index out of bounds: 0 <= tmp7 < 8L\n"
      "Aborted (core dumped)\n");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].name, "SIGABRT");
  EXPECT_EQ(events[0].value, "std::runtime_error");
  EXPECT_EQ(events[0].reason, "index out of bounds: 0 <= tmp7 < 8L");
}

TEST(CrashTest, TerminateAndDumpAreOneDeath) {
  const auto events = Parse(
      "terminate called after throwing an instance of 'c10::Error'\n"
      "  what():  bad\n"
      "Fatal Python error: Aborted\n"
      "\n"
      "Current thread 0x00007f02 (most recent call first):\n"
      "  File \"/a/main.py\", line 7 in f\n");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].reason, "bad");
  EXPECT_THAT(events[0].frames, SizeIs(1));
}

TEST(CrashTest, TheShellsWordOnAChild) {
  EXPECT_THAT(Parse("Segmentation fault\n"), SizeIs(1));
  EXPECT_THAT(Parse("./run.sh: line 3:  4711 Segmentation fault      (core "
                    "dumped) python train.py\n"),
              SizeIs(1));
}

TEST(CrashTest, BashPadsItsWordsTo24Columns) {
  for (std::string_view text :
       {"Segmentation fault      (core dumped) python train.py",
        "Floating point exception(core dumped) python train.py",
        "Illegal instruction     (core dumped) python train.py"}) {
    EXPECT_THAT(Parse("run.sh: line 3:  4711 " + std::string(text) + "\n"),
                SizeIs(1))
        << text;
  }
}

TEST(CrashTest, OtherTextIsNone) {
  EXPECT_THAT(Parse("the test checks for a Segmentation fault in a child\n"
                    "Aborted\n"
                    "Bus error handling was changed\n"
                    "Fatal Python error: init_fs_encoding: failed\n"),
              IsEmpty());
}

TEST(CrashTest, ATracebackEndsADump) {
  const auto events = Parse(
      "Fatal Python error: Segmentation fault\n"
      "\n"
      "Current thread 0x00007f02 (most recent call first):\n"
      "  File \"/a/main.py\", line 7 in f\n"
      "Traceback (most recent call last):\n"
      "  File \"/a/other.py\", line 1, in g\n");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_THAT(events[0].frames, SizeIs(1));
}

TEST(CrashTest, DeepStacksAreBounded) {
  std::string text =
      "Fatal Python error: Segmentation fault\n\n"
      "Current thread 0x00007f02 (most recent call first):\n";
  for (int i = 0; i < 10000; ++i) {
    text += "  File \"/a/main.py\", line 7 in f\n";
  }
  const auto events = Parse(text);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_LE(events[0].frames.size(), 200u);
}

}  // namespace
}  // namespace pt2triage
