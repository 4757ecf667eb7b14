#include "triage/normal_forms.h"

#include "base/piece.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace pt2triage {
namespace {

TEST(NormalFormsTest, EveryPatternCompiles) {
  for (const NormalForm& row : NormalForms()) {
    EXPECT_TRUE(re2::RE2(ToPiece(row.pattern)).ok()) << row.pattern;
  }
}

TEST(NormalFormsTest, EverySampleTakesItsForm) {
  for (const NormalForm& row : NormalForms()) {
    EXPECT_EQ(NormaliseText(row.sample), row.normal) << row.pattern;
    EXPECT_NE(row.sample, row.normal);
  }
}

TEST(NormalFormsTest, NormalTextsStayAsTheyAre) {
  for (const NormalForm& row : NormalForms()) {
    EXPECT_EQ(NormaliseText(row.normal), row.normal) << row.normal;
  }
}

TEST(NormalFormsTest, WhatTellsFailuresApartStays) {
  for (const char* text :
       {"exit code 0xc0000374", "size mismatch: expected 3, actual 4",
        "L['x'].size()[0] == 2", "x/1.5 and y/1.5", "a / b and/or c",
        "aten/foo.default", "triton_poi_fused_add_3"}) {
    EXPECT_EQ(NormaliseText(text), text);
  }
}

}  // namespace
}  // namespace pt2triage
