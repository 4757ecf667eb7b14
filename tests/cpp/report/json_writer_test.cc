#include "report/json_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "pt2triage/report.h"
#include "report/fields.h"
#include "report/utf8.h"

namespace pt2triage {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string Quote(std::string_view text) {
  JsonWriter json(0);
  json.String(text);
  return std::move(json).Take();
}

TEST(JsonWriterTest, EscapesWhatJsonForbids) {
  EXPECT_EQ(Quote("say \"hi\" \\ bye"), R"("say \"hi\" \\ bye")");
  EXPECT_EQ(Quote("a\nb\tc\rd"), R"("a\nb\tc\rd")");
  EXPECT_EQ(Quote("\x1b[31m\0\x1f"sv), R"("\u001b[31m\u0000\u001f")");
  EXPECT_EQ(Quote("\x7f"), "\"\x7f\"");
}

TEST(JsonWriterTest, KeepsUtf8AndRepairsTheRest) {
  EXPECT_EQ(Quote("naïve – 漢字 🔥"), "\"naïve – 漢字 🔥\"");
  EXPECT_EQ(Quote("a\xff"
                  "b"),
            "\"a" + std::string(kReplacement) + "b\"");
}

TEST(JsonWriterTest, IndentsNestedValues) {
  JsonWriter json(2);
  json.BeginObject();
  json.Key("list");
  json.BeginArray();
  json.Unsigned(18446744073709551615u);
  json.Signed(-3);
  json.EndArray();
  json.Key("empty");
  json.BeginArray();
  json.EndArray();
  json.Key("none");
  json.Null();
  json.Key("yes");
  json.Bool(true);
  json.EndObject();
  EXPECT_EQ(std::move(json).Take(), R"({
  "list": [
    18446744073709551615,
    -3
  ],
  "empty": [],
  "none": null,
  "yes": true
})");
}

TEST(JsonWriterTest, WritesOneLineWithoutIndent) {
  JsonWriter json(0);
  json.BeginArray();
  json.BeginObject();
  json.Key("a");
  json.Unsigned(1);
  json.Key("b");
  json.String("x");
  json.EndObject();
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  EXPECT_EQ(std::move(json).Take(), R"([{"a":1,"b":"x"},{}])");
}

// The expected texts are those of Python's bytes.decode("utf-8", "replace").
TEST(Utf8Test, ReplacesEachMaximalPart) {
  const std::string r(kReplacement);
  EXPECT_EQ(RepairUtf8("\xC0\xAF"), r + r);          // overlong
  EXPECT_EQ(RepairUtf8("\xE2\x82"), r);              // cut off
  EXPECT_EQ(RepairUtf8("\xE2\x82x"), r + "x");       // cut by ASCII
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80"), r + r + r);  // surrogate
  EXPECT_EQ(RepairUtf8("\xF4\x90\x80\x80"), r + r + r + r);
  EXPECT_EQ(RepairUtf8("\xF0\x9F\x94"), r);
  EXPECT_EQ(RepairUtf8("\x80 \xBF"), r + " " + r);
  EXPECT_EQ(RepairUtf8("漢\xE6漢"), "漢" + r + "漢");
  EXPECT_EQ(RepairUtf8(""), "");
}

TEST(Utf8Test, ValidPrefixEndsAtTheFirstBadByte) {
  EXPECT_EQ(ValidUtf8Prefix("plain ASCII, more than eight"), 28u);
  EXPECT_EQ(ValidUtf8Prefix("12345678é\xff"), 10u);
  EXPECT_EQ(ValidUtf8Prefix("\xff"), 0u);
}

Report OneFinding() {
  Report report;
  report.category = Category::kRecompilation;
  report.finding = "f3a91c0be2d4";
  report.sources.push_back({});
  report.sources.back().name = "run.log";
  report.sources.back().kind = SourceKind::kTorchLogs;
  Finding finding;
  finding.fingerprint = "f3a91c0be2d4";
  finding.category = Category::kRecompilation;
  finding.secondary_categories = {Category::kGraphBreak};
  finding.cause = "scalar-value";
  finding.severity = Severity::kError;
  finding.compile_mode = CompileMode::kExportNonStrict;
  finding.count = 2;
  finding.guard_failures.push_back(
      {"", "n == 3", "scalar-value", "n", "3", std::nullopt, "model.py:14"});
  finding.user_frame = StackFrame{"model.py", 12, "f", ""};
  finding.ranks = {0, 3};
  finding.evidence.push_back({0, 88, 7012, 640});
  report.findings.push_back(finding);
  report.diagnostics.push_back({{0, 9, 100, 2}, "nul_bytes", "NUL bytes"});
  return report;
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ReportJsonTest, UnknownIsNull) {
  const Report report = OneFinding();
  const std::string json = FindingToJson(report, report.findings[0]);
  EXPECT_TRUE(Contains(json, R"("phase":null)"));
  EXPECT_TRUE(Contains(json, R"("exception":null)"));
  EXPECT_TRUE(Contains(json, R"("compile_id":null,"guard":"n == 3")"));
  EXPECT_TRUE(Contains(
      json, R"({"file":"model.py","line":12,"function":"f","code":null})"));
}

TEST(ReportJsonTest, UsesTheWordsOfTheContract) {
  const Report report = OneFinding();
  const std::string json = FindingToJson(report, report.findings[0]);
  EXPECT_TRUE(Contains(json, R"("category":"recompilation")"));
  EXPECT_TRUE(Contains(json, R"("secondary_categories":["graph_break"])"));
  EXPECT_TRUE(Contains(json, R"("severity":"error")"));
  EXPECT_TRUE(Contains(json, R"("compile_mode":"export_non_strict")"));
  EXPECT_TRUE(Contains(json, R"("ranks":[0,3])"));
}

TEST(ReportJsonTest, NamesTheSourceOfAPlace) {
  const std::string json = ReportToJson(OneFinding(), 0);
  EXPECT_TRUE(Contains(
      json,
      R"("evidence":[{"source":"run.log","line":88,"offset":7012,"length":640}])"));
  EXPECT_TRUE(Contains(
      json,
      R"("diagnostics":[{"source":"run.log","line":9,"offset":100,"length":2,)"
      R"("kind":"nul_bytes","message":"NUL bytes"}])"));
}

TEST(ReportJsonTest, EmptyReportHasEveryKey) {
  const std::string json = ReportToJson(Report{}, 0);
  EXPECT_TRUE(json.starts_with(R"({"schema_version":1,"tool":{"name":)"));
  ForEachField<Report>([&](const auto& field) {
    EXPECT_TRUE(Contains(json, "\"" + std::string(field.name) + "\":"))
        << field.name;
  });
  EXPECT_TRUE(Contains(json, R"("category":null,"finding":null)"));
}

TEST(ReportJsonTest, FindingIsOneLine) {
  Report report = OneFinding();
  report.findings[0].message = "first\nsecond";
  const std::string json = FindingToJson(report, report.findings[0]);
  EXPECT_EQ(json.find('\n'), std::string::npos);
}

TEST(NamesTest, CategoriesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Category::kOther); ++i) {
    const auto category = static_cast<Category>(i);
    EXPECT_EQ(CategoryFromName(CategoryName(category)), category);
  }
  EXPECT_EQ(CategoryFromName("graph-break"), Category::kNone);
  EXPECT_EQ(CategoryFromName(""), Category::kNone);
}

TEST(JsonWriterTest, PiecesAreTheText) {
  std::string whole;
  int pieces = 0;
  const auto write = [](JsonWriter* json) {
    json->BeginArray();
    for (int i = 0; i < 50'000; ++i) json->String("caf\xC3\xA9");
    json->EndArray();
  };
  JsonWriter kept(0);
  write(&kept);
  JsonWriter json(0, [&](std::string_view piece) {
    whole.append(piece);
    ++pieces;
  });
  write(&json);
  whole += std::move(json).Take();
  EXPECT_EQ(whole, std::move(kept).Take());
  EXPECT_GT(pieces, 3);
}

}  // namespace
}  // namespace pt2triage
