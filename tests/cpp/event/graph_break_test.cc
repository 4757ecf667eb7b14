#include "event/graph_break.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Event Parse(std::string_view text) {
  Event event;
  EXPECT_TRUE(ParseGraphBreakRecord(text, &event)) << text;
  EXPECT_EQ(event.kind, EventKind::kGraphBreak);
  return event;
}

TEST(GbMessageTest, AllPartsOf213) {
  const GbMessage message = ParseGbMessage(
      "Unsupported Tensor.item() call with capture_scalar_outputs=False\n"
      "  Explanation: Dynamo does not support tracing `Tensor.item()` with\n"
      "    config.capture_scalar_outputs=False.\n"
      "  Hint: Set `torch._dynamo.config.capture_scalar_outputs = True`.\n"
      "  Hint: Or move it out.\n"
      "\n"
      "  Developer debug context: call_method TensorVariable() item () {}\n"
      "\n"
      " For more details about this graph break, please visit: "
      "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0109.html");
  EXPECT_EQ(message.reason,
            "Unsupported Tensor.item() call with capture_scalar_outputs=False");
  EXPECT_EQ(message.explanation,
            "Dynamo does not support tracing `Tensor.item()` with\n"
            "config.capture_scalar_outputs=False.");
  EXPECT_THAT(
      message.hints,
      ElementsAre("Set `torch._dynamo.config.capture_scalar_outputs = True`.",
                  "Or move it out."));
  EXPECT_EQ(message.context, "call_method TensorVariable() item () {}");
  EXPECT_EQ(message.id, "GB0109");
}

TEST(GbMessageTest, AnExplanationMayHoldEmptyLinesOrNothing) {
  const GbMessage long_one = ParseGbMessage(
      "Data-dependent branching\n"
      "  Explanation: Detected data-dependent branching.\n"
      "\n"
      "    The branch condition involves a tensor computed as follows:\n"
      "  Hint: Use `torch.cond`.\n");
  EXPECT_THAT(long_one.explanation, HasSubstr("The branch condition"));
  EXPECT_THAT(long_one.hints, ElementsAre("Use `torch.cond`."));
  const GbMessage empty = ParseGbMessage(
      "Some type\n  Explanation: \n\n\n  Developer debug context: x\n");
  EXPECT_EQ(empty.explanation, "");
  EXPECT_EQ(empty.context, "x");
  EXPECT_THAT(empty.hints, IsEmpty());
  EXPECT_EQ(empty.id, "");
}

TEST(GbMessageTest, LeadInsAreNotTheReason) {
  for (std::string_view lead :
       {"Encountered graph break when attempting to trace CALL: a function "
        "call, e.g. f(x, y):",
        "Failed to handle graph break gracefully. Skipping the function and "
        "falling back to eager. Graph break encountered:"}) {
    const GbMessage message = ParseGbMessage(std::string(lead) +
                                             "\n\nAttempt to trace generator\n"
                                             "  Explanation: x\n");
    EXPECT_EQ(message.reason, "Attempt to trace generator");
    EXPECT_EQ(message.explanation, "x");
  }
}

TEST(GbMessageTest, OfTwoBreaksTheFirstIsTheCause) {
  const GbMessage message = ParseGbMessage(
      "Unsupported call\n"
      "  Explanation: first\n"
      "\n"
      "*** While handling this graph break, another graph break occurred: ***\n"
      "\n"
      "graph break in loop\n"
      "  Explanation: second\n");
  EXPECT_EQ(message.reason, "Unsupported call");
  EXPECT_EQ(message.explanation, "first");
}

TEST(GbMessageTest, HigherOrderOperatorsAreNamed) {
  const GbMessage message = ParseGbMessage(
      "This higher order operator doesn't work\n"
      "  Higher Order Operator: torch.ops.higher_order.cond\n"
      "  Explanation: x\n");
  EXPECT_EQ(message.operator_name, "torch.ops.higher_order.cond");
  EXPECT_EQ(message.reason, "This higher order operator doesn't work");
}

TEST(GbMessageTest, FreeTextIsAllReason) {
  const GbMessage message =
      ParseGbMessage("call_method UserDefinedObjectVariable(Logger) x [] {}");
  EXPECT_EQ(message.reason,
            "call_method UserDefinedObjectVariable(Logger) x [] {}");
  EXPECT_EQ(message.explanation, "");
}

TEST(GraphBreakRecordTest, V22) {
  const Event event = Parse(
      "Graph break: call_function BuiltinVariable(print) [TensorVariable()] {} "
      "from user code at:\n"
      "  File \"main.py\", line 9, in f\n"
      "    print(x)\n");
  EXPECT_EQ(event.reason,
            "call_function BuiltinVariable(print) [TensorVariable()] {}");
  EXPECT_THAT(event.frames,
              ElementsAre(StackFrame{"main.py", 9, "f", "print(x)"}));
  EXPECT_FALSE(event.duplicate);
}

TEST(GraphBreakRecordTest, V24TakesTheReasonFromTheTraceback) {
  const Event event = Parse(
      "Graph break: from user code at:\n"
      "  File \"main.py\", line 9, in f\n"
      "    print(x)\n"
      "Traceback (most recent call last):\n"
      "  File \"/x/torch/_dynamo/symbolic_convert.py\", line 500, in inner\n"
      "    unimplemented(msg)\n"
      "torch._dynamo.exc.Unsupported: builtin: print [TensorVariable()]\n");
  EXPECT_EQ(event.reason, "builtin: print [TensorVariable()]");
  EXPECT_THAT(event.frames,
              ElementsAre(StackFrame{"main.py", 9, "f", "print(x)"}));
  EXPECT_THAT(event.blocks, SizeIs(1));
}

TEST(GraphBreakRecordTest, V26) {
  const Event event = Parse(
      "Graph break in user code at /a/main.py:9\n"
      "Reason: Unsupported: builtin: print [TensorVariable()]\n"
      "User code traceback:\n"
      "  File \"/a/main.py\", line 9, in f\n"
      "    print(x)\n");
  EXPECT_EQ(event.reason, "builtin: print [TensorVariable()]");
  ASSERT_TRUE(event.user_frame);
  EXPECT_EQ(event.user_frame->file, "/a/main.py");
  EXPECT_EQ(event.user_frame->line, 9);
  EXPECT_THAT(event.frames, SizeIs(1));
}

TEST(GraphBreakRecordTest, V28) {
  const Event event = Parse(
      "Graph break in user code at /a/main.py:9\n"
      "Graph Break Reason: Attempt to trace generator\n"
      "  Explanation: Generators cannot be compiled directly.\n"
      "  Hint: Call a generator from a non-generator function instead.\n"
      "\n"
      "  Developer debug context: \n"
      "\n"
      "User code traceback:\n"
      "  File \"/a/main.py\", line 20, in <module>\n"
      "    f(x)\n"
      "  File \"/a/main.py\", line 9, in f\n"
      "    yield x\n");
  EXPECT_EQ(event.reason, "Attempt to trace generator");
  EXPECT_EQ(event.explanation, "Generators cannot be compiled directly.");
  EXPECT_THAT(event.hints, SizeIs(1));
  EXPECT_EQ(event.graph_break_id, "");
  ASSERT_THAT(event.frames, SizeIs(2));
  EXPECT_EQ(event.frames[1].function, "f");
}

TEST(GraphBreakRecordTest, V210And213HaveALeadInAndAUrl) {
  const Event event = Parse(
      "Graph break in user code at /a/main.py:9\n"
      "Graph Break Reason: Encountered graph break when attempting to trace "
      "CALL: a function call, e.g. f(x, y):\n"
      "\n"
      "Call to `torch._dynamo.graph_break()`\n"
      "  Explanation: User-inserted graph break. Message: None\n"
      "  Hint: Remove the `torch._dynamo.graph_break()` call.\n"
      "\n"
      "  Developer debug context: Called `torch._dynamo.graph_break()`\n"
      "\n"
      " For more details about this graph break, please visit: "
      "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0025.html\n"
      "\n"
      "User code traceback:\n"
      "  File \"/a/main.py\", line 9, in f\n"
      "    torch._dynamo.graph_break()\n"
      "    ~~~~~~~~~~~~~~~~~~~~~~~~~^^\n");
  EXPECT_EQ(event.reason, "Call to `torch._dynamo.graph_break()`");
  EXPECT_EQ(event.graph_break_id, "GB0025");
  EXPECT_THAT(event.frames,
              ElementsAre(StackFrame{"/a/main.py", 9, "f",
                                     "torch._dynamo.graph_break()"}));
}

TEST(GraphBreakRecordTest, DuplicatesOf26And28On) {
  const Event old = Parse(
      "Graph break (details suppressed) in user code at /a/main.py:9\n"
      "Reason: Unsupported: builtin: print\n");
  EXPECT_TRUE(old.duplicate);
  EXPECT_EQ(old.reason, "builtin: print");
  EXPECT_EQ(old.user_frame->line, 9);
  const Event modern = Parse(
      "Graph break (user stack suppressed due to duplicate graph break) in "
      "user code at /a/main.py:9\n"
      "Graph Break Reason: Data-dependent branching\n"
      "  Explanation: x\n");
  EXPECT_TRUE(modern.duplicate);
  EXPECT_EQ(modern.reason, "Data-dependent branching");
}

TEST(GraphBreakRecordTest, SkipsUpTo28) {
  const Event event = Parse(
      "Graph break: skip: from user code at:\n"
      "  File \"main.py\", line 9, in f\n"
      "    for i in g():\n"
      "Traceback (most recent call last):\n"
      "  File \"/x/torch/_dynamo/symbolic_convert.py\", line 500, in inner\n"
      "torch._dynamo.exc.Unsupported: Graph break under "
      "GenericContextWrappingVariable\n");
  EXPECT_EQ(event.name, "skip");
  EXPECT_EQ(event.reason, "Graph break under GenericContextWrappingVariable");
  EXPECT_THAT(event.frames, SizeIs(1));
}

TEST(GraphBreakRecordTest, SkipsOf210On) {
  const Event event = Parse(
      "Graph break: torch.compile cannot properly resume from this graph "
      "break, which results in a skip.\n"
      "torch.compile will skip tracing the frame f (/a/main.py line 7) and "
      "fall back to eager.\n"
      "The graph break occurred in the following user code:\n"
      "  File \"/a/main.py\", line 9, in f\n"
      "    print(x)\n");
  EXPECT_EQ(event.name, "skip");
  EXPECT_EQ(event.user_frame, (StackFrame{"/a/main.py", 7, "f", ""}));
  EXPECT_THAT(event.frames,
              ElementsAre(StackFrame{"/a/main.py", 9, "f", "print(x)"}));
}

TEST(GraphBreakRecordTest, FramesThatCannotResumeIn213) {
  const Event event = Parse(
      "Graph break in user code at /a/main.py:9\n"
      "Graph Break Reason: Failed to handle graph break gracefully. Skipping "
      "the function and falling back to eager. Graph break encountered:\n"
      "\n"
      "Call to `torch._dynamo.graph_break()`\n"
      "  Explanation: User-inserted graph break. Message: None\n"
      "\n"
      "*** While handling this graph break, another graph break occurred: ***\n"
      "\n"
      "graph break in loop\n"
      "  Explanation: second\n"
      "\n"
      "User code traceback:\n"
      "  File \"/a/main.py\", line 9, in f\n"
      "    torch._dynamo.graph_break()\n");
  EXPECT_EQ(event.reason, "Call to `torch._dynamo.graph_break()`");
  EXPECT_THAT(event.frames, SizeIs(1));
}

TEST(GraphBreakRecordTest, OtherRecordsLeaveTheEventAlone) {
  for (std::string_view text :
       {"", "Recompiling function f in a.py:1", "graph break in loop",
        "Skipping frame because there is a graph break in a for/while loop",
        "Graph breaks: 3"}) {
    Event event;
    event.reason = "untouched";
    EXPECT_FALSE(ParseGraphBreakRecord(text, &event)) << text;
    EXPECT_EQ(event.reason, "untouched");
    EXPECT_EQ(event.kind, EventKind::kNotice);
  }
}

TEST(ParseStackTest, EndsAtOtherText) {
  const auto frames = ParseStack(
      "  File \"a.py\", line 1, in f\n"
      "    g()\n"
      "Traceback (most recent call last):\n"
      "  File \"b.py\", line 2, in h\n");
  EXPECT_THAT(frames, ElementsAre(StackFrame{"a.py", 1, "f", "g()"}));
  EXPECT_THAT(ParseStack("text\n  File \"a.py\", line 1, in f\n"), IsEmpty());
}

}  // namespace
}  // namespace pt2triage
