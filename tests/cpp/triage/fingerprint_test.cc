#include "triage/fingerprint.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "triage/normal_forms.h"

namespace pt2triage {
namespace {

Finding Failure(std::string_view message,
                std::string_view file = "/home/me/proj/model.py",
                int64_t line = 12) {
  Finding finding;
  finding.category = Category::kBackendCompilerFailed;
  finding.cause = "lowering";
  finding.exception = "torch._inductor.exc.InductorError";
  finding.message = std::string(message);
  finding.user_frame = StackFrame{std::string(file), line, "forward", "f(x)"};
  return finding;
}

std::string Of(std::string_view message) {
  return FingerprintOf(Failure(message));
}

TEST(FingerprintTest, IsTwelveHexDigits) {
  const std::string id = Of("x");
  EXPECT_EQ(id.size(), 12u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id, Of("x"));
}

TEST(FingerprintTest, EqualOverFoldersAndEdits) {
  EXPECT_EQ(FingerprintOf(Failure("x", "/home/me/proj/model.py", 12)),
            FingerprintOf(Failure("x", "/root/other/model.py", 99)));
  EXPECT_EQ(FingerprintOf(Failure("x", "C:\\proj\\model.py", 12)),
            FingerprintOf(Failure("x", "model.py", 12)));
}

TEST(FingerprintTest, EqualOverWhatRunsChange) {
  const struct {
    std::string_view a;
    std::string_view b;
  } kPairs[] = {
      {"object at 0x7f1234abcd00", "object at 0x55deadbeef10"},
      {"failed in /tmp/torchinductor_me/ab/cab.py",
       "failed in /tmp/torchinductor_you/xy/cxy.py"},
      {"failed in /tmp/tmpab12cd/main.cpp", "failed in /tmp/tmpzz99/a.cpp"},
      {"process 884120 died", "process 991234 died"},
      {"error in /a/b/model.py:12", "error in /c/d/model.py:40"},
      {"object at 0x000001F2ABCD", "object at 0x7f1234abcd00"},
      {"in /home/me/model.py:12 now", "in model.py:40 now"},
      {"in src/model.py:12 now", "in /x/src/model.py:40 now"},
      {"in C:\\x\\model.py:12 now", "in model.py:40 now"},
      {"worker (pid: 4711) died", "worker (pid: 98) died"},
      {"DataLoader worker (pid(s) 12345) exited",
       "DataLoader worker (pid(s) 97) exited"},
      {"x.cu:92: block: [24127,0,0], thread: [48,0,0] Assertion `i < n`",
       "x.cu:92: block: [3,0,0], thread: [1,0,0] Assertion `i < n`"},
      {"File \"/a/b.py\", line 3", "File \"/c/b.py\", line 77"},
      {"___check_obj_id(mod, 140123456789)",
       "___check_obj_id(mod, 140987654321)"},
  };
  for (const auto& [a, b] : kPairs) {
    EXPECT_EQ(Of(a), Of(b)) << NormaliseText(a) << " / " << NormaliseText(b);
  }
}

TEST(FingerprintTest, IndependentOfPlaceRankTestAndTime) {
  Finding a = Failure("x");
  Finding b = Failure("x");
  b.test_id = "test_f";
  b.ranks = {3};
  b.compile_id = "0/7";
  b.first_time = "1129 15:22:18.930000";
  b.evidence.push_back({2, 40, 1000, 10});
  b.count = 9;
  EXPECT_EQ(FingerprintOf(a), FingerprintOf(b));
}

TEST(FingerprintTest, TheClassCountsNotItsModule) {
  Finding a = Failure("x");
  Finding b = Failure("x");
  b.exception = "InductorError";
  EXPECT_EQ(FingerprintOf(a), FingerprintOf(b));
  b.exception = "torch._inductor.exc.LoweringException";
  EXPECT_NE(FingerprintOf(a), FingerprintOf(b));
}

TEST(FingerprintTest, DifferentFailuresDiffer) {
  EXPECT_NE(Of("size mismatch: expected 3"), Of("size mismatch: expected 4"));
  EXPECT_NE(Of("a"), Of("b"));
  EXPECT_NE(FingerprintOf(Failure("x", "/a/model.py")),
            FingerprintOf(Failure("x", "/a/other.py")));
  Finding other_function = Failure("x");
  other_function.user_frame->function = "backward";
  EXPECT_NE(FingerprintOf(other_function), Of("x"));
  Finding other_cause = Failure("x");
  other_cause.cause = "codegen";
  EXPECT_NE(FingerprintOf(other_cause), Of("x"));
}

TEST(FingerprintTest, OnlyTheHeadOfAMessageCounts) {
  EXPECT_EQ(Of("first line\nkwargs: {a: 1}"), Of("first line\nkwargs: {}"));
  // A line that only announces takes the next one with it.
  EXPECT_NE(Of("backend='inductor' raised:\nKeyError: 'a'"),
            Of("backend='inductor' raised:\nValueError: b"));
}

TEST(FingerprintTest, OneFunctionAndCauseIsOneRecompilation) {
  Finding a;
  a.category = Category::kRecompilation;
  a.cause = "scalar-value";
  a.message = "Recompiling function f in a.py:1";
  a.user_frame = StackFrame{"a.py", 1, "f", ""};
  Finding b = a;
  b.message = "Recompiling function f in /x/a.py:9";
  b.guard_failures.push_back({"0/0", "n == 3", "scalar-value", {}, {}, {}, {}});
  EXPECT_EQ(FingerprintOf(a), FingerprintOf(b));
  b.cause = "shape";
  EXPECT_NE(FingerprintOf(a), FingerprintOf(b));
}

TEST(NormaliseTextTest, PlainWordsStay) {
  EXPECT_EQ(NormaliseText("expected 3, actual 4"), "expected 3, actual 4");
  EXPECT_EQ(NormaliseText("a / b and/or c"), "a / b and/or c");
  EXPECT_EQ(NormaliseText(""), "");
  EXPECT_EQ(NormaliseText("L['x'].size()[0]"), "L['x'].size()[0]");
}

TEST(NormaliseTextTest, PathsLoseFoldersAndLines) {
  EXPECT_EQ(NormaliseText("in /a/b/c.py:12 here"), "in c.py here");
  EXPECT_EQ(NormaliseText("in C:\\a\\c.py:12 here"), "in c.py here");
  EXPECT_EQ(NormaliseText("in ~/c.py here"), "in c.py here");
}

}  // namespace
}  // namespace pt2triage
