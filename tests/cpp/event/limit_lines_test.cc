#include "event/limit_lines.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

std::vector<Event> EventsOf(std::string_view text) {
  std::vector<Event> events;
  LimitLines lines([&](Event event) { events.push_back(std::move(event)); });
  Evidence at;
  while (!text.empty()) {
    size_t end = text.find('\n');
    at.length = end + 1;
    ++at.line;
    lines.OnLine(text.substr(0, end), at);
    at.offset += at.length;
    text.remove_prefix(end + 1);
  }
  lines.Finish();
  return events;
}

constexpr std::string_view kBody =
    "   function: 'forward' (/a/net.py:33)\n"
    "   last reason: L['n'] == 0\n";

TEST(LimitLinesTest, BelowAnyLoggersPrefix) {
  for (std::string_view head :
       {"WARNING  torch._dynamo.convert_frame:convert_frame.py:762 "
        "torch._dynamo hit config.cache_size_limit (8)\n",
        "WARNING:torch._dynamo.convert_frame:torch._dynamo hit "
        "config.recompile_limit (8)\n",
        "torch._dynamo hit config.recompile_limit (8)\n"}) {
    std::vector<Event> events =
        EventsOf(std::string(head) + std::string(kBody) + "next\n");
    ASSERT_EQ(events.size(), 1u) << head;
    EXPECT_EQ(events[0].kind, EventKind::kRecompileLimit);
    EXPECT_EQ(events[0].user_frame->function, "forward");
    EXPECT_EQ(events[0].user_frame->line, 33);
    EXPECT_EQ(events[0].guards.size(), 1u);
    EXPECT_EQ(events[0].evidence.line, 1u);
    EXPECT_EQ(events[0].evidence.length, head.size() + kBody.size());
  }
}

TEST(LimitLinesTest, QuotedSourceIsNone) {
  EXPECT_TRUE(
      EventsOf("  raise RuntimeError(\"torch._dynamo hit config.x (8)\")\n"
               "  # done\n")
          .empty());
}

TEST(LimitLinesTest, ACutOneNeedsItsFunction) {
  EXPECT_TRUE(EventsOf("torch._dynamo hit config.x (8)\n").empty());
  EXPECT_EQ(EventsOf("torch._dynamo hit config.x (8)\n"
                     "   function: 'f' (/a/b.py:1)\n")
                .size(),
            1u);
}

}  // namespace
}  // namespace pt2triage
