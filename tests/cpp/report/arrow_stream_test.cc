#include "report/arrow_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pt2triage/finding.h"

namespace pt2triage {
namespace {

// `count` findings, every other one with all that may be missing.
SharedReport MakeReportOf(size_t count) {
  auto report = std::make_shared<Report>();
  report->sources.emplace_back().name = "run.log";
  for (size_t i = 0; i < count; ++i) {
    Finding& finding = report->findings.emplace_back();
    finding.fingerprint = std::to_string(i);
    finding.category = Category::kRecompilation;
    finding.cause = i % 3 == 0 ? "shape" : "dtype";
    finding.count = i;
    if (i % 2 == 0) continue;
    finding.phase = Phase::kRun;
    finding.message = "not \xff UTF-8";
    finding.user_frame = StackFrame{"a.py", 7, "f", ""};
    finding.ranks = {0, 3};
    finding.flaky = true;
    finding.evidence = {{0, 5, 60, 7, 0}};
    finding.guard_failures.resize(2);
    finding.guard_failures[1].guard = "n == 3";
  }
  return report;
}

std::vector<FindingView> RowsOf(const SharedReport& report) {
  std::vector<FindingView> rows;
  for (size_t i = 0; i < report->findings.size(); ++i) {
    rows.push_back({report, i});
  }
  return rows;
}

ArrowArrayStream StreamOf(const SharedReport& report, size_t rows = 1000,
                          size_t text_bytes = 1000000) {
  ArrowArrayStream stream;
  ExportStream(MakeFindingsTable(RowsOf(report)), &stream, {rows, text_bytes});
  return stream;
}

// Column `name` of a batch.
const ArrowArray& Column(ArrowArrayStream& stream, const ArrowArray& batch,
                         std::string_view name) {
  ArrowSchema schema;
  EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
  int64_t found = 0;
  while (schema.children[found]->name != name) ++found;
  schema.release(&schema);
  return *batch.children[found];
}

bool IsValid(const ArrowArray& column, int64_t row) {
  const auto* bits = static_cast<const uint8_t*>(column.buffers[0]);
  return bits == nullptr || (bits[row / 8] >> (row % 8) & 1) != 0;
}

std::string_view TextAt(const ArrowArray& column, int64_t row) {
  const auto* ends = static_cast<const int32_t*>(column.buffers[1]);
  const auto* text = static_cast<const char*>(column.buffers[2]);
  return {text + ends[row], static_cast<size_t>(ends[row + 1] - ends[row])};
}

template <typename T>
T NumberAt(const ArrowArray& column, int64_t row) {
  return static_cast<const T*>(column.buffers[1])[row];
}

std::string_view WordAt(const ArrowArray& column, int64_t row) {
  return TextAt(*column.dictionary, NumberAt<int32_t>(column, row));
}

TEST(ArrowStreamTest, ValuesAreThoseOfTheFindings) {
  ArrowArrayStream stream = StreamOf(MakeReportOf(3));
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  ASSERT_EQ(batch.length, 3);
  const auto column = [&](std::string_view name) -> const ArrowArray& {
    return Column(stream, batch, name);
  };
  EXPECT_EQ(TextAt(column("fingerprint"), 2), "2");
  EXPECT_EQ(WordAt(column("category"), 0), "recompilation");
  EXPECT_EQ(WordAt(column("cause"), 1), "dtype");
  EXPECT_EQ(column("cause").dictionary->length, 2);
  EXPECT_EQ(NumberAt<int64_t>(column("count"), 2), 2);
  EXPECT_FALSE(IsValid(column("phase"), 0));
  EXPECT_EQ(WordAt(column("phase"), 1), "run");
  EXPECT_EQ(column("message").null_count, 2);
  EXPECT_EQ(TextAt(column("message"), 1), "not \xEF\xBF\xBD UTF-8");
  EXPECT_EQ(NumberAt<int32_t>(column("ranks"), 1), 0);  // offsets
  EXPECT_EQ(NumberAt<int32_t>(column("ranks"), 2), 2);
  EXPECT_EQ(NumberAt<int32_t>(*column("ranks").children[0], 1), 3);
  EXPECT_FALSE(IsValid(column("user_frame"), 2));
  EXPECT_EQ(column("user_frame").children[0]->length, 3);
  EXPECT_FALSE(IsValid(*column("user_frame").children[3], 1));  // no code
  EXPECT_EQ(NumberAt<uint8_t>(column("flaky"), 0), 0b010);      // bits
  EXPECT_EQ(NumberAt<int64_t>(column("user_line"), 1), 7);
  EXPECT_EQ(WordAt(column("source"), 1), "run.log");
  EXPECT_EQ(NumberAt<int64_t>(column("offset"), 1), 60);
  batch.release(&batch);
  stream.release(&stream);
}

TEST(ArrowStreamTest, GuardFailuresKnowTheirFinding) {
  const SharedReport report = MakeReportOf(2);
  ArrowArrayStream stream;
  ExportStream(MakeGuardFailuresTable({{{report, 1}, 1}, {{report, 1}, 0}}),
               &stream);
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  EXPECT_EQ(TextAt(Column(stream, batch, "guard"), 0), "n == 3");
  EXPECT_EQ(TextAt(Column(stream, batch, "fingerprint"), 0), "1");
  EXPECT_EQ(WordAt(Column(stream, batch, "source_name"), 1), "run.log");
  EXPECT_EQ(Column(stream, batch, "compile_id").null_count, 2);
  batch.release(&batch);
  stream.release(&stream);
}

TEST(ArrowStreamTest, BatchesOutliveTheirStream) {
  ArrowArrayStream stream = StreamOf(MakeReportOf(10), 4);
  std::vector<ArrowArray> batches(4);
  for (ArrowArray& batch : batches) {
    ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  }
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(batches[0].length, 4);
  EXPECT_EQ(batches[2].length, 2);
  EXPECT_EQ(batches[3].release, nullptr);  // the end
  // The dictionaries of all batches are the same.
  EXPECT_EQ(batches[2].children[3]->dictionary->length, 2);
  EXPECT_EQ(TextAt(*batches[2].children[0], 1), "9");
  for (ArrowArray& batch : batches) {
    if (batch.release != nullptr) batch.release(&batch);
  }
}

TEST(ArrowStreamTest, LongTextEndsABatch) {
  ArrowArrayStream stream = StreamOf(MakeReportOf(3), 1000, 1);
  for (int i = 0; i < 3; ++i) {
    ArrowArray batch;
    ASSERT_EQ(stream.get_next(&stream, &batch), 0);
    EXPECT_EQ(batch.length, 1);
    batch.release(&batch);
  }
  stream.release(&stream);
}

TEST(ArrowStreamTest, NothingIsReadOfAStreamThatIsReleased) {
  ArrowArrayStream stream = StreamOf(MakeReportOf(3));
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
}

TEST(ArrowStreamTest, WithoutRowsThereIsASchema) {
  ArrowArrayStream stream = StreamOf(MakeReportOf(0));
  ArrowSchema schema;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  EXPECT_EQ(schema.format, std::string_view("+s"));
  EXPECT_EQ(schema.children[0]->name, std::string_view("fingerprint"));
  EXPECT_EQ(schema.children[1]->dictionary->format, std::string_view("u"));
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  EXPECT_EQ(batch.release, nullptr);
  stream.release(&stream);
  schema.release(&schema);
}

// A reader may keep a part and release the rest, as the interface says.
TEST(ArrowStreamTest, ChildrenMayBeTakenAway) {
  ArrowArrayStream stream = StreamOf(MakeReportOf(3));
  ArrowSchema schema;
  ArrowArray batch;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  ArrowSchema taken_schema = *schema.children[2];
  schema.children[2]->release = nullptr;
  ArrowArray taken = *batch.children[3];
  batch.children[3]->release = nullptr;
  schema.release(&schema);
  batch.release(&batch);
  stream.release(&stream);
  EXPECT_EQ(taken_schema.name, std::string_view("secondary_categories"));
  EXPECT_EQ(WordAt(taken, 0), "shape");
  taken_schema.release(&taken_schema);
  taken.release(&taken);
}

TEST(ArrowStreamTest, WordsMayBePlainText) {
  auto table = MakeFindingsTable(RowsOf(MakeReportOf(2)));
  table->UsePlainText(1);
  table->UsePlainText(3);
  ArrowArrayStream stream;
  ExportStream(std::move(table), &stream);
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  EXPECT_EQ(batch.children[1]->dictionary, nullptr);
  EXPECT_EQ(TextAt(*batch.children[1], 1), "recompilation");
  EXPECT_EQ(TextAt(*batch.children[3], 0), "shape");
  batch.release(&batch);
  stream.release(&stream);
}

}  // namespace
}  // namespace pt2triage
