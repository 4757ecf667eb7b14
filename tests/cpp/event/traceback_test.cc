#include "event/traceback.h"

#include <cstdint>
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
using ::testing::Not;
using ::testing::SizeIs;

// The tracebacks of plain text, where lines that begin with `E   ` are marked
// as the line layer marks pytest's.
std::vector<Traceback> Parse(std::string_view text) {
  std::vector<Traceback> all;
  TracebackParser parser(
      [&](Traceback& traceback) { all.push_back(traceback); });
  Evidence at;
  at.line = 1;
  while (!text.empty()) {
    std::string_view line = NextLine(&text);
    at.length = line.size() + 1;
    const bool pytest = Consume(&line, "E   ");
    parser.OnLine({line, at, pytest});
    at.offset += at.length;
    ++at.line;
  }
  parser.Finish();
  return all;
}

std::vector<std::string> Types(const Traceback& traceback) {
  std::vector<std::string> types;
  for (const ExceptionBlock& block : traceback.blocks) {
    types.push_back(block.type);
  }
  return types;
}

std::vector<std::string> Functions(const std::vector<StackFrame>& frames) {
  std::vector<std::string> functions;
  for (const StackFrame& frame : frames) functions.push_back(frame.function);
  return functions;
}

TEST(ExceptionLineTest, AllForms) {
  const struct {
    std::string_view text;
    std::string_view type;
    std::string_view message;
  } kLines[] = {
      {"ValueError: bad", "ValueError", "bad"},
      {"KeyboardInterrupt", "KeyboardInterrupt", ""},
      {"torch._dynamo.exc.Unsupported: a: b", "torch._dynamo.exc.Unsupported",
       "a: b"},
      {"torch._dynamo.exc.BackendCompilerFailed:",  // message on the next line
       "torch._dynamo.exc.BackendCompilerFailed", ""},
      {"a.f.<locals>.MyError: x", "a.f.<locals>.MyError", "x"},
      {"<class 'torch._dynamo.exc.Unsupported'>: x",
       "torch._dynamo.exc.Unsupported", "x"},
      {"**Exception Type:** `torch._dynamo.exc.UserError`",
       "torch._dynamo.exc.UserError", ""},
  };
  for (const auto& expected : kLines) {
    const auto line = ParseExceptionLine(expected.text);
    ASSERT_TRUE(line) << expected.text;
    EXPECT_EQ(line->type, expected.type);
    EXPECT_EQ(line->message, expected.message);
  }
}

TEST(ExceptionLineTest, OtherTextIsNone) {
  for (std::string_view text :
       {"", "two words", "http://x", "a:b", "  Indented: x", "3: x", "a.: b"}) {
    EXPECT_FALSE(ParseExceptionLine(text)) << text;
  }
}

TEST(TracebackTest, FramesCodeAndException) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in <module>\n"
      "    main()\n"
      "    ~~~~^^\n"
      "  File \"/a/main.py\", line 2, in main\n"
      "    raise ValueError('bad')\n"
      "ValueError: bad\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_FALSE(all[0].bare);
  ASSERT_THAT(all[0].blocks, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_EQ(block.type, "ValueError");
  EXPECT_EQ(block.message, "bad");
  EXPECT_THAT(block.frames,
              ElementsAre(StackFrame{"/a/main.py", 3, "<module>", "main()"},
                          StackFrame{"/a/main.py", 2, "main",
                                     "raise ValueError('bad')"}));
}

TEST(TracebackTest, EvidenceSpansTheTraceback) {
  const std::string before = "loss 0.1\n";
  const std::string text =
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "    g()\n"
      "ValueError: bad\n";
  const auto all = Parse(before + text + "\nloss 0.2\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].evidence.line, 2u);
  EXPECT_EQ(all[0].evidence.offset, before.size());
  EXPECT_GE(all[0].evidence.length, text.size());
  EXPECT_LE(all[0].evidence.length, text.size() + 1);
}

TEST(TracebackTest, MessagesRunOverLines) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "torch._dynamo.exc.Unsupported: Data-dependent branching\n"
      "  Explanation: Detected data-dependent branching.\n"
      "  Hint: Use `torch.cond`.\n"
      "\n"
      "  Developer debug context: attempted to jump\n"
      "\n"
      " For more details about this graph break, please visit: https://x\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].blocks[0].message,
            "Data-dependent branching\n"
            "  Explanation: Detected data-dependent branching.\n"
            "  Hint: Use `torch.cond`.\n"
            "\n"
            "  Developer debug context: attempted to jump\n"
            "\n"
            " For more details about this graph break, please visit: "
            "https://x");
}

TEST(TracebackTest, FromUserCodeIsTakenApart) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 9, in <module>\n"
      "    f(x)\n"
      "torch._dynamo.exc.Unsupported: generic_jump TensorVariable()\n"
      "\n"
      "from user code:\n"
      "   File \"/a/main.py\", line 4, in f\n"
      "    if x.sum() > 0:\n"
      "  File \"/a/main.py\", line 7, in g\n"
      "    if y:\n"
      "\n"
      "Set TORCH_LOGS=\"+dynamo\" and TORCHDYNAMO_VERBOSE=1 for more "
      "information\n"
      "\n"
      "\n"
      "You can suppress this exception and fall back to eager by setting:\n"
      "    import torch._dynamo\n"
      "    torch._dynamo.config.suppress_errors = True\n");
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_EQ(block.message, "generic_jump TensorVariable()");
  EXPECT_THAT(block.user_frames,
              ElementsAre(StackFrame{"/a/main.py", 4, "f", "if x.sum() > 0:"},
                          StackFrame{"/a/main.py", 7, "g", "if y:"}));
  EXPECT_TRUE(block.suffixes & ExceptionBlock::kSuppressAdvice);
}

TEST(TracebackTest, BackendFailureKeepsTheWrappedLine) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 9, in <module>\n"
      "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
      "LoweringException: AssertionError: x\n"
      "  target: aten.add.Tensor\n"
      "\n"
      "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].blocks[0].message,
            "backend='inductor' raised:\n"
            "LoweringException: AssertionError: x\n"
            "  target: aten.add.Tensor");
}

TEST(TracebackTest, ADirectCauseIsLinked) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n"
      "\n"
      "The above exception was the direct cause of the following exception:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 9, in g\n"
      "RuntimeError: outer\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError", "RuntimeError"));
  EXPECT_EQ(all[0].blocks[0].link, LinkKind::kFirst);
  EXPECT_EQ(all[0].blocks[1].link, LinkKind::kCause);
  EXPECT_THAT(Functions(all[0].blocks[1].frames), ElementsAre("g"));
}

TEST(TracebackTest, AContextIsLinked) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 9, in g\n"
      "RuntimeError: outer\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError", "RuntimeError"));
  EXPECT_EQ(all[0].blocks[1].link, LinkKind::kContext);
}

TEST(TracebackTest, TwoTracebacksAreTwo) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n"
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 9, in g\n"
      "RuntimeError: x\n");
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError"));
  EXPECT_THAT(Types(all[1]), ElementsAre("RuntimeError"));
}

TEST(TracebackTest, AnEmbeddedTracebackIsTheCause) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "torch._inductor.compile_worker.subproc_pool.SubprocException: An "
      "exception occurred in a subprocess:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/x/torch/_inductor/compile_worker/subproc_pool.py\", line 9, "
      "in "
      "do_job\n"
      "RuntimeError: inner\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(Types(all[0]),
              ElementsAre("RuntimeError",
                          "torch._inductor.compile_worker.subproc_pool."
                          "SubprocException"));
}

TEST(TracebackTest, WordsBeforeTheHeadAreKept) {
  const auto all = Parse(
      "Error while compiling: Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].intro, "Error while compiling:");
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError"));
}

TEST(TracebackTest, AnIndentedTracebackIsRead) {
  const auto all = Parse(
      "    Traceback (most recent call last):\n"
      "      File \"/a/main.py\", line 3, in f\n"
      "        g()\n"
      "    KeyError: 'k'\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError"));
  EXPECT_EQ(all[0].blocks[0].frames[0].code, "g()");
}

TEST(TracebackTest, OutputBetweenFramesIsNoException) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "    g()\n"
      "step 12 loss 0.25\n"
      "  File \"/a/main.py\", line 5, in g\n"
      "    h()\n"
      "KeyError: 'k'\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError"));
  EXPECT_THAT(Functions(all[0].blocks[0].frames), ElementsAre("f", "g"));
}

TEST(TracebackTest, TextAfterTheExceptionIsNotItsMessage) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n"
      "\n"
      "epoch 2 begins\n"
      "loss 0.25\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].blocks[0].message, "'k'");
}

TEST(TracebackTest, ACutTracebackIsNoException) {
  EXPECT_THAT(Parse("Traceback (most recent call last):\n"
                    "  File \"/a/main.py\", line 3, in f\n"
                    "    g()\n"),
              IsEmpty());
}

TEST(TracebackTest, ACutChainGivesWhatWasRaised) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n"
      "\n"
      "The above exception was the direct cause of the following exception:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 9, in g\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(Types(all[0]), ElementsAre("KeyError"));
}

TEST(TracebackTest, ABareLineOfTorchIsRead) {
  const auto all = Parse("torch._dynamo.exc.Unsupported: call_method x\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_TRUE(all[0].bare);
  EXPECT_THAT(Types(all[0]), ElementsAre("torch._dynamo.exc.Unsupported"));
  EXPECT_EQ(all[0].blocks[0].message, "call_method x");
}

TEST(TracebackTest, OtherBareLinesAreText) {
  for (std::string_view text :
       {"ValueError: bad\n", "RuntimeError: bad\n", "Note: this is prose\n",
        "my.pkg.Unsupported: x\n", "Unsupported\n"}) {
    EXPECT_THAT(Parse(text), IsEmpty()) << text;
  }
}

TEST(TracebackTest, JupyterFramesAndArrows) {
  const auto all = Parse(
      "----------------------------------------------------------------------\n"
      "Unsupported                         Traceback (most recent call last)\n"
      "Cell In[3], line 5\n"
      "      3 @torch.compile\n"
      "      4 def f(x):\n"
      "----> 5 f(torch.ones(3))\n"
      "\n"
      "File ~/env/lib/python3.11/site-packages/torch/_dynamo/exc.py:317, in "
      "unimplemented(msg)\n"
      "    315 def unimplemented(msg):\n"
      "    316     assert msg\n"
      "--> 317     raise Unsupported(msg)\n"
      "\n"
      "Unsupported: call_method x\n"
      "\n"
      "from user code:\n"
      "   File \"/tmp/ipykernel_12/1.py\", line 4, in f\n"
      "    print(x)\n");
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_EQ(block.type, "Unsupported");
  ASSERT_THAT(block.frames, SizeIs(2));
  EXPECT_EQ(block.frames[0],
            (StackFrame{"Cell In[3]", 5, "<module>", "f(torch.ones(3))"}));
  EXPECT_EQ(block.frames[1].line, 317);
  EXPECT_EQ(block.frames[1].code, "raise Unsupported(msg)");
  EXPECT_THAT(Functions(block.user_frames), ElementsAre("f"));
}

TEST(TracebackTest, ColabTakesTheLineFromTheArrow) {
  const auto all = Parse(
      "RuntimeError                        Traceback (most recent call last)\n"
      "<ipython-input-4-7a1b2c> in <cell line: 0>()\n"
      "      1 x = 1\n"
      "----> 2 f(x)\n"
      "\n"
      "1 frames\n"
      "[/usr/local/lib/python3.11/dist-packages/torch/a.py](https://x#) in "
      "g(x)\n"
      "     10   y = x\n"
      "---> 11   raise RuntimeError('bad')\n"
      "\n"
      "RuntimeError: bad\n");
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  ASSERT_THAT(block.frames, SizeIs(2));
  EXPECT_EQ(block.frames[0].line, 2);
  EXPECT_EQ(block.frames[0].code, "f(x)");
  EXPECT_EQ(block.frames[1].line, 11);
  EXPECT_EQ(block.message, "bad");
}

TEST(TracebackTest, RichBoxesAreOpened) {
  const auto all = Parse(
      "╭──────────────── Traceback (most recent call last) ────────────────╮\n"
      "│ /a/train.py:12 in main                                            │\n"
      "│                                                                   │\n"
      "│   11     model = load()                                           │\n"
      "│ ❱ 12     train(model)                                             │\n"
      "│   13                                                              │\n"
      "│ /a/train.py:7 in train                                            │\n"
      "╰───────────────────────────────────────────────────────────────────╯\n"
      "ValueError: bad\n");
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_EQ(block.type, "ValueError");
  EXPECT_THAT(Functions(block.frames), ElementsAre("main", "train"));
  EXPECT_EQ(block.frames[0].line, 12);
}

TEST(TracebackTest, PytestsShortStyle) {
  const auto all = Parse(
      "test_a.py:12: in test_f\n"
      "    f(x)\n"
      "/x/site-packages/torch/_dynamo/exc.py:317: in unimplemented\n"
      "    raise Unsupported(msg)\n"
      "E   torch._dynamo.exc.Unsupported: call_method x\n"
      "E   \n"
      "E   from user code:\n"
      "E      File \"test_a.py\", line 4, in f\n"
      "E       print(x)\n");
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_EQ(block.type, "torch._dynamo.exc.Unsupported");
  EXPECT_THAT(Functions(block.frames), ElementsAre("test_f", "unimplemented"));
  EXPECT_THAT(block.user_frames,
              ElementsAre(StackFrame{"test_a.py", 4, "f", "print(x)"}));
}

TEST(TracebackTest, PytestsLongStyleNamesThePlaceBelow) {
  const auto all = Parse(
      "    def test_f():\n"
      ">       f(3)\n"
      "\n"
      "test_a.py:9: \n"
      "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n"
      "\n"
      "x = 3\n"
      "\n"
      "    def f(x):\n"
      ">       raise RuntimeError('bad')\n"
      "E       RuntimeError: bad\n"
      "\n"
      "test_a.py:5: RuntimeError\n");
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_EQ(block.message, "bad");
  ASSERT_THAT(block.frames, Not(IsEmpty()));
  EXPECT_EQ(block.frames.back(), (StackFrame{"test_a.py", 5, "f", ""}));
}

TEST(TracebackTest, ARunnersSectionEndsAMessage) {
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "torch._dynamo.exc.Unsupported: call_method x\n"
      "======================================================================\n"
      "FAIL: test_g\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].blocks[0].message, "call_method x");
}

TEST(TracebackTest, WhatEndsAPasteIsNoMessage) {
  for (std::string_view end :
       {"```\n", "~~~\n", "  ```\n", "</details>\n",
        "section_end:1700000100:step_script\n", "</code></pre>\n",
        "(base) me@host:~/model$ \n", "root@4f2:/work# exit\n"}) {
    const auto all = Parse(
        "Traceback (most recent call last):\n"
        "  File \"/a/main.py\", line 3, in f\n"
        "ValueError: mine\n" +
        std::string(end) + "### Versions\n");
    ASSERT_THAT(all, SizeIs(1)) << end;
    EXPECT_EQ(all[0].blocks[0].message, "mine") << end;
  }
}

TEST(TracebackTest, AMessagesOwnFenceIsKept) {
  const std::string message =
      "Constraints violated!\n"
      "The following dimensions CAN be dynamic.\n"
      "```\n"
      "def specify_constraints(x):\n"
      "    return []\n"
      "```";
  const auto all = Parse(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "torch._dynamo.exc.UserError: " +
      message + "\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].blocks[0].message, message);
}

TEST(TracebackTest, AnEmptyLineMayHaveLostTheTabOfItsPrefix) {
  const auto all = Parse(
      "12:00:01\tTraceback (most recent call last):\n"
      "12:00:01\t  File \"/a/main.py\", line 3, in f\n"
      "12:00:01\ttorch._dynamo.exc.Unsupported: one\n"
      "12:00:02\t\n"
      "12:00:02\t  Developer debug context: two\n");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].blocks[0].message, "one\n\n  Developer debug context: two");
}

TEST(TracebackTest, BoundsHold) {
  std::string text = "Traceback (most recent call last):\n";
  for (int i = 0; i < 2000; ++i) {
    text += "  File \"/a/main.py\", line " + std::to_string(i) + ", in f\n";
  }
  text += "RecursionError: deep\n" + std::string(100000, 'x') + "\n";
  const auto all = Parse(text);
  ASSERT_THAT(all, SizeIs(1));
  const ExceptionBlock& block = all[0].blocks[0];
  EXPECT_LE(block.frames.size(), TracebackParser::kMaxFrames);
  EXPECT_EQ(block.frames.back().line, 1999);  // the innermost are kept
  EXPECT_LE(block.message.size(), 2 * TracebackParser::kMaxMessage);
}

TEST(TracebackTest, LongNamesInFramesAreBounded) {
  std::string text = "Traceback (most recent call last):\n";
  const std::string name(50'000, 'x');
  for (int i = 0; i < 300; ++i) {
    text += "  File \"/a/" + name + "\", line " + std::to_string(i) + ", in " +
            name + "\n";
  }
  text += "RecursionError: deep\n";
  const auto all = Parse(text);
  ASSERT_THAT(all, SizeIs(1));
  size_t bytes = 0;
  for (const StackFrame& frame : all[0].blocks[0].frames) {
    bytes += frame.file.size() + frame.function.size();
  }
  EXPECT_LE(bytes, TracebackParser::kMaxFrameBytes);
  EXPECT_EQ(all[0].blocks[0].frames.front().line, 0);
  EXPECT_EQ(all[0].blocks[0].frames.back().line, 299);
}

TEST(TracebackTest, AVeryLongChainIsBounded) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text +=
        "Traceback (most recent call last):\n"
        "  File \"/a/main.py\", line 3, in f\n"
        "KeyError: 'k'\n"
        "\n"
        "During handling of the above exception, another exception occurred:\n"
        "\n";
  }
  for (const Traceback& traceback : Parse(text)) {
    EXPECT_LE(traceback.blocks.size(), TracebackParser::kMaxBlocks);
  }
}

TEST(ParseTracebacksTest, TextOfOneRecord) {
  const auto blocks = ParseTracebackText(
      "Traceback (most recent call last):\n"
      "  File \"/a/main.py\", line 3, in f\n"
      "KeyError: 'k'\n");
  ASSERT_THAT(blocks, SizeIs(1));
  EXPECT_EQ(blocks[0].type, "KeyError");
  EXPECT_THAT(ParseTracebackText("no traceback here\n"), IsEmpty());
  EXPECT_THAT(ParseTracebackText(""), IsEmpty());
}

}  // namespace
}  // namespace pt2triage
