#include <memory>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/scanner.h"
#include "pt2triage/trace.h"
#include "scan/source_result.h"
#include "trace/trace_builder.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

std::string Line(std::string_view json, std::string_view process = "4487") {
  return "V1129 15:16:46.099000 " + std::string(process) +
         " torch/_dynamo/utils.py:2350] " + std::string(json) + "\n";
}

std::string Payload(std::string_view json, std::string_view text) {
  std::string record = Line(json);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    record += "\t" + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return record;
}

// The context of compile FRAME/COMPILE.
std::string At(int frame, int compile, int attempt = 0) {
  return R"(, "frame_id": )" + std::to_string(frame) +
         R"(, "frame_compile_id": )" + std::to_string(compile) +
         R"(, "attempt": )" + std::to_string(attempt) + "}";
}

std::string Start(int frame, int compile, int attempt = 0) {
  return Line(
      R"({"dynamo_start": {"stack": [{"line": 9, "name": "f", "filename": "m.py"}]})" +
      At(frame, compile, attempt));
}

std::string Metrics(std::string_view fields, int frame, int compile,
                    std::string_view record = "compilation_metrics") {
  return Line("{\"" + std::string(record) + "\": {" + std::string(fields) +
              "}" + At(frame, compile));
}

TraceTables Read(std::string_view text, size_t chunk = 1 << 16) {
  ScanOptions options;
  options.tables = true;
  SourceScanner scanner("a.log", options);
  for (size_t at = 0; at < text.size(); at += chunk) {
    scanner.Feed(text.substr(at, chunk));
  }
  const std::shared_ptr<SourceResult> result = scanner.Finish();
  return std::move(*TakeTables(result.get()));
}

TEST(TraceTables, NoneUnlessAskedFor) {
  SourceScanner scanner("a.log", {});
  scanner.Feed(Start(0, 0));
  EXPECT_EQ(TakeTables(scanner.Finish().get()), nullptr);
}

TEST(TraceTables, CompileOfAllItsRecords) {
  const TraceTables tables = Read(
      Start(0, 0) + Start(0, 0, 1) +
      Payload(R"({"dynamo_output_graph": {"sizes": {}}, "has_payload": "abc")" +
                  At(0, 0, 1),
              "def forward(self)") +
      Metrics(
          R"("compile_id": "0/0", "co_name": "f", "co_filename": "m.py", "co_firstlineno": 7, "start_time": 1.5, "entire_frame_compile_time_s": 0.25, "guard_count": 3, "graph_op_count": 2, "restart_reasons": ["why"], "duration_us": 260000, "fail_type": null)",
          0, 0) +
      Metrics(R"("compile_id": "0/0", "is_forward": false, "duration_us": 40)",
              0, 0, "bwd_compilation_metrics"));
  ASSERT_THAT(tables.compiles, SizeIs(1));
  const CompileRow& row = tables.compiles[0];
  EXPECT_EQ(row.compile_id, "0/0");
  EXPECT_EQ(row.function, "f");
  EXPECT_EQ(row.file, "m.py");
  EXPECT_EQ(row.line, 7);
  EXPECT_EQ(row.outcome, CompileOutcome::kOk);
  EXPECT_EQ(row.attempts, 2u);
  EXPECT_THAT(row.restart_reasons, ElementsAre("why"));
  EXPECT_EQ(row.start_us, 1500000);
  EXPECT_EQ(row.duration_us, 260000);  // the newer field of the two
  EXPECT_EQ(row.backward_us, 40);
  EXPECT_EQ(row.guards, 3);
  EXPECT_EQ(row.graph_ops, 2);
  EXPECT_EQ(row.inductor_us, std::nullopt);
  EXPECT_EQ(row.graph_hash, "abc");
  EXPECT_THAT(row.stack, ElementsAre(Field(&StackFrame::function, "f")));
  ASSERT_THAT(tables.processes, SizeIs(1));
  EXPECT_EQ(tables.processes[0].compiles, 1u);
  EXPECT_EQ(tables.processes[0].compile_us, 260040);
}

TEST(TraceTables, OutcomesAreThoseOfTheTrace) {
  const TraceTables tables =
      Read(Start(0, 0) + Start(1, 0) +
           Metrics(R"("fail_type": "Unsupported", "fail_reason": "no")", 1, 0) +
           Start(2, 0) + Metrics(R"("graph_op_count": null)", 2, 0));
  ASSERT_THAT(tables.compiles, SizeIs(3));
  EXPECT_EQ(tables.compiles[0].outcome, CompileOutcome::kUnfinished);
  EXPECT_EQ(tables.compiles[1].outcome, CompileOutcome::kFailed);
  EXPECT_EQ(tables.compiles[1].fail_type, "Unsupported");
  EXPECT_EQ(tables.compiles[2].outcome, CompileOutcome::kEmpty);
}

TEST(TraceTables, IdsThatBeginAgainAreOtherCompiles) {
  const TraceTables tables =
      Read(Start(0, 0) + Metrics(R"("graph_op_count": 1)", 0, 0) + Start(0, 0) +
           Metrics(R"("graph_op_count": 5)", 0, 0));
  ASSERT_THAT(tables.compiles, SizeIs(2));
  EXPECT_EQ(tables.compiles[0].graph_ops, 1);
  EXPECT_EQ(tables.compiles[1].graph_ops, 5);
}

TEST(TraceTables, ReasonsOfARecompileAreOfTheCompileThatFollows) {
  const auto reason = [](std::string_view guard) {
    return Payload(
        R"({"artifact": {"name": "recompile_reasons", "encoding": "json"}, "has_payload": "a")" +
            At(0, 1),
        "[\n\"0/0: " + std::string(guard) + "\"\n]");
  };
  const std::string life =
      Start(0, 0) + Metrics(R"("graph_op_count": 1)", 0, 0);
  const std::string again =
      Start(0, 1) + Metrics(R"("graph_op_count": 1)", 0, 1);
  // torch.compiler.reset() between the two.
  const TraceTables tables =
      Read(life + reason("n == 1") + again + life + reason("n == 2") + again);
  ASSERT_THAT(tables.compiles, SizeIs(4));
  EXPECT_THAT(tables.compiles[1].recompile_reasons, ElementsAre("n == 1"));
  EXPECT_THAT(tables.compiles[3].recompile_reasons, ElementsAre("n == 2"));
}

TEST(TraceTables, MetricsThatAreCutOffDoNotSayHowItEnded) {
  std::string cut = Metrics(
      R"("compile_id": "0/0", "graph_op_count": 1, "fail_type": "X")", 0, 0);
  cut.resize(cut.find(R"(, "fail_type)"));
  const TraceTables tables = Read(Start(0, 0) + cut);
  ASSERT_THAT(tables.compiles, SizeIs(1));
  EXPECT_EQ(tables.compiles[0].outcome, CompileOutcome::kUnfinished);
  EXPECT_EQ(tables.compiles[0].graph_ops, 1);
}

TEST(TraceTables, ProcessesHaveTheirOwnCompilesAndStrings) {
  const std::string text =
      Line(R"({"str": ["a.py", 0]})", "1") +
      Line(
          R"({"dynamo_start": {"stack": [{"line": 1, "name": "f", "filename": 0}]})" +
              At(0, 0),
          "1") +
      Line(R"({"str": ["b.py", 0]})", "2") +
      Line(
          R"({"dynamo_start": {"stack": [{"line": 1, "name": "f", "filename": 0}]})" +
              At(0, 0),
          "2");
  const TraceTables tables = Read(text);
  ASSERT_THAT(tables.compiles, SizeIs(2));
  EXPECT_EQ(tables.compiles[0].file, "a.py");
  EXPECT_EQ(tables.compiles[1].file, "b.py");
  EXPECT_EQ(tables.compiles[1].process, 1);
}

TEST(TraceTables, RankOfTheProcessIsThatOfRecordsWithoutOne) {
  const TraceTables tables =
      Read(Start(0, 0) + Line(R"({"link": {"name": "a"}, "rank": 3})"));
  EXPECT_THAT(tables.compiles,
              ElementsAre(Field(&CompileRow::rank, Optional(3))));
}

TEST(TraceTables, CacheEvents) {
  const TraceTables tables = Read(
      Start(0, 0) +
      Payload(
          R"({"artifact": {"name": "fx_graph_cache_miss", "encoding": "json"}, "has_payload": "a")" +
              At(0, 0),
          "{\n\"key\": \"k1\",\n\"cache_state\": \"miss\",\n"
          "\"time_taken_ns\": 5000000\n}") +
      Payload(
          R"({"artifact": {"name": "aotautograd_cache_bypass", "encoding": "json"}, "has_payload": "a")" +
              At(0, 0),
          "{\n\"key\": null,\n\"cache_bypass_reason\": \"Unsupported op\"\n}") +
      Payload(
          R"({"artifact": {"name": "aotautograd_cache_hit", "encoding": "json"}, "has_payload": "a")" +
              At(1, 0),
          "{\n\"key\": \"k3\",\n\"time_saved_ms\": 12\n}") +
      // Cut in the middle: what is whole counts.
      Payload(
          R"({"artifact": {"name": "fx_graph_cache_hit", "encoding": "json"}, "has_payload": "a")" +
              At(0, 1),
          "{\n\"key\": \"k2\",\n\"time_saved_ns\": 7000,\n\"components\": ["));
  ASSERT_THAT(tables.cache_events, SizeIs(4));
  EXPECT_EQ(tables.cache_events[2].saved_us, 12000);
  EXPECT_EQ(tables.cache_events[0].cache, "fx_graph");
  EXPECT_EQ(tables.cache_events[0].outcome, "miss");
  EXPECT_EQ(tables.cache_events[0].hash, "k1");
  EXPECT_EQ(tables.cache_events[0].taken_us, 5000);
  EXPECT_EQ(tables.cache_events[1].reason, "Unsupported op");
  EXPECT_EQ(tables.cache_events[3].saved_us, 7);
  ASSERT_THAT(tables.compiles, SizeIs(3));
  EXPECT_EQ(tables.compiles[0].fx_cache, "miss");
  EXPECT_EQ(tables.compiles[0].aot_cache, "bypass");
  EXPECT_EQ(tables.compiles[2].cache_saved_us, 7);
  EXPECT_EQ(tables.processes[0].cache_hits, 2u);
}

TEST(TraceTables, SymbolsWithTheUsersLine) {
  const TraceTables tables = Read(
      Line(R"({"str": ["m.py", 0]})") +
      Line(
          R"({"symbolic_shape_specialization": {"symbol": "s0", "sources": ["L['x'].size()[0]"], "value": "4", "reason": "solve", "stack": [], "user_stack": [{"line": 8, "name": "f", "filename": 0}]})" +
          At(0, 0)) +
      Line(R"({"missing_fake_kernel": {"op": "my::op"}})"));
  ASSERT_THAT(tables.symbols, SizeIs(2));
  EXPECT_EQ(tables.symbols[0].symbol, "s0");
  EXPECT_EQ(tables.symbols[0].value, "4");
  EXPECT_EQ(tables.symbols[0].file, "m.py");
  EXPECT_EQ(tables.symbols[0].line, 8);
  EXPECT_EQ(tables.symbols[1].symbol, "my::op");
}

TEST(TraceTables, CollectivesInOrder) {
  const TraceTables tables = Read(Payload(
      R"({"artifact": {"name": "inductor_collective_schedule", "encoding": "json"}, "has_payload": "a"})",
      "[\n\"all_reduce\",\n\"wait\"\n]"));
  ASSERT_THAT(tables.collectives, SizeIs(2));
  EXPECT_EQ(tables.collectives[1].operation, "wait");
  EXPECT_EQ(tables.collectives[1].position, 1u);
}

TEST(TraceTables, UnknownRecordsAreListed) {
  const TraceTables tables = Read(
      Payload(R"({"from_the_future": {"a": 1}, "has_payload": "a"})", "x"));
  ASSERT_THAT(tables.kinds, SizeIs(1));
  EXPECT_EQ(tables.kinds[0].record, "from_the_future");
  EXPECT_FALSE(tables.kinds[0].known);
  ASSERT_THAT(tables.artifacts, SizeIs(1));
  EXPECT_FALSE(tables.artifacts[0].known);
  EXPECT_EQ(tables.artifacts[0].payload_bytes, 1u);
}

TEST(TraceTables, MetricsKeepEveryFieldThatIsNotNull) {
  const TraceTables tables =
      Read(Metrics(R"("a": 1.5, "b": null, "c": "text", "d": [1])", 0, 0));
  ASSERT_THAT(tables.metrics.entries, SizeIs(3));
  EXPECT_EQ(tables.metrics.Row(0).field, "a");
  EXPECT_EQ(tables.metrics.Row(0).number, 1.5);
  EXPECT_EQ(tables.metrics.Row(1).value, "\"text\"");
  EXPECT_EQ(tables.metrics.Row(1).number, std::nullopt);
  EXPECT_EQ(tables.metrics.Row(2).value, "[1]");
  EXPECT_EQ(tables.metrics.Row(2).compile_id, "0/0");
}

TEST(TraceTables, AnyChunkingGivesTheSame) {
  const std::string text =
      Start(0, 0) +
      Payload(
          R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "has_payload": "a")" +
              At(0, 0),
          "Graph break in user code at m.py:9\nReason: no\n") +
      Metrics(R"("graph_op_count": 1)", 0, 0);
  const TraceTables whole = Read(text);
  ASSERT_THAT(whole.graph_breaks, SizeIs(1));
  for (size_t chunk : {1u, 7u, 64u}) {
    const TraceTables cut = Read(text, chunk);
    ASSERT_THAT(cut.graph_breaks, SizeIs(1)) << chunk;
    EXPECT_EQ(cut.graph_breaks[0].reason, whole.graph_breaks[0].reason);
    EXPECT_EQ(cut.compiles.size(), whole.compiles.size());
  }
}

TEST(TraceTables, EqualBreaksOfACompileAreOneRow) {
  const std::string one = Payload(
      R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "has_payload": "a")" +
          At(0, 0),
      "Graph break in user code at m.py:9\nReason: no\n");
  const TraceTables tables = Read(Start(0, 0) + one + one);
  ASSERT_THAT(tables.graph_breaks, SizeIs(1));
  EXPECT_EQ(tables.graph_breaks[0].count, 2u);
  EXPECT_EQ(tables.compiles[0].graph_breaks, 2u);
  EXPECT_EQ(tables.processes[0].graph_breaks, 2u);
}

TEST(TraceTables, RowsThatAreTooManyAreCounted) {
  std::string text;
  const std::string name(300, 'x');
  for (int i = 0; i < 2000; ++i) {
    text += Line(R"({"n)" + std::to_string(i) + name + R"(": {}})");
  }
  const TraceTables tables = Read(text);
  EXPECT_EQ(tables.kinds.size(), 1024u);
  EXPECT_EQ(tables.omitted, 2000u - 1024u);
  EXPECT_EQ(tables.artifacts.size(), 2000u);
}

TEST(MergeTraces, CountsProcessesOn) {
  auto first = std::make_shared<TraceTables>(
      Read(Start(0, 0) + Metrics(R"("a": 1, "b": 2)", 0, 0)));
  auto second = std::make_shared<TraceTables>(
      Read(Start(0, 0) + Metrics(R"("b": 3)", 0, 0)));
  const TraceTables all = MergeTraces({first, second});
  ASSERT_THAT(all.processes, SizeIs(2));
  EXPECT_EQ(all.processes[1].process, 1);
  EXPECT_EQ(all.compiles[1].process, 1);
  ASSERT_THAT(all.metrics.entries, SizeIs(3));
  EXPECT_EQ(all.metrics.Row(2).process, 1);
  EXPECT_EQ(all.metrics.Row(2).field, "b");
  EXPECT_EQ(all.metrics.Row(2).value, "3");
  EXPECT_EQ(MergeTraces({}).omitted, 0u);
  EXPECT_THAT(MergeTraces({}).compiles, IsEmpty());
}

}  // namespace
}  // namespace pt2triage
