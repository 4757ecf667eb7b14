#include "line/stamps.h"

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(StampsTest, TimesAreReadWithTheirZones) {
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22.0392577Z x").length, 28u);
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22Z").length, 20u);
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22+02:00 x").length, 25u);
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22-0530").length, 24u);
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22").length, 0u);
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22 Z").length, 0u);
  EXPECT_EQ(ReadIsoTime("2025-04-17T06:19:22+2").length, 0u);
  EXPECT_EQ(ReadIsoTime("").length, 0u);
}

TEST(StampsTest, OffsetsGo) {
  EXPECT_EQ(UtcTime("2025-04-17T06:19:22.0392577Z x"),
            "2025-04-17T06:19:22.0392577Z");
  EXPECT_EQ(UtcTime("2025-01-01T01:19:22.5+02:00"), "2024-12-31T23:19:22.5Z");
  EXPECT_EQ(UtcTime("2024-02-29T23:00:00-0530"), "2024-03-01T04:30:00Z");
  EXPECT_EQ(UtcTime("1129 15:22:18.930000"), "");
  EXPECT_EQ(UtcTimeOfMillis(1764429738001), "2025-11-29T15:22:18.001Z");
  EXPECT_EQ(UtcTimeOfMicros(1764429738000001), "2025-11-29T15:22:18.000001Z");
}

TEST(StampsTest, TheStampTellsTheYear) {
  EXPECT_EQ(DatedTorchTime("1129 15:22:18.930000", "2025-11-29T15:22:19.1Z"),
            "2025-11-29T15:22:18.930000Z");
  // Another zone than the runner's, or a line that was held back for hours.
  EXPECT_EQ(DatedTorchTime("1129 07:22:18.930000", "2025-11-29T15:22:19.1Z"),
            "2025-11-29T07:22:18.930000");
  EXPECT_EQ(DatedTorchTime("2023-07-26 06:31:09,284", "2023-07-26T06:31:10Z"),
            "2023-07-26T06:31:09.284Z");
}

TEST(StampsTest, NewYear) {
  EXPECT_EQ(DatedTorchTime("1231 23:59:59.900000", "2026-01-01T00:00:00.2Z"),
            "2025-12-31T23:59:59.900000Z");
  EXPECT_EQ(DatedTorchTime("0101 00:00:01.000000", "2025-12-31T23:59:59.9Z"),
            "2026-01-01T00:00:01.000000Z");
  EXPECT_EQ(DatedTorchTime("0101 05:30:01.000000", "2025-12-31T23:59:59Z"),
            "2026-01-01T05:30:01.000000");
}

TEST(StampsTest, LeapDays) {
  EXPECT_EQ(DatedTorchTime("0229 12:00:00.000000", "2024-03-01T00:00:00Z"),
            "2024-02-29T12:00:00.000000");
  EXPECT_EQ(DatedTorchTime("0229 12:00:00.000000", "2025-03-01T00:00:00Z"),
            "2024-02-29T12:00:00.000000");
  EXPECT_EQ(DatedTorchTime("0229 12:00:00.000000", "2022-03-01T00:00:00Z"), "");
}

TEST(StampsTest, WhatIsNoTimeStays) {
  EXPECT_EQ(DatedTorchTime("x", "2025-11-29T15:22:19.1Z"), "");
  EXPECT_EQ(DatedTorchTime("1129 15:22:18.930000", "15:22:19"), "");
  EXPECT_EQ(DatedTorchTime("1399 15:22:18.930000", "2025-11-29T15:22:19Z"), "");
}

}  // namespace
}  // namespace pt2triage
