#include "event/event_store.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Event Break(std::string reason, uint64_t offset) {
  Event event;
  event.kind = EventKind::kGraphBreak;
  event.reason = std::move(reason);
  event.evidence.offset = offset;
  return event;
}

uint64_t Total(const std::vector<Event>& events) {
  uint64_t total = 0;
  for (const Event& event : events) total += 1 + event.repeats;
  return total;
}

TEST(EventStoreTest, EventsComeSortedByPlace) {
  EventStore store;
  store.Add(Break("b", 20));
  store.Add(Break("a", 10));
  const auto events = store.Take();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].reason, "a");
  EXPECT_EQ(events[1].reason, "b");
  EXPECT_THAT(store.Take(), IsEmpty());
}

TEST(EventStoreTest, EqualEventsAreCounted) {
  EventStore store;
  for (uint64_t i = 0; i < 1000; ++i) store.Add(Break("same", i));
  store.Add(Break("other", 2000));
  const auto events = store.Take();
  EXPECT_THAT(events, SizeIs(EventStore::kMaxEqual + 1));
  EXPECT_EQ(Total(events), 1001u);
  EXPECT_EQ(events[EventStore::kMaxEqual - 1].repeats,
            1000 - EventStore::kMaxEqual);
}

TEST(EventStoreTest, PlaceTimeAndCompileIdDoNotMakeADifference) {
  EventStore store;
  for (uint64_t i = 0; i < 100; ++i) {
    Event event = Break("same", i);
    event.time = std::to_string(i);
    event.compile_id = CompileId{-1, static_cast<int32_t>(i), 0, 0};
    store.Add(std::move(event));
  }
  EXPECT_THAT(store.Take(), SizeIs(EventStore::kMaxEqual));
}

TEST(EventStoreTest, RanksAndContentDo) {
  EventStore store;
  for (int32_t rank = 0; rank < 100; ++rank) {
    Event event = Break("same", 0);
    event.rank = rank;
    store.Add(std::move(event));
  }
  EXPECT_THAT(store.Take(), SizeIs(100));
}

Event BreakOn(int32_t rank, uint64_t offset = 0) {
  Event event = Break("same", offset);
  event.rank = rank;
  event.process = std::to_string(rank);
  event.stream = "[rank" + std::to_string(rank) + "]:";
  return event;
}

std::set<int32_t> RanksOf(const std::vector<Event>& events) {
  std::set<int32_t> ranks;
  for (const Event& event : events) {
    EXPECT_TRUE(
        std::is_sorted(event.repeat_ranks.begin(), event.repeat_ranks.end()));
    ranks.insert(event.rank);
    ranks.insert(event.repeat_ranks.begin(), event.repeat_ranks.end());
  }
  return ranks;
}

TEST(EventStoreTest, ManyRanksAreCountedAndNamed) {
  constexpr int32_t kRanks = 100'000;
  for (const bool backwards : {false, true}) {
    EventStore store;
    for (int32_t i = 0; i < kRanks; ++i) {
      store.Add(BreakOn(backwards ? kRanks - 1 - i : i));
    }
    store.Add(BreakOn(5));
    const auto dropped = store.dropped();
    const auto events = store.Take();
    EXPECT_THAT(events, SizeIs(EventStore::kMaxAlike));
    EXPECT_EQ(Total(events), kRanks + 1u);
    EXPECT_THAT(RanksOf(events), SizeIs(kRanks));
    EXPECT_EQ(dropped[static_cast<size_t>(EventKind::kGraphBreak)], 0u);
  }
}

TEST(EventStoreTest, TheListOfRanksIsBounded) {
  EventStore store;
  constexpr int32_t kRanks = 2 * EventStore::kMaxRanks;
  for (int32_t i = 0; i < kRanks; ++i) store.Add(BreakOn(i));
  const auto events = store.Take();
  EXPECT_EQ(Total(events), uint64_t{kRanks});
  EXPECT_THAT(RanksOf(events),
              SizeIs(EventStore::kMaxAlike + EventStore::kMaxRanks));
}

TEST(EventStoreTest, AnotherFailureOfEachRankIsKept) {
  EventStore store;
  for (int32_t i = 0; i < 50'000; ++i) store.Add(BreakOn(i));
  for (int32_t i = 0; i < 50'000; ++i) {
    Event other = BreakOn(i, 9);
    other.reason = "other";
    store.Add(std::move(other));
  }
  const auto dropped = store.dropped();
  EXPECT_EQ(Total(store.Take()), 100'000u);
  EXPECT_EQ(dropped[static_cast<size_t>(EventKind::kGraphBreak)], 0u);
}

TEST(EventStoreTest, WhenFullAKnownFailureOfAnotherRankIsCounted) {
  EventStore store;
  store.Add(BreakOn(1));
  const std::string big(100000, 'x');
  for (uint64_t i = 0; i < 200; ++i) {
    store.Add(Break(big + std::to_string(i), i + 1));
  }
  for (uint64_t i = 0; i < 200; ++i) {
    store.Add(Break(std::to_string(i), i + 1000));
  }
  store.Add(BreakOn(2, 9999));
  const auto events = store.Take();
  EXPECT_EQ(events[0].repeats, 1u);
  EXPECT_THAT(events[0].repeat_ranks, ElementsAre(2));
}

TEST(EventStoreTest, MemoryIsBoundedAndNothingUncounted) {
  EventStore store;
  const std::string big(10000, 'x');
  constexpr uint64_t kEvents = 3000;
  for (uint64_t i = 0; i < kEvents; ++i) {
    store.Add(Break(big + std::to_string(i), i));
  }
  const auto dropped = store.dropped();
  const auto events = store.Take();
  EXPECT_LE(events.size() * big.size(), EventStore::kMaxBytes);
  const uint64_t lost =
      std::accumulate(dropped.begin(), dropped.end(), uint64_t{0});
  EXPECT_EQ(Total(events) + lost, kEvents);
  EXPECT_EQ(dropped[static_cast<size_t>(EventKind::kGraphBreak)], lost);
}

TEST(EventStoreTest, RepeatsOfKeptEventsCountWhenFull) {
  EventStore store;
  store.Add(Break("first", 0));
  const std::string big(100000, 'x');
  for (uint64_t i = 0; i < 200; ++i) {
    store.Add(Break(big + std::to_string(i), i));
  }
  store.Add(Break("first", 9999));
  const auto dropped = store.dropped();
  const uint64_t lost =
      std::accumulate(dropped.begin(), dropped.end(), uint64_t{0});
  EXPECT_EQ(Total(store.Take()) + lost, 202u);
}

TEST(EventStoreTest, WarningsLeaveRoomForFailures) {
  EventStore store;
  const std::string big(10000, 'x');
  auto add = [&](EventKind kind, std::string type, int i) {
    Event event;
    event.kind = kind;
    event.message = std::to_string(i) + big;
    if (!type.empty()) {
      event.blocks.emplace_back();
      event.blocks.back().type = std::move(type);
    }
    event.evidence.offset = static_cast<uint64_t>(i);
    store.Add(std::move(event));
  };
  for (int i = 0; i < 2000; ++i) add(EventKind::kRecompile, "", i);
  for (int i = 2000; i < 4000; ++i) add(EventKind::kException, "ValueError", i);
  add(EventKind::kException, "torch._inductor.exc.InductorError", 4000);
  add(EventKind::kCrash, "", 4001);
  const std::vector<Event> events = store.Take();
  ASSERT_GT(events.size(), 2);
  EXPECT_EQ(events[events.size() - 1].kind, EventKind::kCrash);
  EXPECT_EQ(events[events.size() - 2].blocks.at(0).type,
            "torch._inductor.exc.InductorError");
  EXPECT_EQ(events[events.size() - 3].blocks.at(0).type, "ValueError");
  EXPECT_GT(store.dropped()[static_cast<size_t>(EventKind::kRecompile)], 0);
}

}  // namespace
}  // namespace pt2triage
