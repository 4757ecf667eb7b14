#include "event/event_store.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

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

}  // namespace
}  // namespace pt2triage
