#include "event/draft_report.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

constexpr std::string_view kHead =
    "WARNING: 3 issue(s) found during export, and it was not able to soundly "
    "produce a graph.\n"
    "Please follow the instructions to fix the errors.\n"
    "#####################################################\n"
    "\n";

std::vector<Event> EventsOf(std::string_view text) {
  std::vector<Event> events;
  DraftReportParser parser(
      [&](Event event) { events.push_back(std::move(event)); });
  Evidence at;
  while (!text.empty()) {
    size_t end = text.find('\n');
    at.length = end + 1;
    ++at.line;
    parser.OnLine({text.substr(0, end), at});
    at.offset += at.length;
    text.remove_prefix(end + 1);
  }
  parser.Finish();
  return events;
}

TEST(DraftReportTest, EachItemIsAnEvent) {
  std::vector<Event> events = EventsOf(
      std::string(kHead) +
      "1. Missing fake kernel.\n"
      "    torch.ops.a.b is missing a fake kernel implementation.\n"
      "\n"
      "2. Data dependent error.\n"
      "    When exporting, we were unable to evaluate the value of "
      "`u0 > 3`.\n"
      "    This occurred at the following user stacktrace: \n"
      "        File /a/b.py, lineno 57, in forward\n"
      "            if n > 3:\n"
      "    And the following framework stacktrace: \n"
      "        File /v/site-packages/torch/__init__.py, lineno 7, in g\n"
      "3. Mismatched fake kernel.\n"
      "    The reason for the mismatch is: sizes differ.\n"
      "saved\n"
      "4. Guard Added.\n");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].name, "missing-fake-kernel");
  EXPECT_EQ(events[0].reason,
            "torch.ops.a.b is missing a fake kernel implementation");
  EXPECT_EQ(events[1].name, "data-dependent");
  ASSERT_EQ(events[1].frames.size(), 1u);
  EXPECT_EQ(events[1].frames[0].file, "/a/b.py");
  EXPECT_EQ(events[1].frames[0].line, 57);
  EXPECT_EQ(events[1].frames[0].code, "if n > 3:");
  EXPECT_EQ(events[2].name, "mismatched-fake-kernel");
  EXPECT_EQ(events[2].evidence.line, 15u);
}

TEST(DraftReportTest, ItemsElsewhereAreNone) {
  EXPECT_TRUE(EventsOf("1. Missing fake kernel.\n    x\n").empty());
}

}  // namespace
}  // namespace pt2triage
