#include "record/log_record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

// Feeds physical lines to an assembler as RecordStream does.
class Assembled {
 public:
  explicit Assembled(RecordAssembler::Wanted wanted = nullptr)
      : assembler_(0, wanted,
                   [this](LogRecord& record) { records.push_back(record); }) {}

  void Add(std::string_view physical) {
    const PhysicalLine line{physical, ++number_, offset_, physical.size() + 1};
    offset_ += line.length;
    LineCleaner cleaner;
    const Line cleaned = cleaner.Clean(line);
    const auto header = FindLogHeader(cleaned.text);
    ASSERT_TRUE(header) << physical;
    assembler_.OnLine(cleaned, *header);
  }
  void Finish() { assembler_.Finish(); }
  uint64_t count() const { return assembler_.records(); }

  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const LogRecord& record : records) texts.push_back(record.text);
    return texts;
  }

  std::vector<LogRecord> records;

 private:
  RecordAssembler assembler_;
  uint64_t number_ = 0;
  uint64_t offset_ = 0;
};

std::string Glog(std::string_view body, std::string_view process = "9",
                 std::string_view id = "0/0") {
  return "V1129 15:22:18.930000 " + std::string(process) + " torch/a.py:1] [" +
         std::string(id) + "] [__graph_breaks] " + std::string(body);
}

TEST(RecordAssemblerTest, LinesOfOneRecordAreJoined) {
  Assembled assembled;
  assembled.Add(Glog("a"));
  assembled.Add(Glog("  b"));
  assembled.Add(Glog(""));
  assembled.Add(Glog("c"));
  assembled.Finish();
  EXPECT_THAT(assembled.Texts(), ElementsAre("a\n  b\n\nc"));
}

TEST(RecordAssemblerTest, TheHeaderIsKept) {
  Assembled assembled;
  assembled.Add("[rank2]:" + Glog("a", "42", "1/3"));
  assembled.Finish();
  ASSERT_THAT(assembled.records, SizeIs(1));
  const LogRecord& record = assembled.records[0];
  EXPECT_EQ(record.level, 'V');
  EXPECT_EQ(record.time, "1129 15:22:18.930000");
  EXPECT_EQ(record.process, "42");
  EXPECT_EQ(record.path, "torch/a.py");
  EXPECT_EQ(record.path_line, "1");
  EXPECT_EQ(record.artifact, "graph_breaks");
  EXPECT_EQ(record.rank, 2);
  EXPECT_EQ(record.stream, "[rank2]:");
  EXPECT_THAT(record.compile_id, Optional(CompileId{-1, 1, 3, 0}));
}

TEST(RecordAssemblerTest, AnotherHeaderIsAnotherRecord) {
  Assembled assembled;
  assembled.Add(Glog("a", "9", "0/0"));
  assembled.Add(Glog("b", "9", "0/1"));
  assembled.Finish();
  EXPECT_THAT(assembled.Texts(), ElementsAre("a", "b"));
  EXPECT_EQ(assembled.count(), 2u);
}

TEST(RecordAssemblerTest, InterleavedProcessesDoNotMix) {
  Assembled assembled;
  assembled.Add(Glog("a1", "1"));
  assembled.Add(Glog("b1", "2"));
  assembled.Add(Glog("a2", "1"));
  assembled.Add(Glog("b2", "2"));
  assembled.Finish();
  EXPECT_THAT(assembled.Texts(), ElementsAre("a1\na2", "b1\nb2"));
}

TEST(RecordAssemblerTest, InterleavedRanksOfOnePidDoNotMix) {
  // Ranks on two machines may share a pid.
  Assembled assembled;
  assembled.Add("[rank0]:" + Glog("a1"));
  assembled.Add("[rank1]:" + Glog("b1"));
  assembled.Add("[rank0]:" + Glog("a2"));
  assembled.Finish();
  EXPECT_THAT(assembled.Texts(), ElementsAre("a1\na2", "b1"));
  EXPECT_EQ(assembled.records[0].rank, 0);
  EXPECT_EQ(assembled.records[1].rank, 1);
}

TEST(RecordAssemblerTest, KnownFirstLinesSplit) {
  Assembled assembled;
  assembled.Add(Glog("Graph break in user code at a.py:1"));
  assembled.Add(Glog("Reason: x"));
  assembled.Add(Glog("Graph break in user code at a.py:2"));
  assembled.Add(Glog("Reason: y"));
  assembled.Finish();
  EXPECT_THAT(assembled.Texts(),
              ElementsAre("Graph break in user code at a.py:1\nReason: x",
                          "Graph break in user code at a.py:2\nReason: y"));
}

TEST(RecordAssemblerTest, EvidenceSpansTheLines) {
  Assembled assembled;
  assembled.Add(Glog("a", "1"));
  assembled.Add(Glog("other", "2"));
  assembled.Add(Glog("b", "1"));
  assembled.Finish();
  ASSERT_THAT(assembled.records, SizeIs(2));
  const uint64_t all =
      2 * (Glog("a", "1").size() + 1) + Glog("other", "2").size() + 1;
  EXPECT_EQ(assembled.records[0].evidence, (Evidence{0, 1, 0, all}));
  EXPECT_EQ(assembled.records[1].evidence.line, 2u);
}

TEST(RecordAssemblerTest, UnwantedRecordsAreCountedOnly) {
  Assembled assembled(
      [](const LogHeader& header) { return header.level != 'V'; });
  assembled.Add(Glog("a"));
  assembled.Add(Glog("b"));
  assembled.Finish();
  EXPECT_THAT(assembled.records, IsEmpty());
  EXPECT_EQ(assembled.count(), 1u);
}

TEST(RecordAssemblerTest, TheLeastRecentWriterIsClosedFirst) {
  Assembled assembled;
  for (size_t i = 0; i < RecordAssembler::kMaxOpen; ++i) {
    assembled.Add(Glog("a" + std::to_string(i), std::to_string(i + 1)));
  }
  assembled.Add(Glog("more", "1"));  // writer 1 is used again, 2 is not
  EXPECT_THAT(assembled.records, IsEmpty());
  assembled.Add(Glog("new", "1000"));
  EXPECT_THAT(assembled.Texts(), ElementsAre("a1"));
}

TEST(RecordAssemblerTest, TextIsBounded) {
  Assembled assembled;
  const std::string line(40000, 'x');
  for (int i = 0; i < 10; ++i) assembled.Add(Glog(line));
  assembled.Finish();
  ASSERT_THAT(assembled.records, SizeIs(1));
  EXPECT_LE(assembled.records[0].text.size(),
            RecordAssembler::kMaxText + line.size() + 1);
  EXPECT_EQ(assembled.records[0].evidence.length, 10 * (Glog(line).size() + 1));
}

TEST(RecordAssemblerTest, ALongFirstLineIsBounded) {
  Assembled assembled;
  assembled.Add(Glog(std::string(3 * RecordAssembler::kMaxText, 'x')));
  assembled.Finish();
  EXPECT_EQ(assembled.records.at(0).text.size(), RecordAssembler::kMaxText);
}

TEST(StartsRecordTest, OnlyForItsArtifact) {
  EXPECT_TRUE(StartsRecord("recompiles", "Recompiling function f in a.py:1"));
  EXPECT_TRUE(
      StartsRecord("recompiles_verbose", "Recompiling function f in a.py:1"));
  EXPECT_TRUE(StartsRecord("graph_breaks", "Graph break (details suppressed)"));
  EXPECT_TRUE(StartsRecord("", "torch._dynamo hit config.recompile_limit (8)"));
  EXPECT_FALSE(StartsRecord("", "Recompiling function f in a.py:1"));
  EXPECT_FALSE(StartsRecord("recompiles", "    - 0/0: n == 3"));
}

}  // namespace
}  // namespace pt2triage
