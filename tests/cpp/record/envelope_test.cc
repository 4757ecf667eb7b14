#include "record/envelope.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "record/json.h"
#include "record/trace_kinds.h"

namespace pt2triage {
namespace {

using ::testing::Optional;
using ::testing::SizeIs;

constexpr std::string_view kLine =
    "V1129 15:16:46.099000 4487 torch/_dynamo/utils.py:2350] "
    R"({"chromium_event": {}, "frame_id": 0})";

struct Parsed {
  bool ok = false;
  Envelope envelope;
};

Parsed Parse(std::string_view json) {
  EnvelopeParser parser;
  Parsed parsed;
  parsed.ok = parser.Parse(json, &parsed.envelope);
  return parsed;
}

TEST(TracePrefixTest, IsSplit) {
  const auto prefix = ParseTracePrefix(kLine);
  ASSERT_TRUE(prefix);
  EXPECT_EQ(prefix->time, "1129 15:16:46.099000");
  EXPECT_EQ(prefix->process, "4487");
  EXPECT_EQ(prefix->location, "torch/_dynamo/utils.py:2350");
  EXPECT_EQ(prefix->json, R"({"chromium_event": {}, "frame_id": 0})");
}

TEST(TracePrefixTest, PathsMayHoldBlanksAndDrives) {
  const auto prefix = ParseTracePrefix(
      "V1129 15:16:46.099000 4487 C:\\my code\\utils.py:23] {\"str\": []}");
  ASSERT_TRUE(prefix);
  EXPECT_EQ(prefix->location, "C:\\my code\\utils.py:23");
}

TEST(TracePrefixTest, OtherLinesAreNone) {
  for (std::string_view line : {
           "",
           "V",
           "V1129 15:16:46.099000 4487",
           "\t{\"name\": 1}",
           "W1129 15:16:46.099000 4487 torch/a.py:1] {\"a\": {}}",
           "V1129 15:16:46.099000 4487 torch/a.py:1] [0/0] {\"a\": {}}",
           "V1129 15:16:46.099000 4487 torch/a.py:1] [__guards] {\"a\": {}}",
           "V1129 15:16:46.099000 4487 torch/a.py:1] text {\"a\": {}}",
           "V1129 15:16:46.099000 4487 torch/a.py:1] {}",
       }) {
    EXPECT_FALSE(ParseTracePrefix(line)) << line;
  }
}

TEST(EnvelopeTest, ReadsContext) {
  const Parsed parsed = Parse(
      R"({"dynamo_output_graph": {"sizes": {"a": [3]}}, "rank": 3, )"
      R"("compiled_autograd_id": 2, "frame_id": 1, "frame_compile_id": 4, )"
      R"("attempt": 5, "has_payload": "92ab"})");
  ASSERT_TRUE(parsed.ok);
  const Envelope& envelope = parsed.envelope;
  EXPECT_EQ(envelope.name, "dynamo_output_graph");
  EXPECT_EQ(envelope.metadata, R"({"sizes": {"a": [3]}})");
  EXPECT_EQ(envelope.rank, 3);
  EXPECT_THAT(envelope.compile_id, Optional(CompileId{2, 1, 4, 5}));
  EXPECT_EQ(envelope.has_payload, "92ab");
  EXPECT_TRUE(envelope.has_context);
  EXPECT_FALSE(envelope.issue);
}

TEST(EnvelopeTest, IdsMayBeMissing) {
  EXPECT_FALSE(Parse(R"({"str": ["f", 0]})").envelope.compile_id);
  EXPECT_FALSE(Parse(R"({"link": {}, "attempt": 1})").envelope.compile_id);
  EXPECT_THAT(Parse(R"({"link": {}, "compiled_autograd_id": 7, "attempt": 1})")
                  .envelope.compile_id,
              Optional(CompileId{7, -1, -1, 1}));
}

TEST(EnvelopeTest, FieldsOfTheWrongTypeLoseOnlyThemselves) {
  const Parsed parsed =
      Parse(R"({"artifact": {"name": 5, "encoding": []}, "rank": "2", )"
            R"("frame_id": 1, "frame_compile_id": 99999999999999999999, )"
            R"("attempt": -4, "stack": 3, "has_payload": "ab"})");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.envelope.name, "artifact");
  EXPECT_EQ(parsed.envelope.artifact_name, "");
  EXPECT_EQ(parsed.envelope.rank, -1);
  EXPECT_FALSE(parsed.envelope.compile_id);
  EXPECT_EQ(parsed.envelope.has_payload, "ab");
}

// A broken line may begin with what is a field of other records; its value is
// walked once.
TEST(EnvelopeTest, ContextMayComeFirst) {
  const Parsed stack = Parse(R"({"stack": [{"line": 3}], "frame_id": 1, )"
                             R"("frame_compile_id": 2})");
  ASSERT_TRUE(stack.ok);
  EXPECT_EQ(stack.envelope.metadata, R"([{"line": 3}])");
  EXPECT_THAT(stack.envelope.compile_id, Optional(CompileId{-1, 1, 2, 0}));
  const Parsed id = Parse(R"({"frame_id": [1], "rank": 3})");
  ASSERT_TRUE(id.ok);
  EXPECT_EQ(id.envelope.rank, 3);
  const Parsed payload = Parse(R"({"has_payload": {"a": 1}, "rank": 3})");
  ASSERT_TRUE(payload.ok);
  EXPECT_EQ(payload.envelope.has_payload, "");
  EXPECT_EQ(payload.envelope.rank, 3);
  EXPECT_EQ(Parse(R"({"rank": 3, "attempt": 0})").envelope.rank, 3);
}

TEST(EnvelopeTest, ReadsArtifactNames) {
  const Parsed known =
      Parse(R"({"artifact": {"name": "dynamo_error", "encoding": "string"}})");
  EXPECT_EQ(known.envelope.artifact_name, "dynamo_error");
  ASSERT_NE(known.envelope.kind, nullptr);
  EXPECT_TRUE(known.envelope.kind->Has(TraceKind::kKeepPayload));
  EXPECT_EQ(Parse(R"({"artifact": {}})").envelope.artifact_name, "");
}

TEST(EnvelopeTest, ReadsInternedStrings) {
  const Parsed parsed = Parse(R"({"str": ["/a/\u00e9\"b.py", 12]})");
  EXPECT_EQ(parsed.envelope.interned_text, "/a/\xC3\xA9\"b.py");
  EXPECT_THAT(parsed.envelope.interned_id, Optional(12));
}

TEST(EnvelopeTest, ReadsStacksWhereTheKindWantsThem) {
  const Parsed start =
      Parse(R"({"dynamo_start": {"stack": [{"line": 3, "name": "f", )"
            R"j("filename": 1, "loc": "g(x)"}, {"line": 4, "name": "g", )j"
            R"("filename": -1}, 7, {"filename": "h.py"}]}, "frame_id": 0})");
  ASSERT_THAT(start.envelope.stack, SizeIs(4));
  EXPECT_EQ(start.envelope.stack[0].frame, (StackFrame{"", 3, "f", "g(x)"}));
  EXPECT_THAT(start.envelope.stack[0].file_id, Optional(1));
  EXPECT_THAT(start.envelope.stack[1].file_id, Optional(-1));
  EXPECT_EQ(start.envelope.stack[3].frame.file, "h.py");
  const Parsed other =
      Parse(R"({"describe_tensor": {}, "stack": [{"line": 3, "name": "f"}]})");
  EXPECT_THAT(other.envelope.stack, SizeIs(0));
}

TEST(EnvelopeTest, KeepsWhatItDoesNotKnow) {
  const Parsed parsed = Parse(
      R"({"new_record": {"x": 1}, "frame_id": 0, "new_key": [], "b": 1})");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.envelope.name, "new_record");
  EXPECT_EQ(parsed.envelope.metadata, R"({"x": 1})");
  EXPECT_EQ(parsed.envelope.kind, nullptr);
  EXPECT_EQ(parsed.envelope.unknown_keys, 2u);
}

TEST(EnvelopeTest, MetadataIsFollowedByPadding) {
  const Parsed parsed = Parse(R"({"compilation_metrics": {"co_name": "f"}})");
  const std::string_view all = parsed.envelope.text.view();
  EXPECT_LE(parsed.envelope.metadata.data() + parsed.envelope.metadata.size(),
            all.data() + all.size());
  JsonParser parser;
  EXPECT_TRUE(parser.ParseObject(parsed.envelope.metadata));
}

TEST(EnvelopeTest, RepairsWhatIsNotUtf8) {
  const Parsed parsed = Parse("{\"str\": [\"/a\xFF/b.py\", 3]}");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.envelope.interned_text, "/a\xEF\xBF\xBD/b.py");
  EXPECT_EQ(parsed.envelope.issue, ParseIssue::kInvalidUtf8);
}

TEST(EnvelopeTest, LoneSurrogatesBecomeReplacements) {
  const Parsed parsed =
      Parse(R"({"str": ["/\udcff\ud83d\ude00\ud83d.py", 3]})");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.envelope.interned_text,
            "/\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD.py");
  EXPECT_FALSE(parsed.envelope.issue);
}

TEST(EnvelopeTest, NanIsSkipped) {
  const Parsed parsed =
      Parse(R"({"compilation_metrics": {"start_time": NaN}, "frame_id": 2, )"
            R"("frame_compile_id": 0})");
  ASSERT_TRUE(parsed.ok);
  EXPECT_THAT(parsed.envelope.compile_id, Optional(CompileId{-1, 2, 0, 0}));
}

TEST(EnvelopeTest, ReadsAsFarAsACutLineGoes) {
  const std::string whole =
      R"({"artifact": {"name": "dynamo_error"}, "frame_id": 1, )"
      R"("frame_compile_id": 2, "has_payload": "ab"})";
  for (size_t size = 2; size < whole.size(); ++size) {
    const Parsed parsed = Parse(whole.substr(0, size));
    if (parsed.ok) {
      EXPECT_EQ(parsed.envelope.issue, ParseIssue::kTruncatedRecord) << size;
    } else {
      EXPECT_TRUE(parsed.envelope.issue) << size;
    }
  }
  const Parsed cut = Parse(whole.substr(0, whole.find(", \"has")));
  ASSERT_TRUE(cut.ok);
  EXPECT_EQ(cut.envelope.artifact_name, "dynamo_error");
  EXPECT_THAT(cut.envelope.compile_id, Optional(CompileId{-1, 1, 2, 0}));
}

TEST(EnvelopeTest, ReadsWhatStandsBeforeAMistake) {
  const Parsed parsed =
      Parse(R"({"link": {}, "rank": 3, oops, "frame_id": 1})");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.envelope.rank, 3);
  EXPECT_EQ(parsed.envelope.issue, ParseIssue::kBadEnvelope);
  const Parsed behind = Parse(R"({"link": {}, "rank": 3} and more)");
  ASSERT_TRUE(behind.ok);
  EXPECT_EQ(behind.envelope.rank, 3);
  EXPECT_EQ(behind.envelope.issue, ParseIssue::kBadEnvelope);
}

TEST(EnvelopeTest, DeepNestingIsNoTrouble) {
  const std::string deep(5000, '[');
  const Parsed whole =
      Parse("{\"link\": " + deep + std::string(5000, ']') + ", \"rank\": 1}");
  EXPECT_TRUE(whole.ok);
  EXPECT_EQ(whole.envelope.rank, 1);
  EXPECT_TRUE(Parse("{\"link\": " + deep).ok);
}

TEST(EnvelopeTest, NothingCanBeMadeOfJunk) {
  for (std::string_view json : {"{\"", "{\"\xFF\xFE", "{\"}", "{\"a", "{}"}) {
    EXPECT_FALSE(Parse(json).ok) << json;
  }
}

TEST(JsonTest, DecodesEveryEscape) {
  EXPECT_EQ(DecodeJsonString(R"("a\"\\\/\b\f\n\r\t\u0041")"),
            "a\"\\/\b\f\n\r\tA");
  EXPECT_EQ(DecodeJsonString(R"("cut)"), "cut");
  EXPECT_EQ(DecodeJsonString(R"("cut\)"), "cut");
  EXPECT_EQ(DecodeJsonString(R"("\u12")"),
            "\xEF\xBF\xBD"
            "12");
  EXPECT_EQ(DecodeJsonString(R"("")"), "");
}

TEST(JsonTest, RepairsOnlyWhatIsBroken) {
  EXPECT_EQ(RepairJson(R"({"a": [1, {"b": "}]"}]})"),
            R"({"a": [1, {"b": "}]"}]})");
  EXPECT_EQ(RepairJson(R"({"a": [1, {"b": "x)"), R"({"a": [1, {"b": "x"}]})");
  EXPECT_EQ(RepairJson("{\"a\": \"x\ny\"}"), "{\"a\": \"x\xEF\xBF\xBDy\"}");
  EXPECT_EQ(RepairJson("{\"a\": \"x\\"), "{\"a\": \"x\"}");
  EXPECT_EQ(RepairJson("{} {}"), "{}");
}

TEST(TraceKindsTest, TablesAreSortedAndComplete) {
  auto less = [](const TraceKind& a, const TraceKind& b) {
    return a.name < b.name;
  };
  EXPECT_TRUE(
      std::is_sorted(AllRecordKinds().begin(), AllRecordKinds().end(), less));
  EXPECT_TRUE(std::is_sorted(AllArtifactKinds().begin(),
                             AllArtifactKinds().end(), less));
  for (const TraceKind& kind : AllRecordKinds()) {
    EXPECT_EQ(FindRecordKind(kind.name), &kind);
  }
  for (const TraceKind& kind : AllArtifactKinds()) {
    EXPECT_EQ(FindArtifactKind(kind.name), &kind);
  }
}

TEST(TraceKindsTest, KnowsComputedNames) {
  for (std::string_view name :
       {"f_ORIGINAL_BYTECODE", "fx_graph_cache_bypass", "get_local_code_state",
        "aotautograd_cache_miss", "my_pass_post_grad"}) {
    EXPECT_NE(FindArtifactKind(name), nullptr) << name;
  }
  EXPECT_NE(FindRecordKind("aot_saved_tensors_hooks_pack node 3"), nullptr);
  EXPECT_EQ(FindArtifactKind("_ORIGINAL_BYTECODE"), nullptr);
  EXPECT_EQ(FindArtifactKind("something_new"), nullptr);
  EXPECT_EQ(FindRecordKind(""), nullptr);
}

}  // namespace
}  // namespace pt2triage
