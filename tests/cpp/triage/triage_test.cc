#include "triage/triage.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "triage/make_event.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Category> Categories(const Judgement& judgement) {
  std::vector<Category> categories;
  for (const Finding& finding : judgement.findings) {
    categories.push_back(finding.category);
  }
  return categories;
}

Event Segfault(uint64_t offset) {
  Event event = MakeEvent(EventKind::kCrash,
                          "Fatal Python error: Segmentation fault", offset);
  event.name = "SIGSEGV";
  return event;
}

Event Limit(uint64_t offset) {
  Event event = RecompileOf("f", "n == 3", offset);
  event.kind = EventKind::kRecompileLimit;
  event.message = "torch._dynamo hit config.recompile_limit (8)";
  return event;
}

const std::string_view kUnsupported = "torch._dynamo.exc.Unsupported";

TEST(JudgeTest, NothingGivesNothing) {
  const Judgement judgement = Judge({});
  EXPECT_THAT(judgement.findings, IsEmpty());
  EXPECT_EQ(judgement.counts.exceptions, 0u);
}

TEST(JudgeTest, RanksOfRepeatsAreTheFindings) {
  Event a = BreakAt("x", 9, 0);
  a.rank = 3;
  Event b = BreakAt("x", 9, 10);
  b.rank = 1;
  b.repeats = 4;
  b.repeat_ranks = {0, 2, 3, 7};
  const Judgement judgement = Judge({a, b});
  ASSERT_THAT(judgement.findings, SizeIs(1));
  EXPECT_THAT(judgement.findings[0].ranks, ElementsAre(0, 1, 2, 3, 7));
  EXPECT_EQ(judgement.findings[0].count, 6u);
}

TEST(JudgeTest, CrashesThenExceptionsThenLimitsThenWarnings) {
  const Judgement judgement =
      Judge({BreakAt("x", 9, 0), Limit(10),
             Raised(kUnsupported, "call_method x", TracingStack(), 20),
             Segfault(30)});
  EXPECT_THAT(Categories(judgement),
              ElementsAre(Category::kRuntimeCrash, Category::kGraphBreak,
                          Category::kRecompilation, Category::kGraphBreak));
  EXPECT_TRUE(judgement.findings[1].exception);
}

TEST(JudgeTest, TheEarliestExceptionComesFirst) {
  const Judgement judgement =
      Judge({Raised(kUnsupported, "first", TracingStack(), 0),
             Raised("torch._dynamo.exc.InternalTorchDynamoError", "second",
                    TracingStack(), 10)});
  EXPECT_EQ(judgement.findings[0].message, "first");
}

TEST(JudgeTest, Pt2sErrorsComeBeforeOthers) {
  const Judgement judgement =
      Judge({Raised("ValueError", "bad", {UserFrame()}, 0),
             Raised(kUnsupported, "x", TracingStack(), 10)});
  EXPECT_THAT(Categories(judgement),
              ElementsAre(Category::kGraphBreak, Category::kOther));
}

TEST(JudgeTest, OtherErrorsComeBeforeWarnings) {
  const Judgement judgement = Judge(
      {BreakAt("x", 9, 0), Raised("ValueError", "bad", {UserFrame()}, 10)});
  EXPECT_THAT(Categories(judgement),
              ElementsAre(Category::kOther, Category::kGraphBreak));
}

TEST(JudgeTest, WarningsByHowOftenTheyHappened) {
  const Judgement judgement =
      Judge({BreakAt("rare", 9, 0), BreakAt("often", 12, 10),
             BreakAt("often", 12, 20)});
  ASSERT_THAT(judgement.findings, SizeIs(2));
  EXPECT_EQ(judgement.findings[0].reason, "often");
  EXPECT_EQ(judgement.findings[0].count, 2u);
  EXPECT_EQ(judgement.counts.graph_breaks, 3u);
}

TEST(JudgeTest, EqualFindingsAreMergedAndUnique) {
  std::vector<Event> events;
  for (int32_t rank : {1, 0, 1}) {
    Event event = Raised(kUnsupported, "x", TracingStack(), 0);
    event.rank = rank;
    events.push_back(event);
  }
  const Judgement judgement = Judge(std::move(events));
  ASSERT_THAT(judgement.findings, SizeIs(1));
  EXPECT_THAT(judgement.findings[0].ranks, ElementsAre(0, 1));
  EXPECT_EQ(judgement.counts.exceptions, 1u);
}

TEST(JudgeTest, EachFailedTestHasItsFinding) {
  std::vector<Event> events;
  for (std::string_view test : {"test_a", "test_b"}) {
    Event event = Raised(kUnsupported, "x", TracingStack(), 0);
    event.test_id.assign(test);
    events.push_back(event);
  }
  const Judgement judgement = Judge(std::move(events));
  ASSERT_THAT(judgement.findings, SizeIs(2));
  std::set<std::pair<std::string, std::string>> keys;
  for (const Finding& finding : judgement.findings) {
    keys.insert({finding.fingerprint, finding.test_id.value_or("")});
  }
  EXPECT_THAT(keys, SizeIs(2));
}

TEST(JudgeTest, RecompilesOfOneFunctionAndCauseAreOneFinding) {
  const Judgement judgement =
      Judge({RecompileOf("f", "n == 3", 0), RecompileOf("f", "n == 4", 10)});
  ASSERT_THAT(judgement.findings, SizeIs(1));
  EXPECT_EQ(judgement.findings[0].count, 2u);
  EXPECT_THAT(judgement.findings[0].guard_failures, SizeIs(2));
  EXPECT_EQ(judgement.counts.recompiles, 2u);
  EXPECT_EQ(judgement.counts.guard_failures, 2u);
}

TEST(JudgeTest, ALimitAndItsRecompilesAreTwoFindings) {
  const Judgement judgement = Judge({RecompileOf("f", "n == 3", 0), Limit(10)});
  ASSERT_THAT(judgement.findings, SizeIs(2));
  EXPECT_EQ(judgement.findings[0].cause, "limit-reached");
  EXPECT_EQ(judgement.counts.recompiles, 1u);
  EXPECT_EQ(judgement.counts.recompile_limit_hits, 1u);
  // A limit's last reason is listed and not counted.
  EXPECT_EQ(judgement.counts.guard_failures, 1u);
}

TEST(JudgeTest, ARecompileErrorAndItsRecordAreOneRecompile) {
  const std::string text =
      "Recompiling function f in /a/main.py:1\n"
      "    triggered by the following guard failure(s):\n"
      "    - 0/0: n == 3";
  const Judgement judgement =
      Judge({RecompileOf("f", "n == 3", 0),
             Raised("torch._dynamo.exc.RecompileError", text, {}, 10)});
  EXPECT_EQ(judgement.counts.recompiles, 1u);
  EXPECT_EQ(judgement.counts.guard_failures, 1u);
  const Judgement alone =
      Judge({Raised("torch._dynamo.exc.RecompileError", text, {}, 10)});
  EXPECT_EQ(alone.counts.recompiles, 1u);
}

TEST(JudgeTest, ALaunchersSummaryGoesOnceTheFailureIsKnown) {
  const Event launcher = Raised(
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError",
      "train.py FAILED", {}, 20);
  EXPECT_THAT(Judge({launcher}).findings, SizeIs(1));
  const Judgement judgement =
      Judge({Raised(kUnsupported, "x", TracingStack(), 0), launcher});
  EXPECT_THAT(Categories(judgement), ElementsAre(Category::kGraphBreak));
}

TEST(JudgeTest, SkippedFramesAndSkipsAreCounted) {
  Event skip = BreakAt("x", 9, 0);
  skip.name = "skip";
  Event wont = Raised(kUnsupported, "y", TracingStack(), 10);
  wont.kind = EventKind::kSkippedFrame;
  wont.logged = true;
  const Judgement judgement = Judge({skip, wont});
  EXPECT_EQ(judgement.counts.skipped_frames, 2u);
  // As in torch's counter, a break that skips the frame is not one that
  // resumes.
  EXPECT_EQ(judgement.counts.graph_breaks, 0u);
  EXPECT_EQ(judgement.counts.exceptions, 0u);
}

TEST(JudgeTest, RepeatsAndDroppedEventsCount) {
  Event event = BreakAt("x", 9, 0);
  event.repeats = 10;
  DroppedEvents dropped{};
  dropped[static_cast<size_t>(EventKind::kGraphBreak)] = 5;
  const Judgement judgement = Judge({event}, dropped);
  EXPECT_EQ(judgement.counts.graph_breaks, 16u);
  EXPECT_EQ(judgement.omitted, 5u);
}

TEST(JudgeTest, TheTestsNodeIdIsTheSummarys) {
  Event event = Raised(kUnsupported, "x", TracingStack(), 0);
  event.test_id = "TestX.test_f[cpu-1]";
  Event verdict = MakeEvent(EventKind::kTest, "", 10);
  verdict.name = "failed";
  verdict.test_id = "test/a.py::TestX::test_f[cpu-1]";
  const Judgement judgement = Judge({event, verdict});
  ASSERT_THAT(judgement.findings, SizeIs(1));
  EXPECT_EQ(judgement.findings[0].test_id, "test/a.py::TestX::test_f[cpu-1]");
}

TEST(JudgeTest, FindingsAreBounded) {
  std::vector<Event> events;
  const size_t count = kMaxFindings + 50;
  for (size_t i = 0; i < count; ++i) {
    // Letters, since long numbers are the same to a fingerprint.
    std::string reason = "reason ";
    for (size_t n = i; n > 0; n /= 26)
      reason += static_cast<char>('a' + n % 26);
    events.push_back(BreakAt(reason, 9, i));
  }
  const Judgement judgement = Judge(std::move(events));
  EXPECT_THAT(judgement.findings, SizeIs(kMaxFindings));
  EXPECT_EQ(judgement.omitted, 50u);
  EXPECT_EQ(judgement.counts.graph_breaks, count);
}

}  // namespace
}  // namespace pt2triage
