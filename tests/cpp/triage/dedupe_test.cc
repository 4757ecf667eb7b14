#include "triage/dedupe.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "triage/make_event.h"

namespace pt2triage {
namespace {

using ::testing::SizeIs;

Event InTrace(Event event) {
  event.from_trace = true;
  event.evidence.source = 1;
  return event;
}

std::vector<Event> Drop(std::vector<Event> events) {
  DropSeenTwice(&events);
  return events;
}

TEST(DropSeenTwiceTest, ABreakInBothIsOne) {
  const auto left = Drop({BreakAt("x", 9), InTrace(BreakAt("x", 9))});
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_FALSE(left[0].from_trace);
}

TEST(DropSeenTwiceTest, OtherPlacesReasonsAndProcessesStay) {
  EXPECT_THAT(Drop({BreakAt("x", 9), InTrace(BreakAt("x", 10))}), SizeIs(2));
  EXPECT_THAT(Drop({BreakAt("x", 9), InTrace(BreakAt("y", 9))}), SizeIs(2));
  Event other = BreakAt("x", 9);
  other.process = "12";
  EXPECT_THAT(Drop({BreakAt("x", 9), InTrace(other)}), SizeIs(2));
}

TEST(DropSeenTwiceTest, ARecompileInBothIsOne) {
  EXPECT_THAT(
      Drop({RecompileOf("f", "n == 3"), InTrace(RecompileOf("f", "n == 3"))}),
      SizeIs(1));
  EXPECT_THAT(
      Drop({RecompileOf("f", "n == 3"), InTrace(RecompileOf("f", "n == 4"))}),
      SizeIs(2));
}

TEST(DropSeenTwiceTest, AnExceptionInBothIsOne) {
  const Event raised = Raised("torch._dynamo.exc.Unsupported", "call_method x");
  EXPECT_THAT(Drop({raised, InTrace(raised)}), SizeIs(1));
  EXPECT_THAT(Drop({raised, InTrace(Raised("torch._dynamo.exc.Unsupported",
                                           "call_method y"))}),
              SizeIs(2));
}

TEST(DropSeenTwiceTest, AnExceptionInTextGetsTheCompileOfTheTrace) {
  const Event raised = Raised("torch._dynamo.exc.Unsupported", "call_method x");
  Event first = InTrace(raised);
  first.compile_id = CompileId::Parse("0/1_2");
  const auto left = Drop({raised, first});
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].compile_id, first.compile_id);
  Event second = first;
  second.compile_id = CompileId::Parse("1/0");
  const auto unclear = Drop({raised, first, second});
  ASSERT_THAT(unclear, SizeIs(1));
  EXPECT_FALSE(unclear[0].compile_id);
}

TEST(DropSeenTwiceTest, OrderDoesNotMatter) {
  EXPECT_THAT(Drop({InTrace(BreakAt("x", 9)), BreakAt("x", 9)}), SizeIs(1));
}

TEST(DropSeenTwiceTest, MoreInTheTraceThanInTheTextStay) {
  EXPECT_THAT(Drop({BreakAt("x", 9), InTrace(BreakAt("x", 9)),
                    InTrace(BreakAt("x", 9))}),
              SizeIs(2));
}

TEST(DropSeenTwiceTest, EqualEventsOfOneKindOfSourceStay) {
  EXPECT_THAT(Drop({BreakAt("x", 9), BreakAt("x", 9)}), SizeIs(2));
  EXPECT_THAT(Drop({InTrace(BreakAt("x", 9)), InTrace(BreakAt("x", 9))}),
              SizeIs(2));
}

}  // namespace
}  // namespace pt2triage
