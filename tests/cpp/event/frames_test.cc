#include "event/frames.h"

#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(ParseFrameTest, Python) {
  const auto match = ParseFrame("  File \"/a/b.py\", line 12, in forward");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->frame, (StackFrame{"/a/b.py", 12, "forward", ""}));
  EXPECT_EQ(match->style, FrameStyle::kPython);
}

TEST(ParseFrameTest, PythonOfASyntaxErrorHasNoFunction) {
  const auto match = ParseFrame("  File \"/a/b.py\", line 12");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->frame, (StackFrame{"/a/b.py", 12, "", ""}));
}

TEST(ParseFrameTest, FaultHandlerHasNoComma) {
  const auto match = ParseFrame("  File \"/a/b.py\", line 12 in forward");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->frame, (StackFrame{"/a/b.py", 12, "forward", ""}));
  EXPECT_EQ(match->style, FrameStyle::kFaultHandler);
}

TEST(ParseFrameTest, OddFileNames) {
  const auto generated = ParseFrame(
      "  File \"/x/subclass_codegen.py:codegen(runtime_wrapper)\", line 8, in "
      "_runtime_wrapper");
  ASSERT_TRUE(generated);
  EXPECT_EQ(generated->frame.file,
            "/x/subclass_codegen.py:codegen(runtime_wrapper)");
  EXPECT_EQ(generated->frame.line, 8);
  EXPECT_EQ(ParseFrame("File \"<frozen runpy>\", line 8, in _run")->frame.file,
            "<frozen runpy>");
  EXPECT_EQ(ParseFrame("File \"C:\\a b\\c.py\", line 8, in f")->frame.file,
            "C:\\a b\\c.py");
}

TEST(ParseFrameTest, CurlyQuotesOfAnIssueTracker) {
  const auto match = ParseFrame("File “/a/b.py”, line 12, in f");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->frame, (StackFrame{"/a/b.py", 12, "f", ""}));
}

TEST(ParseFrameTest, JupyterFiles) {
  const auto match = ParseFrame(
      "File ~/env/lib/python3.11/site-packages/torch/nn/m.py:1511, "
      "in Module._call_impl(self, *args, **kwargs)");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->style, FrameStyle::kJupyter);
  EXPECT_EQ(match->frame.line, 1511);
  EXPECT_EQ(match->frame.function, "_call_impl");
}

TEST(ParseFrameTest, JupyterCells) {
  const auto function = ParseFrame("Cell In[3], line 5, in f(x)");
  ASSERT_TRUE(function);
  EXPECT_EQ(function->frame, (StackFrame{"Cell In[3]", 5, "f", ""}));
  const auto module = ParseFrame("Cell In[3], line 5");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->frame.function, "<module>");
  const auto old = ParseFrame("Input In [3], in <cell line: 1>()");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->frame, (StackFrame{"Input In [3]", 0, "<module>", ""}));
}

TEST(ParseFrameTest, ColabCellsHaveTheLineBelow) {
  const auto cell = ParseFrame("<ipython-input-4-7a1b2c> in f(x)");
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->style, FrameStyle::kColab);
  EXPECT_EQ(cell->frame, (StackFrame{"<ipython-input-4-7a1b2c>", 0, "f", ""}));
  const auto link = ParseFrame(
      "[/usr/local/lib/python3.11/dist-packages/torch/nn/m.py](https://x#) in "
      "_call_impl(self, *args)");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->frame.file,
            "/usr/local/lib/python3.11/dist-packages/torch/nn/m.py");
  EXPECT_EQ(link->frame.function, "_call_impl");
}

TEST(ParseFrameTest, OtherTextIsNone) {
  for (std::string_view text :
       {"", "File not found", "File \"a.py\"", "File \"a.py\", line x, in f",
        "    raise ValueError", "/usr/bin/cc in use", "Cell In", "x = [3](4)",
        "File \"a.py\", line 3 of 9"}) {
    EXPECT_FALSE(ParseFrame(text)) << text;
  }
}

TEST(ParsePytestFrameTest, AllForms) {
  EXPECT_EQ(ParsePytestFrame("test_a.py:12: in test_f")->frame,
            (StackFrame{"test_a.py", 12, "test_f", ""}));
  EXPECT_EQ(ParsePytestFrame("test/test_a.py:12: RuntimeError")->frame,
            (StackFrame{"test/test_a.py", 12, "", ""}));
  EXPECT_EQ(ParsePytestFrame("test_a.py:12: ")->frame,
            (StackFrame{"test_a.py", 12, "", ""}));
  EXPECT_EQ(ParsePytestFrame("C:\\a\\test_a.py:12: in f")->frame,
            (StackFrame{"C:\\a\\test_a.py", 12, "f", ""}));
  EXPECT_EQ(ParsePytestFrame("<eval_with_key>.1:5: in forward")->frame.line, 5);
}

TEST(ParsePytestFrameTest, OtherTextIsNone) {
  for (std::string_view text :
       {"", "  a.py:12: in f", "a.py:12", "a.cpp:12: error", "a.py: 12",
        "a.py:605: UserWarning: dynamo_pgo force disabled",
        "12:30:05: started"}) {
    EXPECT_FALSE(ParsePytestFrame(text)) << text;
  }
}

TEST(ParseRichFrameTest, PlaceAndFunction) {
  EXPECT_EQ(ParseRichFrame("/a/train.py:12 in main")->frame,
            (StackFrame{"/a/train.py", 12, "main", ""}));
  EXPECT_FALSE(ParseRichFrame("12 in main of x"));
  EXPECT_FALSE(ParseRichFrame("in main"));
}

TEST(ParseListingLineTest, ArrowsAndNumbers) {
  const auto arrow = ParseListingLine("---> 12     return f(x)");
  ASSERT_TRUE(arrow);
  EXPECT_TRUE(arrow->arrow);
  EXPECT_EQ(arrow->line, 12);
  EXPECT_EQ(arrow->code, "return f(x)");
  const auto plain = ParseListingLine("     11     y = x");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->arrow);
  EXPECT_EQ(plain->line, 11);
  EXPECT_EQ(plain->code, "y = x");
  EXPECT_FALSE(ParseListingLine("-- see > 3"));
  EXPECT_FALSE(ParseListingLine("return 3"));
  EXPECT_FALSE(ParseListingLine("3rd line"));
}

TEST(PlainFunctionNameTest, ArgumentsGo) {
  EXPECT_EQ(PlainFunctionName("f(self, x)"), "f");
  EXPECT_EQ(PlainFunctionName(" f "), "f");
  EXPECT_EQ(PlainFunctionName("<module>"), "<module>");
  EXPECT_EQ(PlainFunctionName("<lambda>"), "<lambda>");
}

TEST(PlainFunctionNameTest, ResumeFunctionsAreWhatTheyResume) {
  EXPECT_EQ(PlainFunctionName("torch_dynamo_resume_in_forward_at_40"),
            "forward");
  EXPECT_EQ(PlainFunctionName("torch_dynamo_resume_in_look_at_me_at_7"),
            "look_at_me");
  EXPECT_EQ(PlainFunctionName("<resume in forward>"), "forward");
}

}  // namespace
}  // namespace pt2triage
