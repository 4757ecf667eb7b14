#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
using std::string_literals::operator""s;

Report Scan(std::string_view bytes, size_t chunk = 1 << 20) {
  const std::unique_ptr<Source> source = FromMemory(bytes, "in.log");
  ScanOptions options;
  options.chunk_size = chunk;
  auto result = ScanSource(*source, options);
  EXPECT_TRUE(result.ok());
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(*std::move(result));
  Report report = MakeReport(std::move(results));
  const SourceInfo& info = report.sources.at(0);
  EXPECT_EQ(info.bytes_parsed + info.bytes_plain + info.bytes_malformed,
            info.bytes);
  return report;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

constexpr std::string_view kLog =
    "V1129 15:22:18.930000 9 torch/a.py:1] [0/0] [__graph_breaks] Graph break "
    "in user code at /a/m.py:3\n"
    "V1129 15:22:18.930000 9 torch/a.py:1] [0/0] [__graph_breaks] Reason: "
    "Unsupported: call_method x\n"
    "loss 0.1\n";

TEST(SourceScannerTest, ALogIsDescribed) {
  const Report report = Scan(kLog);
  const SourceInfo& info = report.sources.at(0);
  EXPECT_EQ(info.name, "in.log");
  EXPECT_EQ(info.kind, SourceKind::kTorchLogs);
  EXPECT_EQ(info.bytes, kLog.size());
  EXPECT_EQ(info.lines, 3u);
  EXPECT_EQ(info.log_records, 1u);
  EXPECT_EQ(info.bytes_plain, 9u);
  EXPECT_EQ(info.malformed, 0u);
}

// Lines longer than 8 MiB come in pieces; here a progress bar ends in one.
TEST(SourceScannerTest, ALiteralAcrossACutIsFoundOnce) {
  constexpr size_t kPiece = size_t{8} << 20;
  constexpr std::string_view kWords = "Segmentation fault (core dumped)";
  for (size_t before = 0; before <= kWords.size(); before += 4) {
    std::string text(kPiece - 1 - before, 'x');
    text += "\r" + std::string(kWords) + "\n";
    for (const size_t chunk : {size_t{1} << 20, kPiece, text.size()}) {
      const Report report = Scan(text, chunk);
      EXPECT_EQ(report.counts.crashes, 1u) << before;
      ASSERT_THAT(report.findings, SizeIs(1)) << before;
      EXPECT_EQ(report.findings[0].evidence[0].line, 1u);
      EXPECT_EQ(report.sources[0].lines, 1u);
    }
  }
}

TEST(SourceScannerTest, RecordsInNewWordsAreTold) {
  const std::string head =
      "V1129 15:22:18.930000 9 torch/a.py:1] [0/0] [__graph_breaks] ";
  const std::string before = "one\n";
  const Report report = Scan(before + head + "The graph ends here\n" + head +
                             "  because of this\n" + std::string(kLog));
  const SourceInfo& info = report.sources.at(0);
  EXPECT_EQ(info.unrecognised, 1u);
  EXPECT_EQ(info.malformed, 0u);
  EXPECT_EQ(info.bytes_malformed, 0u);
  EXPECT_EQ(report.counts.graph_breaks, 1u);
  ASSERT_THAT(report.diagnostics, SizeIs(1));
  EXPECT_EQ(report.diagnostics[0].kind, "unrecognised-record");
  EXPECT_THAT(report.diagnostics[0].message, HasSubstr("The graph ends here"));
  EXPECT_EQ(report.diagnostics[0].at.offset, before.size());
}

TEST(SourceScannerTest, PartsOfCutRecordsAreNotNewWords) {
  const std::string head =
      "V1129 15:22:18.930000 9 torch/a.py:1] [0/0] [__graph_breaks] ";
  for (std::string_view text :
       {"the end of a reason\n", "User code traceback:\n"}) {
    EXPECT_EQ(Scan(head + std::string(text)).sources.at(0).unrecognised, 0u);
  }
  EXPECT_EQ(Scan("x\n" + head + "    - a guard\n").sources[0].unrecognised, 0u);
  EXPECT_EQ(Scan("V1129 15:22:18.930000 9 torch/a.py:1] [0/0] [__guards] x\n")
                .sources[0]
                .unrecognised,
            0u);
}

TEST(SourceScannerTest, EvidenceCanBeLookedUp) {
  const std::string before = "one\ntwo\n";
  const std::string text = before + std::string(kLog);
  const Report report = Scan(text);
  ASSERT_THAT(report.findings, SizeIs(1));
  ASSERT_THAT(report.findings[0].evidence, SizeIs(1));
  const Evidence& at = report.findings[0].evidence[0];
  EXPECT_EQ(at.line, 3u);
  EXPECT_EQ(at.offset, before.size());
  EXPECT_EQ(text.substr(at.offset, at.length),
            std::string(kLog.substr(0, kLog.find("loss"))));
}

TEST(SourceScannerTest, KindsAreToldByContent) {
  EXPECT_EQ(Scan("").sources[0].kind, SourceKind::kEmpty);
  EXPECT_EQ(Scan("hello\n").sources[0].kind, SourceKind::kText);
  EXPECT_EQ(Scan("V1129 15:22:18.930000 9 torch/a.py:1] {\"dynamo_start\": "
                 "{}, \"frame_id\": 0}\n")
                .sources[0]
                .kind,
            SourceKind::kTorchTrace);
  EXPECT_EQ(Scan("\x7f"
                 "ELF\x02\x01\x01")
                .sources[0]
                .kind,
            SourceKind::kBinary);
}

TEST(SourceScannerTest, BinaryIsAllMalformedAndSaysWhatToDo) {
  const std::string bytes = "\x1f\x8b\x08" + std::string(10000, '\x01');
  const Report report = Scan(bytes, 100);
  const SourceInfo& info = report.sources[0];
  EXPECT_EQ(info.bytes, bytes.size());
  EXPECT_EQ(info.bytes_malformed, bytes.size());
  EXPECT_EQ(info.malformed, 1u);
  ASSERT_THAT(report.diagnostics, SizeIs(1));
  EXPECT_THAT(report.diagnostics[0].message, HasSubstr("gzip"));
  EXPECT_EQ(report.category, Category::kNone);
}

TEST(SourceScannerTest, Utf16IsRead) {
  for (const bool big_endian : {false, true}) {
    std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
    for (char c : kLog) {
      if (big_endian) bytes += '\0';
      bytes += c;
      if (!big_endian) bytes += '\0';
    }
    const Report report = Scan(bytes, 7);
    EXPECT_EQ(report.category, Category::kGraphBreak);
    ASSERT_THAT(report.diagnostics, SizeIs(1));
    EXPECT_EQ(report.diagnostics[0].kind, "utf-16");
  }
}

TEST(SourceScannerTest, AnyChunkingGivesTheSameReport) {
  for (std::string_view path :
       {"/corpus/2.13.0/recompile_limit/log.txt",
        "/corpus/2.13.0/breaks/log.txt", "/corpus/2.2.2/breaks/log.txt",
        "/corpus/2.13.0/two_ranks/log.txt", "/reports/001/log.txt"}) {
    const std::string bytes = ReadFile(PT2TRIAGE_TEST_DATA + std::string(path));
    const std::string whole = ReportToJson(Scan(bytes, bytes.size() + 1));
    for (const size_t chunk : {1u, 7u, 4096u}) {
      EXPECT_EQ(ReportToJson(Scan(bytes, chunk)), whole) << path << chunk;
    }
  }
}

TEST(SourceScannerTest, PushingIsTheSameAsPulling) {
  SourceScanner scanner("in.log", {});
  for (const char& c : kLog) scanner.Feed(std::string_view(&c, 1));
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(scanner.Finish());
  EXPECT_EQ(ReportToJson(MakeReport(std::move(results))),
            ReportToJson(Scan(kLog)));
}

TEST(SourceScannerTest, ProgressCanCancel) {
  const std::unique_ptr<Source> source = FromMemory(kLog, "in.log");
  ScanOptions options;
  options.chunk_size = 10;
  uint64_t seen = 0;
  options.progress = [&](uint64_t done) {
    seen = done;
    return done < 50;
  };
  const auto result = ScanSource(*source, options);
  EXPECT_TRUE(absl::IsCancelled(result.status()));
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("in.log"));
  EXPECT_EQ(seen, 50u);
}

TEST(SourceScannerTest, ReadErrorsAreHandedOn) {
  const std::unique_ptr<Source> source = FromCallback(
      [](char*, size_t) { return absl::UnavailableError("disk gone"); }, "x");
  EXPECT_TRUE(absl::IsUnavailable(ScanSource(*source, {}).status()));
}

TEST(SourceScannerTest, NulsAndCarriageReturnsAreRead) {
  std::string text;
  for (char c : kLog) {
    if (c == '\n') text += '\r';
    text += c;
  }
  EXPECT_EQ(Scan(text).category, Category::kGraphBreak);
  const Report report = Scan(std::string(100, '\0') + "\n" + text);
  EXPECT_EQ(report.category, Category::kGraphBreak);
  EXPECT_EQ(report.sources[0].bytes_malformed, 101u);
}

}  // namespace
}  // namespace pt2triage
