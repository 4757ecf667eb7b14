#include "event/messages/graph_break_types.h"

#include "gtest/gtest.h"
#include "triage/knowledge/cause_table.h"

namespace pt2triage {
namespace {

TEST(GraphBreakTypesTest, AreSortedAndFound) {
  std::string_view before;
  for (const GraphBreakType& row : GraphBreakTypes()) {
    EXPECT_LT(before, row.type);
    before = row.type;
    EXPECT_EQ(FindGraphBreakType(row.type), &row);
  }
  EXPECT_EQ(FindGraphBreakType("no such type"), nullptr);
  EXPECT_EQ(FindGraphBreakType(""), nullptr);
}

TEST(GraphBreakTypesTest, CausesAreOfTheTable) {
  for (const GraphBreakType& row : GraphBreakTypes()) {
    EXPECT_NE(FindCause(Category::kGraphBreak, row.cause), nullptr)
        << row.cause;
  }
}

}  // namespace
}  // namespace pt2triage
