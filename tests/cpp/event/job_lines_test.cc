#include "event/job_lines.h"

#include <string>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

std::string NameOf(std::string_view text) {
  std::optional<Event> event = ParseJobLine(text);
  return event ? event->name : "";
}

TEST(JobLinesTest, SayHowAJobEnded) {
  EXPECT_EQ(NameOf("Killed"), "killed");
  EXPECT_EQ(
      NameOf("run.sh: line 31:    14 Killed                  python x.py"),
      "killed");
  EXPECT_EQ(NameOf("##[error]Process completed with exit code 137."), "failed");
  EXPECT_EQ(NameOf("##[error]The operation was canceled."), "cancelled");
  EXPECT_EQ(NameOf("  Finished: FAILURE"), "failed");
}

TEST(JobLinesTest, WordsInProseDoNot) {
  EXPECT_EQ(NameOf("Killed three birds"), "");
  EXPECT_EQ(NameOf("the process was Killed by nobody"), "");
  EXPECT_EQ(NameOf("line 3: 14 Killed"), "");
  EXPECT_EQ(NameOf("echo '##[error]Process completed with exit code 1.'"), "");
  EXPECT_EQ(NameOf(""), "");
}

TEST(JobLinesTest, AKillTellsMoreThanAnExitCode) {
  EXPECT_GT(JobLineRank(*ParseJobLine("Killed")),
            JobLineRank(*ParseJobLine("##[error]The operation was canceled.")));
  EXPECT_GT(JobLineRank(*ParseJobLine("##[error]The operation was canceled.")),
            JobLineRank(*ParseJobLine("Finished: FAILURE")));
}

}  // namespace
}  // namespace pt2triage
