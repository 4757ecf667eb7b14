#include "event/recompile.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

Event Recompile(std::string_view text) {
  Event event;
  EXPECT_TRUE(ParseRecompileRecord(text, &event)) << text;
  EXPECT_EQ(event.kind, EventKind::kRecompile);
  return event;
}

Event Limit(std::string_view text) {
  Event event;
  EXPECT_TRUE(ParseLimitRecord(text, &event)) << text;
  EXPECT_EQ(event.kind, EventKind::kRecompileLimit);
  return event;
}

std::vector<std::string> Texts(const Event& event) {
  std::vector<std::string> texts;
  for (const GuardText& guard : event.guards) {
    texts.push_back(guard.compile_id + "|" + guard.text);
  }
  return texts;
}

TEST(RecompileTest, NamesTheFunction) {
  const Event event = Recompile(
      "Recompiling function forward in /a/my model.py:12\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/0: n == 3\n");
  EXPECT_EQ(event.user_frame,
            (StackFrame{"/a/my model.py", 12, "forward", ""}));
  EXPECT_EQ(event.message, "Recompiling function forward in /a/my model.py:12");
  EXPECT_THAT(Texts(event), ElementsAre("0/0|n == 3"));
}

TEST(RecompileTest, ResumeFunctionsAreWhatTheyResume) {
  const Event event = Recompile(
      "Recompiling function torch_dynamo_resume_in_f_at_7 in a.py:7\n"
      "    triggered by the following guard failure(s):\n"
      "    - 1/0: n == 3\n");
  EXPECT_EQ(event.user_frame->function, "f");
}

TEST(RecompileTest, V22HasNoIdsAndOwnLines) {
  const Event event = Recompile(
      "Recompiling function f in a.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    - L['n'] == 3                                            # return "
      "x\n"
      "    - tensor 'L['x']' size mismatch at index 0. expected 3, actual 4\n");
  ASSERT_THAT(event.guards, SizeIs(2));
  EXPECT_EQ(event.guards[0].compile_id, "");
  EXPECT_THAT(event.guards[0].text, StartsWith("L['n'] == 3"));
  EXPECT_EQ(event.guards[1].text,
            "tensor 'L['x']' size mismatch at index 0. expected 3, actual 4");
}

TEST(RecompileTest, V26JoinsReasonsOfOneEntry) {
  const Event event = Recompile(
      "Recompiling function f in a.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/1: n == 3; m == 4\n"
      "    - 0/0: n == 2\n");
  EXPECT_THAT(Texts(event),
              ElementsAre("0/1|n == 3", "0/1|m == 4", "0/0|n == 2"));
}

TEST(RecompileTest, ASemicolonInAStringDoesNotSplit) {
  const Event event = Recompile(
      "Recompiling function f in a.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/0: name == 'a; b'\n");
  EXPECT_THAT(Texts(event), ElementsAre("0/0|name == 'a; b'"));
}

TEST(RecompileTest, ASemicolonInTheCommentDoesNotSplit) {
  const Event event = Recompile(
      "Recompiling function f in a.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/0: n == 3  # x = 1; y = n  # a.py:4 in f\n");
  EXPECT_THAT(Texts(event),
              ElementsAre("0/0|n == 3  # x = 1; y = n  # a.py:4 in f"));
}

TEST(RecompileTest, V213PutsTheUserStackIntoTheReason) {
  const Event event = Recompile(
      "Recompiling function f in a.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/1: n == 3                  # return x * n  # a.py:4 in f\n"
      "    - User stack trace:\n"
      "    -   File \"a.py\", line 9, in <module>\n"
      "    -     f(x, 3)\n"
      "    - 0/0: n == 2                  # return x * n  # a.py:4 in f\n"
      "    - User stack trace:\n"
      "    -   File \"a.py\", line 8, in <module>\n"
      "    -     f(x, 2)\n");
  ASSERT_THAT(event.guards, SizeIs(2));
  EXPECT_EQ(event.guards[0].compile_id, "0/1");
  EXPECT_THAT(event.guards[0].text, StartsWith("n == 3"));
  EXPECT_EQ(event.guards[1].compile_id, "0/0");
}

TEST(RecompileTest, VerboseBlocksAreRead) {
  const Event event = Recompile(
      "Recompiling function f in a.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    guard 0 failures:\n"
      "    - 0/1: n == 3\n"
      "\n"
      "    guard 1 failures:\n"
      "    - 0/0: n == 2\n");
  EXPECT_THAT(Texts(event), ElementsAre("0/1|n == 3", "0/0|n == 2"));
}

TEST(RecompileTest, OtherTextIsNone) {
  Event event;
  EXPECT_FALSE(ParseRecompileRecord("", &event));
  EXPECT_FALSE(ParseRecompileRecord("recompiling function f", &event));
  EXPECT_FALSE(
      ParseRecompileRecord("Graph break in user code at a.py:1", &event));
}

TEST(LimitTest, AllParts) {
  const Event event = Limit(
      "torch._dynamo hit config.recompile_limit (8)\n"
      "   function: 'forward' (/a/b.py:12)\n"
      "   last reason: 0/7: n == 9\n"
      "To log all recompilation reasons, use TORCH_LOGS=\"recompiles\".\n"
      "To diagnose recompilation issues, see https://x.\n");
  EXPECT_EQ(event.name, "recompile_limit");
  EXPECT_EQ(event.value, "8");
  EXPECT_EQ(event.message, "torch._dynamo hit config.recompile_limit (8)");
  EXPECT_EQ(event.user_frame, (StackFrame{"/a/b.py", 12, "forward", ""}));
  EXPECT_THAT(Texts(event), ElementsAre("0/7|n == 9"));
}

TEST(LimitTest, OldNames) {
  for (std::string_view name :
       {"cache_size_limit", "accumulated_cache_size_limit",
        "accumulated_recompile_limit"}) {
    const Event event =
        Limit("torch._dynamo hit config." + std::string(name) + " (64)\n");
    EXPECT_EQ(event.name, name);
    EXPECT_EQ(event.value, "64");
  }
}

TEST(LimitTest, ThePastedRestIsRead) {
  const Event event = Limit(
      "   function: 'forward' (/a/b.py:12)\n"
      "   last reason: L['n'] == 9\n");
  EXPECT_EQ(event.name, "");
  EXPECT_EQ(event.user_frame, (StackFrame{"/a/b.py", 12, "forward", ""}));
  EXPECT_THAT(Texts(event), ElementsAre("|L['n'] == 9"));
}

TEST(LimitTest, AStackInTheReasonIsNoGuard) {
  const Event event = Limit(
      "torch._dynamo hit config.recompile_limit (8)\n"
      "   function: 'f' (a.py:12)\n"
      "   last reason: 0/7: n == 9  # x * n  # a.py:14 in f\n"
      "User stack trace:\n"
      "  File \"a.py\", line 14, in f\n"
      "    return x * n\n"
      "To log all recompilation reasons, use TORCH_LOGS=\"recompiles\".\n");
  EXPECT_THAT(Texts(event), ElementsAre("0/7|n == 9  # x * n  # a.py:14 in f"));
}

}  // namespace
}  // namespace pt2triage
