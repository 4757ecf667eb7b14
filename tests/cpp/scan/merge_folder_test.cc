#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "report/source_name.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kFailure =
    "Traceback (most recent call last):\n"
    "  File \"/a/main.py\", line 3, in f\n"
    "    g()\n"
    "torch._dynamo.exc.Unsupported: call_method x\n";

std::shared_ptr<SourceResult> Scanned(std::string name, std::string_view text) {
  SourceScanner scanner(std::move(name), {});
  scanner.Feed(text);
  return scanner.Finish();
}

FolderMember Member(std::string path, std::string_view text) {
  FolderMember member;
  member.artifact.path = path;
  member.artifact.kind = "log";
  member.artifact.bytes = text.size();
  member.result = Scanned(std::move(path), text);
  return member;
}

FolderMember Listed(std::string path, std::string kind) {
  FolderMember member;
  member.artifact.path = std::move(path);
  member.artifact.kind = std::move(kind);
  return member;
}

Report Merged(std::vector<FolderMember> members, uint64_t omitted = 0) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(Scanned("first.log", "fine\n"));
  results.push_back(MergeFolder("dbg", std::move(members), omitted));
  return MakeReport(std::move(results));
}

TEST(MergeFolderTest, IsOneSourceWithTheSums) {
  std::vector<FolderMember> members;
  members.push_back(Member("a.log", "fine\nfine\n"));
  members.push_back(Listed("b.py", "output_code"));
  members.push_back(Member("c.log", "bad \xFF\n"));
  const Report report = Merged(std::move(members), 7);
  ASSERT_THAT(report.sources, SizeIs(2));
  const SourceInfo& info = report.sources[1];
  EXPECT_EQ(info.name, "dbg");
  EXPECT_EQ(info.kind, SourceKind::kDebugFolder);
  EXPECT_EQ(info.bytes, 16u);
  EXPECT_EQ(info.lines, 3u);
  EXPECT_EQ(info.malformed, 1u);
  EXPECT_EQ(info.bytes_parsed + info.bytes_plain + info.bytes_malformed, 16u);
  EXPECT_EQ(info.omitted_artifacts, 7u);
  EXPECT_THAT(info.artifacts, SizeIs(3));
  EXPECT_THAT(report.sources[0].artifacts, IsEmpty());
}

TEST(MergeFolderTest, EvidenceAndDiagnosticsNameTheMember) {
  std::vector<FolderMember> members;
  members.push_back(Listed("a.py", "output_code"));
  members.push_back(Member("run/b.log", kFailure));
  members.push_back(Member("run/c.log", "bad \xFF\n"));
  const Report report = Merged(std::move(members));
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].evidence,
              ElementsAre(Evidence{1, 1, 0, kFailure.size(), 2}));
  EXPECT_EQ(SourceName(report, report.findings[0].evidence[0]),
            "dbg!run/b.log");
  ASSERT_THAT(report.diagnostics, SizeIs(1));
  EXPECT_EQ(SourceName(report, report.diagnostics[0].at), "dbg!run/c.log");
  EXPECT_THAT(ReportToJson(report), HasSubstr("\"dbg!run/b.log\""));
}

TEST(MergeFolderTest, EqualFailuresInsideAndOutsideAreOne) {
  std::vector<FolderMember> members;
  members.push_back(Member("a.log", kFailure));
  members.push_back(Member("b.log", kFailure));
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(MergeFolder("dbg", std::move(members), 0));
  results.push_back(Scanned("last.log", kFailure));
  const Report report = MakeReport(std::move(results));
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].count, 3u);
  std::vector<std::string> names;
  for (const Evidence& at : report.findings[0].evidence) {
    names.push_back(SourceName(report, at));
  }
  EXPECT_THAT(names, ElementsAre("dbg!a.log", "dbg!b.log", "last.log"));
}

TEST(MergeFolderTest, ContentTellsATraceFromALog) {
  constexpr std::string_view kTrace =
      "V1129 15:22:18.930000 9 torch/a.py:1] {\"dynamo_start\": {}, "
      "\"frame_id\": 0}\n";
  std::vector<FolderMember> members;
  members.push_back(Member("a.log", kTrace));
  members.push_back(Member("b.log", "fine\n"));
  members.push_back(Member("c.log", ""));
  members.back().artifact.kind = "trace";
  const Report report = Merged(std::move(members));
  EXPECT_EQ(report.sources[1].artifacts[0].kind, "trace");
  EXPECT_EQ(report.sources[1].artifacts[1].kind, "log");
  EXPECT_EQ(report.sources[1].artifacts[2].kind, "trace");
  EXPECT_EQ(report.sources[1].trace_records, 1u);
}

TEST(MergeFolderTest, ALogBesideTheFolderProvesACompile) {
  std::vector<FolderMember> members;
  members.push_back(Listed("run_1/torchinductor/g.0/x.py", "output_code"));
  members.back().graph_folder = "run_1/torchinductor/g.0";
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(MergeFolder("dbg", std::move(members), 0));
  results.push_back(
      Scanned("run.log",
              "W1129 22:42:40.699000 9 torch/_inductor/debug.py:545] [0/0_1] g "
              "debug trace: /a/dbg/run_1/torchinductor/g.0\n"));
  const Report report = MakeReport(std::move(results));
  EXPECT_EQ(report.sources[0].artifacts[0].compile_id, "0/0_1");
}

TEST(MergeFolderTest, AnEmptyFolderIsASource) {
  const Report report = Merged({});
  EXPECT_EQ(report.sources[1].kind, SourceKind::kDebugFolder);
  EXPECT_EQ(report.sources[1].bytes, 0u);
}

}  // namespace
}  // namespace pt2triage
