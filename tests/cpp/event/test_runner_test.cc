#include "event/test_runner.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Tracked {
  Tracked()
      : tracker([this](const Event& event) { events.push_back(event); }) {}
  bool Line(std::string_view text) { return tracker.OnLine(text, {}); }

  std::vector<Event> events;
  TestTracker tracker;
};

constexpr std::string_view kRule =
    "======================================================================";

TEST(TestTrackerTest, PytestSectionsNameTheTest) {
  Tracked t;
  EXPECT_TRUE(t.Line("=================== FAILURES ==================="));
  EXPECT_TRUE(t.Line("_____________ TestX.test_f[cpu-1] _____________"));
  EXPECT_EQ(t.tracker.test_id(), "TestX.test_f[cpu-1]");
  EXPECT_TRUE(t.tracker.WantsLine(""));
  EXPECT_FALSE(t.Line("E   RuntimeError: x"));
  EXPECT_EQ(t.tracker.test_id(), "TestX.test_f[cpu-1]");
  EXPECT_TRUE(t.Line("_____________ test_g _____________"));
  EXPECT_EQ(t.tracker.test_id(), "test_g");
  EXPECT_TRUE(t.Line("=========== short test summary info ==========="));
  EXPECT_EQ(t.tracker.test_id(), "");
  EXPECT_FALSE(t.tracker.WantsLine(""));
}

TEST(TestTrackerTest, SetupErrorsBelongToTheTest) {
  Tracked t;
  t.Line("================ ERRORS ================");
  t.Line("____________ ERROR at setup of test_f ____________");
  EXPECT_EQ(t.tracker.test_id(), "test_f");
  t.Line("____________ ERROR collecting test_a.py ____________");
  EXPECT_EQ(t.tracker.test_id(), "test_a.py");
}

TEST(TestTrackerTest, RulesBetweenEntriesKeepTheTest) {
  Tracked t;
  t.Line("_____________ test_g _____________");
  t.Line("_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _");
  EXPECT_EQ(t.tracker.test_id(), "test_g");
}

TEST(TestTrackerTest, UnittestSectionsNameTheTest) {
  Tracked t;
  EXPECT_TRUE(t.Line(kRule));
  EXPECT_TRUE(t.Line("ERROR: test_f (__main__.TestX.test_f)"));
  EXPECT_EQ(t.tracker.test_id(), "test_f (__main__.TestX.test_f)");
  EXPECT_TRUE(t.Line(kRule));
  EXPECT_TRUE(t.Line("FAIL: test_g (__main__.TestX.test_g)"));
  EXPECT_EQ(t.tracker.test_id(), "test_g (__main__.TestX.test_g)");
  t.Line("Ran 2 tests in 0.1s");
  EXPECT_EQ(t.tracker.test_id(), "");
}

TEST(TestTrackerTest, AHeadingNeedsItsRule) {
  Tracked t;
  EXPECT_FALSE(t.Line("ERROR: something went wrong"));
  EXPECT_EQ(t.tracker.test_id(), "");
}

TEST(TestTrackerTest, SummaryLinesAreVerdicts) {
  Tracked t;
  t.Line("FAILED test/a.py::TestX::test_f[cpu-1] - torch._dynamo.exc.X: text");
  t.Line("ERROR test/a.py::test_g - ImportError: y");
  t.Line("FAILED [0.1234s] test/a.py::test_h");
  t.Line("XFAIL test/a.py::test_i - known");
  ASSERT_THAT(t.events, SizeIs(4));
  EXPECT_EQ(t.events[0].kind, EventKind::kTest);
  EXPECT_EQ(t.events[0].test_id, "test/a.py::TestX::test_f[cpu-1]");
  EXPECT_EQ(t.events[0].name, "failed");
  EXPECT_EQ(t.events[0].message, "torch._dynamo.exc.X: text");
  EXPECT_EQ(t.events[1].name, "error");
  EXPECT_EQ(t.events[2].test_id, "test/a.py::test_h");
  EXPECT_EQ(t.events[3].name, "xfail");
}

TEST(TestTrackerTest, OtherTextIsNotTheRunners) {
  Tracked t;
  for (std::string_view text :
       {"", "FAILED to open the file", "ERROR 08-29 engine died", "=== short",
        "___", "x = 3", "FAILED"}) {
    EXPECT_FALSE(t.Line(text)) << text;
  }
  EXPECT_THAT(t.events, IsEmpty());
}

}  // namespace
}  // namespace pt2triage
