#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::shared_ptr<SourceResult> Scanned(std::string name, std::string_view text) {
  SourceScanner scanner(std::move(name), {});
  scanner.Feed(text);
  return scanner.Finish();
}

constexpr std::string_view kFailure =
    "Traceback (most recent call last):\n"
    "  File \"/a/main.py\", line 3, in f\n"
    "    g()\n"
    "torch._dynamo.exc.Unsupported: call_method x\n";

TEST(MakeReportTest, NothingFailed) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("a.log", "fine\n"));
  const Report report = MakeReport(std::move(results));
  EXPECT_EQ(report.category, Category::kNone);
  EXPECT_FALSE(report.finding);
  EXPECT_THAT(report.findings, IsEmpty());
}

TEST(MakeReportTest, NoSourcesGiveAnEmptyReport) {
  const Report report = MakeReport({});
  EXPECT_THAT(report.sources, IsEmpty());
  EXPECT_THAT(ReportToJson(report), HasSubstr("\"schema_version\""));
}

TEST(MakeReportTest, TheFirstFindingIsTheReports) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("a.log", kFailure));
  const Report report = MakeReport(std::move(results));
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.category, Category::kGraphBreak);
  EXPECT_EQ(report.finding, report.findings[0].fingerprint);
}

TEST(MakeReportTest, SourcesKeepTheirOrderAndEvidenceNamesThem) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("a.log", "fine\n"));
  results.push_back(Scanned("b.log", kFailure));
  const Report report = MakeReport(std::move(results));
  ASSERT_THAT(report.sources, SizeIs(2));
  EXPECT_EQ(report.sources[0].name, "a.log");
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].evidence,
              ElementsAre(Evidence{1, 1, 0, kFailure.size()}));
}

TEST(MakeReportTest, EqualFindingsOfAllSourcesAreOne) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("a.log", kFailure));
  results.push_back(Scanned("b.log", kFailure));
  const Report report = MakeReport(std::move(results));
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].count, 2u);
  EXPECT_THAT(report.findings[0].evidence, SizeIs(2));
}

TEST(MakeReportTest, DiagnosticsNameTheirSource) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("a.log", "fine\n"));
  results.push_back(Scanned("b.log", "bad \xFF\n"));
  const Report report = MakeReport(std::move(results));
  ASSERT_THAT(report.diagnostics, SizeIs(1));
  EXPECT_EQ(report.diagnostics[0].at.source, 1u);
  EXPECT_EQ(report.diagnostics[0].kind, "invalid-utf8");
}

TEST(MakeReportTest, DiagnosticsAreBounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "bad \xFF\n";
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("a.log", text));
  const Report report = MakeReport(std::move(results));
  EXPECT_THAT(report.diagnostics, SizeIs(1000));
  EXPECT_EQ(report.sources[0].malformed, 5000u);
}

}  // namespace
}  // namespace pt2triage
