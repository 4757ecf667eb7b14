#include "event/entities.h"

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(EntitiesTest, AreUndone) {
  EXPECT_EQ(WithoutEntities("File &quot;/a.py&quot;, in &lt;module&gt;"),
            "File \"/a.py\", in <module>");
  EXPECT_EQ(WithoutEntities("&#39;x&#x27; &amp;&amp; y&nbsp;z"), "'x' && y z");
}

TEST(EntitiesTest, OnlyOnce) { EXPECT_EQ(WithoutEntities("&amp;lt;"), "&lt;"); }

TEST(EntitiesTest, OtherAmpersandsStay) {
  EXPECT_EQ(WithoutEntities("a & b && c &unknown; &"),
            "a & b && c &unknown; &");
  EXPECT_FALSE(MayHoldEntities("a & b && c &unknown; &"));
  EXPECT_TRUE(MayHoldEntities("a & b &lt; c"));
  EXPECT_FALSE(MayHoldEntities(""));
}

}  // namespace
}  // namespace pt2triage
