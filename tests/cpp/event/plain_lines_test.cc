#include "event/plain_lines.h"

#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(PlainLinesTest, AccuracyTexts) {
  const struct {
    std::string_view text;
    std::string_view name;
  } kLines[] = {
      {"RMSE (res-fp64): 19.4, (ref-fp64): 0.02 and shape=torch.Size([2])",
       "rmse"},
      {"Accuracy failed: allclose not within tol=0.001", "not-close"},
      {"Accuracy failed: uint8 tensor did not match", "not-close"},
      {"Accuracy failed for key name w", "not-close"},
      {"Accuracy failed for the AOT Autograd graph model__0", "not-close"},
      {"Accuracy failed (float): 1.0 != 2.0", "not-close"},
      {"IoU accuracy failed: 0.5000 < 0.99 (intersection=3, union=6)",
       "not-close"},
      {"While minifying the program in accuracy minification mode, ran into a "
       "runtime exception which is likely an unrelated issue.",
       "check-did-not-run"},
  };
  for (const auto& [text, name] : kLines) {
    const auto event = ParsePlainLine(text);
    ASSERT_TRUE(event) << text;
    EXPECT_EQ(event->kind, EventKind::kAccuracy) << text;
    EXPECT_EQ(event->name, name) << text;
    EXPECT_EQ(event->message, text);
  }
}

TEST(PlainLinesTest, TheHarnesssVerdict) {
  for (std::string_view text :
       {"fail_accuracy", "cuda train resnet18  fail_accuracy",
        "cuda,resnet18,4,fail_accuracy,1.2"}) {
    const auto event = ParsePlainLine(text);
    ASSERT_TRUE(event) << text;
    EXPECT_EQ(event->kind, EventKind::kAccuracy);
    EXPECT_EQ(event->name, "verdict");
  }
}

TEST(PlainLinesTest, WordsInTestNamesAreNoVerdict) {
  for (std::string_view text :
       {"test_a.py::test_fail_accuracy PASSED", "test_fail_accuracy ok",
        "fail_accuracy_count = 3", "pass_accuracy", "accuracy failed"}) {
    EXPECT_FALSE(ParsePlainLine(text)) << text;
  }
}

TEST(PlainLinesTest, NoticesOfTheMinifier) {
  for (std::string_view text :
       {"Writing minified repro to:", "Writing checkpoint with 9 nodes to a.py",
        "Copying repro file for convenience to /a/repro.py",
        "skipping cudagraphs due to mutated inputs"}) {
    const auto event = ParsePlainLine(text);
    ASSERT_TRUE(event) << text;
    EXPECT_EQ(event->kind, EventKind::kNotice);
  }
}

TEST(DeviceAssertTest, OfAGeneratedKernel) {
  const auto event = ParsePlainLine(
      "/tmp/torchinductor_me/ab/cabc.py:18: unknown: block: [24127,0,0], "
      "thread: [48,0,0] Assertion `index out of bounds: 0 <= tmp4 < 1 + ks0` "
      "failed.");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kDeviceAssert);
  EXPECT_EQ(event->name, "/tmp/torchinductor_me/ab/cabc.py");
  EXPECT_EQ(event->reason, "index out of bounds: 0 <= tmp4 < 1 + ks0");
}

TEST(DeviceAssertTest, OfAtenAndOfXpu) {
  const auto aten = ParsePlainLine(
      "../aten/src/ATen/native/cuda/IndexKernel.cu:92: operator(): block: "
      "[0,0,0], thread: [1,0,0] Assertion `index >= 0 && index < size` "
      "failed.");
  ASSERT_TRUE(aten);
  EXPECT_EQ(aten->reason, "index >= 0 && index < size");
  const auto xpu = ParsePlainLine(
      "a.py:18: unknown: global id: [0,0,0], local id: [0,0,0] Assertion "
      "`index out of bounds` failed.");
  ASSERT_TRUE(xpu);
  EXPECT_EQ(xpu->kind, EventKind::kDeviceAssert);
}

TEST(DeviceAssertTest, AHostsAssertionIsNone) {
  EXPECT_FALSE(ParsePlainLine("a.c:3: main: Assertion `x > 0' failed."));
  EXPECT_FALSE(ParsePlainLine("a.c:3: main: Assertion `x > 0` failed."));
}

TEST(PlainLinesTest, PlainTextIsNone) {
  for (std::string_view text : {"", "loss 0.1", "Accuracy: 93.2", "RMSE 0.1",
                                "Traceback (most recent call last):"}) {
    EXPECT_FALSE(ParsePlainLine(text)) << text;
  }
}

}  // namespace
}  // namespace pt2triage
