#include "triage/absorb.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "triage/make_event.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// What is left of `events` after absorbing. Drafts point into `events`.
std::vector<Draft> Absorb(const std::vector<Event>& events) {
  std::vector<Draft> drafts;
  for (const Event& event : events) {
    Draft draft = Classify(event, {});
    if (draft.finding.category != Category::kNone) drafts.push_back(draft);
  }
  AbsorbDetails(&drafts);
  return drafts;
}

Event Bare(Event event) {
  event.name = "bare";
  return event;
}

TEST(AbsorbTest, ABareLineRepeatsItsTraceback) {
  const std::vector<Event> events = {
      Bare(Raised("torch._dynamo.exc.Unsupported", "call_method x", {}, 0)),
      Raised("torch._dynamo.exc.Unsupported", "call_method x", TracingStack(),
             50)};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_THAT(left[0].finding.evidence, SizeIs(2));
  EXPECT_EQ(left[0].finding.evidence[0].offset, 50u);
}

TEST(AbsorbTest, ARepeatedBreakIsOfTheFunctionOfTheFirst) {
  Event first;
  first.kind = EventKind::kGraphBreak;
  first.reason = "Data-dependent branching";
  first.user_frame = {"/m/model.py", 3, "f", ""};
  Event again = first;
  again.duplicate = true;
  again.user_frame->function.clear();
  Event elsewhere = again;
  elsewhere.user_frame->line = 4;
  const std::vector<Event> events = {first, again, elsewhere};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(3));
  EXPECT_EQ(left[1].finding.user_frame->function, "f");
  EXPECT_EQ(left[2].finding.user_frame->function, "");
}

TEST(AbsorbTest, BareLinesOfOneTextAreOne) {
  const std::vector<Event> events = {
      Bare(Raised("torch._dynamo.exc.Unsupported", "call_method x", {}, 0)),
      Bare(Raised("torch._dynamo.exc.Unsupported", "call_method x", {}, 9)),
      Bare(Raised("torch._dynamo.exc.Unsupported", "call_method y", {}, 18))};
  EXPECT_THAT(Absorb(events), SizeIs(2));
}

TEST(AbsorbTest, ALoggedErrorThatWasRaisedLaterIsOne) {
  Event logged = Raised("RuntimeError", "bad shapes", {}, 0);
  logged.logged = true;
  const std::vector<Event> events = {
      logged, Raised("RuntimeError", "bad shapes", TracingStack(), 9)};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_FALSE(left[0].event->logged);
}

TEST(AbsorbTest, OtherSourcesKeepTheirOwn) {
  Event other = Bare(Raised("torch._dynamo.exc.Unsupported", "x", {}, 0));
  other.evidence.source = 1;
  const std::vector<Event> events = {
      Raised("torch._dynamo.exc.Unsupported", "x", TracingStack(), 9), other};
  EXPECT_THAT(Absorb(events), SizeIs(2));
}

TEST(AbsorbTest, WhatTorchSurvivedIsNoFinding) {
  Event event = Raised("RuntimeError", "x", {}, 0);
  event.logged = true;
  event.message = "failed to eagerly compile backwards for x";
  EXPECT_THAT(Absorb({event}), SizeIs(0));
}

TEST(AbsorbTest, AssertsGoIntoTheErrorThatReportsThem) {
  Event line = MakeEvent(EventKind::kDeviceAssert, "assert", 0);
  line.name = "/tmp/torchinductor_me/ab/cab.py";
  line.reason = "index out of bounds: 0 <= tmp4 < 8";
  const std::vector<Event> events = {
      line, line,
      Raised("RuntimeError", "CUDA error: device-side assert triggered",
             {UserFrame()}, 99)};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].event->kind, EventKind::kException);
  EXPECT_THAT(left[0].finding.evidence, SizeIs(3));
}

TEST(AbsorbTest, AccuracyLinesGoIntoTheRaisedError) {
  const std::vector<Event> events = {
      MakeEvent(EventKind::kAccuracy, "RMSE (res-fp64): 19.4", 0),
      MakeEvent(EventKind::kAccuracy, "Accuracy failed for the graph", 1),
      Raised("torch._dynamo.debug_utils.AccuracyError", "Bad accuracy detected",
             {}, 2)};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_THAT(left[0].finding.evidence, SizeIs(3));
}

TEST(AbsorbTest, AVerdictBelongsToTheLineAboveIt) {
  Event rmse = MakeEvent(EventKind::kAccuracy, "RMSE (res-fp64): 19.4", 0);
  rmse.name = "rmse";
  Event verdict = MakeEvent(EventKind::kAccuracy, "fail_accuracy", 2);
  verdict.name = "verdict";
  Event far = MakeEvent(EventKind::kAccuracy, "fail_accuracy", 90);
  far.name = "verdict";
  EXPECT_THAT(Absorb({rmse, verdict}), SizeIs(1));
  EXPECT_THAT(Absorb({rmse, far}), SizeIs(2));
}

TEST(AbsorbTest, AReraiseBecomesTheOutermost) {
  const std::vector<Event> events = {
      Raised("torch._dynamo.exc.UserError", "x", TracingStack(), 0),
      Raised("torch.onnx._internal.exporter._errors.TorchExportError",
             "Failed to export the model", {UserFrame()}, 9)};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(1));
  const Finding& finding = left[0].finding;
  EXPECT_EQ(finding.exception, "torch._dynamo.exc.UserError");
  ASSERT_THAT(finding.exception_chain, SizeIs(2));
  EXPECT_EQ(finding.exception_chain[0].type,
            "torch.onnx._internal.exporter._errors.TorchExportError");
}

TEST(AbsorbTest, ALimitThatIsLoggedAndThenRaisedIsOneFinding) {
  Event limit = RecompileOf("f", "n == 3", 0);
  limit.kind = EventKind::kRecompileLimit;
  const std::vector<Event> events = {
      limit, Raised("torch._dynamo.exc.FailOnRecompileLimitHit",
                    "recompile_limit reached with fullgraph=True", {}, 9)};
  const auto left = Absorb(events);
  ASSERT_THAT(left, SizeIs(1));
  ASSERT_TRUE(left[0].finding.exception);
  ASSERT_TRUE(left[0].finding.user_frame);
  EXPECT_EQ(left[0].finding.user_frame->function, "f");
}

}  // namespace
}  // namespace pt2triage
