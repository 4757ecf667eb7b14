#include "event/trace_events.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "line/line_splitter.h"
#include "record/trace_kinds.h"
#include "record/trace_reader.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

std::vector<Event> Events(std::string_view text) {
  std::vector<Event> events;
  ParseStats stats;
  TraceEventBuilder builder(
      [&events](Event event) { events.push_back(std::move(event)); });
  TraceReader reader(
      0, /*verify=*/false, &stats,
      [&builder](TraceRecord& record) { builder.OnRecord(record); });
  LineSplitter splitter;
  auto sink = [&reader](const PhysicalLine& line) {
    reader.OnLine(line.text, {0, line.number, line.offset, line.length});
  };
  splitter.Feed(text, sink);
  splitter.Finish(sink);
  reader.Finish();
  builder.Finish();
  return events;
}

// The events of a corpus case's trace.
std::vector<Event> CaseEvents(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::path(PT2TRIAGE_TEST_DATA) / "corpus" / name / "trace";
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_FALSE(text.empty()) << name;
  return Events(text);
}

std::vector<EventKind> Kinds(const std::vector<Event>& events) {
  std::vector<EventKind> kinds;
  kinds.reserve(events.size());
  for (const Event& event : events) kinds.push_back(event.kind);
  return kinds;
}

int64_t Count(const std::vector<Event>& events, EventKind kind) {
  return std::count_if(
      events.begin(), events.end(),
      [kind](const Event& event) { return event.kind == kind; });
}

// One record. `ids` are the keys behind the name; `payload` gets its tabs.
std::string Record(std::string_view name, std::string_view metadata,
                   std::string_view ids, std::string_view payload = {}) {
  std::string text =
      "V1129 15:16:46.099000 4487 torch/_dynamo/utils.py:2350] {\"" +
      std::string(name) + "\": " + std::string(metadata) + ids.data();
  if (!payload.empty()) text += R"(, "has_payload": "x")";
  text += "}\n";
  while (!payload.empty()) {
    const size_t end = std::min(payload.find('\n'), payload.size());
    text += '\t' + std::string(payload.substr(0, end)) + '\n';
    payload.remove_prefix(std::min(end + 1, payload.size()));
  }
  return text;
}

std::string Artifact(std::string_view name, std::string_view ids,
                     std::string_view payload) {
  return Record("artifact", "{\"name\": \"" + std::string(name) + "\"}", ids,
                payload);
}

constexpr std::string_view kFirst =
    R"(, "frame_id": 0, "frame_compile_id": 0, "attempt": 0)";
constexpr std::string_view kSecond =
    R"(, "frame_id": 0, "frame_compile_id": 1, "attempt": 0)";
constexpr std::string_view kOtherFrame =
    R"(, "frame_id": 1, "frame_compile_id": 0, "attempt": 0)";

std::string File() { return Record("str", R"(["/me/m.py", 0])", ""); }

std::string Start(std::string_view ids) {
  return Record("dynamo_start",
                R"({"stack": [{"line": 90, "name": "<module>", "filename": 0},)"
                R"( {"line": 7, "name": "f", "filename": 0}]})",
                ids);
}

// Metrics as since 2.6, with more fields in `fields`.
std::string Metrics(std::string_view ids, std::string_view fields) {
  return Record("compilation_metrics",
                R"({"co_name": "f", "co_filename": "/me/m.py", )"
                R"("co_firstlineno": 7, "config_suppress_errors": false, )" +
                    std::string(fields) + "}",
                ids);
}

std::string OldMetrics(std::string_view ids, std::string_view fields) {
  return Record("compilation_metrics",
                R"({"co_name": "f", "co_filename": "/me/m.py", )"
                R"("co_firstlineno": 7, )" +
                    std::string(fields) + "}",
                ids);
}

constexpr std::string_view kBackendTraceback =
    "Traceback (most recent call last):\n"
    "  File \"/opt/torch/_dynamo/convert_frame.py\", line 9, in _compile\n"
    "    compile_inner()\n"
    "torch._dynamo.exc.BackendCompilerFailed: backend='b' raised:\n"
    "ValueError: no\n";
constexpr std::string_view kBackendFailed =
    R"("fail_type": "BackendCompilerFailed", "fail_reason": )"
    R"("backend='b' raised:\nValueError: no")";
constexpr std::string_view kUnsupportedTraceback =
    "Traceback (most recent call last):\n"
    "  File \"/opt/torch/_dynamo/exc.py\", line 9, in unimplemented\n"
    "    raise Unsupported(msg)\n"
    "torch._dynamo.exc.Unsupported: no such thing\n"
    "\n"
    "from user code:\n"
    "   File \"/me/m.py\", line 9, in f\n"
    "    print(1)\n";
constexpr std::string_view kUnsupported =
    R"("fail_type": "Unsupported", "fail_reason": "no such thing")";

TEST(TraceEventsTest, ARaisedFailureIsOneException) {
  const std::vector<Event> events =
      Events(File() + Start(kFirst) +
             Artifact("dynamo_error", kFirst, kBackendTraceback) +
             Metrics(kFirst, kBackendFailed));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kException));
  const Event& event = events[0];
  EXPECT_TRUE(event.from_trace);
  EXPECT_FALSE(event.logged);
  EXPECT_EQ(event.process, "4487");
  EXPECT_EQ(event.time, "1129 15:16:46.099000");
  EXPECT_THAT(event.compile_id, Optional(CompileId{-1, 0, 0, 0}));
  EXPECT_THAT(event.user_frame, Optional(StackFrame{"/me/m.py", 7, "f", ""}));
  ASSERT_THAT(event.blocks, SizeIs(1));
  EXPECT_EQ(event.blocks[0].type, "torch._dynamo.exc.BackendCompilerFailed");
  // What led into the compile, then the compile.
  ASSERT_THAT(event.blocks[0].frames, SizeIs(3));
  EXPECT_EQ(event.blocks[0].frames[0].function, "<module>");
  EXPECT_EQ(event.blocks[0].frames[2].function, "_compile");
}

TEST(TraceEventsTest, ASuppressedFailureIsASkippedFrame) {
  const std::vector<Event> events =
      Events(File() + Start(kFirst) +
             Artifact("dynamo_error", kFirst, kBackendTraceback) +
             Record("compilation_metrics",
                    R"({"co_name": "f", "config_suppress_errors": true, )" +
                        std::string(kBackendFailed) + "}",
                    kFirst));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kSkippedFrame));
  EXPECT_TRUE(events[0].logged);
  EXPECT_EQ(events[0].blocks[0].type,
            "torch._dynamo.exc.BackendCompilerFailed");
}

TEST(TraceEventsTest, ABreakBeforeTheFailureShowsThatItWasSurvived) {
  const std::vector<Event> events = Events(
      File() + Start(kFirst) +
      Artifact("dynamo_graph_break_reason", kFirst,
               "Graph break in user code at /me/m.py:9\nGraph Break Reason: "
               "Failed to handle graph break gracefully. Skipping the function "
               "and falling back to eager. Graph break encountered:\n\n"
               "no such thing\n  Explanation: x\n") +
      Artifact("dynamo_error", kFirst, kUnsupportedTraceback) +
      Metrics(kFirst, kUnsupported));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kGraphBreak));
  EXPECT_EQ(events[0].reason, "no such thing");
}

TEST(TraceEventsTest, ABreakBehindTheFailureShowsThatItWasSurvived) {
  const std::vector<Event> events =
      Events(File() + Start(kFirst) +
             Artifact("dynamo_error", kFirst, kUnsupportedTraceback) +
             Metrics(kFirst, kUnsupported) +
             Artifact("dynamo_graph_break_reason", kFirst,
                      "Graph break: torch.compile cannot properly resume from "
                      "this graph break, which results in a skip.\n"
                      "torch.compile will skip tracing the frame f (/me/m.py "
                      "line 7) and fall back to eager.\n"));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kGraphBreak));
  EXPECT_EQ(events[0].reason, "no such thing");  // from the failure
}

TEST(TraceEventsTest, ABreakOfAnotherAttemptShowsNothing) {
  constexpr std::string_view kRestarted =
      R"(, "frame_id": 0, "frame_compile_id": 0, "attempt": 1)";
  const std::vector<Event> events =
      Events(File() + Start(kFirst) +
             Artifact("dynamo_graph_break_reason", kFirst,
                      "Graph break in user code at /me/m.py:8\n"
                      "Graph Break Reason: x\n") +
             Artifact("dynamo_error", kRestarted, kUnsupportedTraceback) +
             Metrics(kRestarted, kUnsupported));
  EXPECT_THAT(Kinds(events),
              ElementsAre(EventKind::kGraphBreak, EventKind::kException));
}

TEST(TraceEventsTest, ABreakDoesNotExcuseABackend) {
  const std::vector<Event> events =
      Events(File() + Start(kFirst) +
             Artifact("dynamo_graph_break_reason", kFirst,
                      "Graph break in user code at /me/m.py:8\n"
                      "Graph Break Reason: Data-dependent branching\n") +
             Artifact("dynamo_error", kFirst, kBackendTraceback) +
             Metrics(kFirst, kBackendFailed));
  EXPECT_THAT(Kinds(events),
              ElementsAre(EventKind::kGraphBreak, EventKind::kException));
}

TEST(TraceEventsTest, AFailureIsToldThoughTheTraceEnds) {
  EXPECT_THAT(
      Kinds(Events(Artifact("dynamo_error", kFirst, kBackendTraceback))),
      ElementsAre(EventKind::kException));
  EXPECT_THAT(Kinds(Events(Metrics(kFirst, kBackendFailed))),
              ElementsAre(EventKind::kException));
}

TEST(TraceEventsTest, DynamosSteeringIsNoFailure) {
  EXPECT_THAT(Events(Metrics(kFirst, R"("fail_type": "SkipFrame")")),
              IsEmpty());
}

TEST(TraceEventsTest, ForeignExceptionsAreInternalErrors) {
  const std::vector<Event> events =
      Events(Artifact("dynamo_error", kFirst,
                      "Traceback (most recent call last):\n"
                      "  File \"/opt/torch/_dynamo/a.py\", line 9, in g\n"
                      "    x\n"
                      "KeyError: 'k'\n"));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].blocks[0].type,
            "torch._dynamo.exc.InternalTorchDynamoError");
  EXPECT_EQ(events[0].blocks[0].message, "KeyError: 'k'");
}

TEST(TraceEventsTest, RecompilesComeAsALogHasThem) {
  const std::string list =
      "[\n\"0/1: a == 3  # src\\nUser stack trace:\\n  File x\",\n"
      "\"0/0: tensor 'x' size mismatch; b == 2\"\n]";
  for (const std::string& payload : {list, std::string("0/0: a == 1")}) {
    const std::vector<Event> events = Events(
        File() + Start(kFirst) +
        Artifact("recompile_reasons", kSecond, payload) + Start(kSecond));
    ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kRecompile)) << payload;
    const Event& event = events[0];
    EXPECT_THAT(event.user_frame, Optional(StackFrame{"/me/m.py", 7, "f", ""}));
    EXPECT_EQ(event.message, "Recompiling function f in /me/m.py:7");
    EXPECT_THAT(event.compile_id, Optional(CompileId{-1, 0, 1, 0}));
    EXPECT_THAT(event.guards, SizeIs(payload == list ? 3 : 1));
    EXPECT_EQ(event.guards.back().compile_id, "0/0");
  }
}

TEST(TraceEventsTest, ARecompileWaitsForItsFunction) {
  const std::vector<Event> events =
      Events(Artifact("recompile_reasons", kSecond, "0/0: a == 1") +
             Metrics(kSecond, R"("cache_size": 1)"));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kRecompile));
  EXPECT_THAT(events[0].user_frame,
              Optional(StackFrame{"/me/m.py", 7, "f", ""}));
  const std::vector<Event> unknown =
      Events(Artifact("recompile_reasons", kSecond, "0/0: a == 1"));
  ASSERT_THAT(Kinds(unknown), ElementsAre(EventKind::kRecompile));
  EXPECT_FALSE(unknown[0].user_frame);
  EXPECT_THAT(unknown[0].guards, SizeIs(1));
}

TEST(TraceEventsTest, RecompileErrorIsARecompileToo) {
  const std::vector<Event> events = Events(
      Record("bwd_compilation_metrics",
             R"({"fail_type": "RecompileError", "fail_reason": )"
             R"("Recompiling function f in /me/m.py:7\n    triggered by the )"
             R"(following guard failure(s):\n    - 0/0: a == 1"})",
             kSecond));
  ASSERT_THAT(Kinds(events),
              ElementsAre(EventKind::kRecompile, EventKind::kException));
  EXPECT_THAT(events[0].guards, SizeIs(1));
  EXPECT_EQ(events[1].blocks[0].type, "torch._dynamo.exc.RecompileError");
}

struct LimitCase {
  std::string fields;
  std::string name;
  std::string value;
  bool raised;
};

class TraceLimitTest : public ::testing::TestWithParam<LimitCase> {};

TEST_P(TraceLimitTest, IsRecognised) {
  const LimitCase& limit = GetParam();
  const std::vector<Event> events =
      Events(File() + Start(kFirst) +
             Metrics(kFirst, R"("dynamo_config": "{\"cache_size_limit\": 8, )"
                             R"(\"accumulated_recompile_limit\": 256}")") +
             Artifact("recompile_reasons", kSecond, "0/0: a == 1") +
             Record("compilation_metrics", "{" + limit.fields + "}", kSecond));
  ASSERT_THAT(events, SizeIs(limit.raised ? 3 : 2));
  const Event& event = events[1];
  EXPECT_EQ(event.kind, EventKind::kRecompileLimit);
  EXPECT_EQ(event.name, limit.name);
  EXPECT_EQ(event.value, limit.value);
  EXPECT_THAT(event.user_frame, Optional(StackFrame{"/me/m.py", 7, "f", ""}));
  ASSERT_THAT(event.guards, SizeIs(1));
  EXPECT_EQ(event.guards[0].text, "a == 1");
  if (limit.raised) {
    EXPECT_EQ(events[2].kind, EventKind::kException);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Versions, TraceLimitTest,
    ::testing::Values(
        LimitCase{R"("fail_type": "RecompileLimitExceeded", )"
                  R"("fail_reason": "cache_size_limit reached")",
                  "cache_size_limit", "8", false},
        LimitCase{R"("fail_type": "CacheLimitExceeded", )"
                  R"("fail_reason": "accumulated_cache_size_limit reached")",
                  "accumulated_cache_size_limit", "", false},
        LimitCase{R"("fail_type": "Unsupported", "fail_reason": )"
                  R"("Dynamo recompile limit exceeded\n  Explanation: )"
                  R"(exceeding the recompile_limit cache size limit )"
                  R"((currently set to 12).")",
                  "recompile_limit", "12", false},
        LimitCase{R"("fail_type": "FailOnRecompileLimitHit", )"
                  R"("fail_reason": "cache_size_limit reached, because )"
                  R"(fail_on_cache_limit_hit = True")",
                  "cache_size_limit", "8", true},
        LimitCase{R"("fail_type": "FailOnRecompileLimitHit", "fail_reason": )"
                  R"("Hard failure due to fail_on_recompile_limit_hit")",
                  "", "", true}));

TEST(TraceEventsTest, AnUnnamedLimitIsTheOneThatWasReached) {
  constexpr std::string_view kNinth =
      R"(, "frame_id": 0, "frame_compile_id": 8)";
  const std::vector<Event> events = Events(
      Metrics(kFirst, R"("dynamo_config": "{\"recompile_limit\": 8}")") +
      Record("compilation_metrics",
             R"({"fail_type": "FailOnRecompileLimitHit", "fail_reason": "x"})",
             kNinth));
  ASSERT_THAT(Kinds(events),
              ElementsAre(EventKind::kRecompileLimit, EventKind::kException));
  EXPECT_EQ(events[0].message, "torch._dynamo hit config.recompile_limit (8)");
}

TEST(OldTraceEventsTest, RestartsAreBreaks) {
  const std::vector<Event> events = Events(
      OldMetrics(kFirst, R"("restart_reasons": ["Tensor.item", )"
                         R"("<class 'torch._dynamo.exc.Unspecialize'>"])") +
      Record("compilation_metrics",
             R"({"co_name": "torch_dynamo_resume_in_f_at_9", )"
             R"("co_filename": "/me/m.py", "co_firstlineno": 9})",
             kOtherFrame));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kGraphBreak));
  EXPECT_EQ(events[0].reason, "Tensor.item");
  EXPECT_THAT(events[0].user_frame,
              Optional(StackFrame{"/me/m.py", 9, "f", ""}));
}

TEST(OldTraceEventsTest, FullCachesAreRecompiles) {
  const std::vector<Event> events =
      Events(OldMetrics(kFirst, R"("cache_size": 0)") +
             OldMetrics(kSecond, R"("cache_size": 1)"));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kRecompile));
  EXPECT_THAT(events[0].guards, IsEmpty());
  EXPECT_EQ(events[0].message, "Recompiling function f in /me/m.py:7");
}

TEST(OldTraceEventsTest, AProcessThatGoesOnSurvivedItsBreak) {
  const std::string failed = OldMetrics(
      kFirst, R"("fail_type": "<class 'torch._dynamo.exc.Unsupported'>", )"
              R"("fail_reason": "no", "fail_user_frame_filename": "/me/m.py", )"
              R"("fail_user_frame_lineno": 9)");
  ASSERT_THAT(Kinds(Events(failed)), ElementsAre(EventKind::kException));
  EXPECT_EQ(Events(failed)[0].blocks[0].type, "torch._dynamo.exc.Unsupported");
  const std::vector<Event> events = Events(failed + Start(kOtherFrame));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kGraphBreak));
  EXPECT_EQ(events[0].reason, "no");
  EXPECT_EQ(events[0].frames[0].line, 9);
}

TEST(OldTraceEventsTest, ForeignExceptionsLostTheirType) {
  const std::vector<Event> events = Events(OldMetrics(
      kFirst, R"("fail_type": "<class 'KeyError'>", "fail_reason": "'k'")"));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].blocks[0].type,
            "torch._dynamo.exc.InternalTorchDynamoError");
  EXPECT_EQ(events[0].blocks[0].message, "k");
}

TEST(TraceEventsTest, AUsersExceptionEndsTheTraceOrWasCaught) {
  const std::string observed = Artifact(
      "dynamo_graph_break_reason", kFirst,
      "Graph break in user code at /me/m.py:9\nGraph Break Reason: Observed "
      "exception\n  Explanation: x\n  Developer debug context: raised "
      "exception ValueError('mine')\n\nUser code traceback:\n"
      "  File \"/me/m.py\", line 9, in f\n    raise ValueError('mine')\n");
  const std::vector<Event> events = Events(observed);
  ASSERT_THAT(Kinds(events),
              ElementsAre(EventKind::kGraphBreak, EventKind::kException));
  EXPECT_EQ(events[1].blocks[0].type, "ValueError");
  EXPECT_EQ(events[1].blocks[0].message, "mine");
  EXPECT_EQ(events[1].blocks[0].frames.back().line, 9);
  EXPECT_THAT(Kinds(Events(observed + Start(kOtherFrame))),
              ElementsAre(EventKind::kGraphBreak));
}

TEST(TraceEventsTest, AnEagerBackwardIsOnlyLogged) {
  const std::vector<Event> events = Events(
      Artifact("eager_compile_backwards_failure", kFirst, kBackendTraceback));
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kException));
  EXPECT_TRUE(events[0].logged);
}

TEST(TraceEventsTest, AnInterpretersErrorIsANoticeUnlessExplained) {
  const std::string error =
      Artifact("fx_interpreter_error", kFirst,
               "bad shape\n\nWhile executing %add\nOriginal traceback:\n"
               "  File \"/me/m.py\", line 9, in f\n    x + y\n");
  const std::vector<Event> events = Events(error);
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kNotice));
  EXPECT_EQ(events[0].message, "bad shape");
  EXPECT_THAT(events[0].frames, SizeIs(1));
  EXPECT_THAT(Kinds(Events(
                  error + Artifact("dynamo_error", kFirst, kBackendTraceback))),
              ElementsAre(EventKind::kException));
}

TEST(TraceEventsTest, BrokenPayloadsAndMetadataGiveWhatTheyHold) {
  const std::vector<Event> events = Events(
      File() + Start(kFirst) +
      Artifact("recompile_reasons", kSecond, "[\n\"0/0: a == 1\",\n\"0/0: b") +
      Metrics(kFirst, R"("fail_type": 5, "restart_reasons": {}, )"
                      R"("co_firstlineno": "x", "cache_size": [])") +
      Artifact("dynamo_error", kOtherFrame, "no traceback at all"));
  ASSERT_THAT(Kinds(events),
              ElementsAre(EventKind::kRecompile, EventKind::kException));
  EXPECT_THAT(events[0].guards, SizeIs(2));
  EXPECT_EQ(events[1].blocks[0].message, "no traceback at all");
}

// What the corpus' traces give; the same numbers as their logs.
TEST(TraceEventsCorpusTest, CountsEqualThoseOfTheLog) {
  struct Expected {
    const char* name;
    int64_t breaks, recompiles, limits, exceptions, skipped;
  };
  for (const Expected& expected : std::vector<Expected>{
           {"2.4.1/breaks", 5, 15, 0, 0, 0},  // two at the limit are not told
           {"2.4.1/generator_break", 2, 0, 0, 0, 0},
           {"2.4.1/fullgraph_unsupported", 0, 0, 0, 1, 0},
           {"2.4.1/internal_error", 0, 0, 0, 1, 0},
           {"2.6.0/breaks", 6, 11, 1, 0, 0},
           {"2.6.0/generator_break", 2, 0, 0, 0, 0},
           {"2.6.0/recompile_limit", 0, 8, 1, 0, 0},
           {"2.6.0/suppress_errors", 0, 0, 0, 0, 1},
           {"2.6.0/error_on_recompile", 0, 1, 0, 1, 0},
           {"2.13.0/breaks", 6, 11, 1, 0, 0},
           {"2.13.0/generator_break", 1, 0, 0, 0, 0},
           {"2.13.0/recompile_limit", 0, 8, 1, 0, 0},
           {"2.13.0/fullgraph_recompile", 0, 8, 1, 1, 0},
           {"2.13.0/suppress_errors", 0, 0, 0, 0, 1},
           {"2.13.0/autograd_backward_fail", 0, 0, 0, 1, 0},
           {"2.13.0/user_exc", 1, 0, 0, 1, 0},
           {"2.13.0/two_ranks", 10, 5, 0, 0, 0},
           {"2.13.0/segfault", 0, 0, 0, 0, 0},
       }) {
    const std::vector<Event> events = CaseEvents(expected.name);
    EXPECT_EQ(Count(events, EventKind::kGraphBreak), expected.breaks)
        << expected.name;
    EXPECT_EQ(Count(events, EventKind::kRecompile), expected.recompiles)
        << expected.name;
    EXPECT_EQ(Count(events, EventKind::kRecompileLimit), expected.limits)
        << expected.name;
    EXPECT_EQ(Count(events, EventKind::kException), expected.exceptions)
        << expected.name;
    EXPECT_EQ(Count(events, EventKind::kSkippedFrame), expected.skipped)
        << expected.name;
  }
}

TEST(TraceEventsCorpusTest, AnExportThatMakeFxGaveUpKeepsItsPlace) {
  const std::vector<Event> events = CaseEvents("2.13.0/export_nonstrict");
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kException));
  EXPECT_EQ(events[0].name, "make_fx_fail_partial");
  EXPECT_THAT(events[0].user_frame, Optional(Field(&StackFrame::line, 104)));
  EXPECT_THAT(events[0].blocks[0].frames[2].file,
              HasSubstr("torch/export/__init__.py"));
}

TEST(TraceEventsCorpusTest, GraphBreaksAreReadWhole) {
  const std::vector<Event> events = CaseEvents("2.13.0/compiled_autograd");
  ASSERT_THAT(Kinds(events), ElementsAre(EventKind::kGraphBreak));
  EXPECT_EQ(events[0].graph_break_id, "GB0123");
  EXPECT_EQ(events[0].reason, "Unsupported Tensor.backward() call");
  EXPECT_THAT(events[0].user_frame, Optional(Field(&StackFrame::line, 211)));
  EXPECT_FALSE(events[0].hints.empty());
}

TEST(TraceEventsCorpusTest, CutsAreHarmless) {
  const std::filesystem::path folder =
      std::filesystem::path(PT2TRIAGE_TEST_DATA) /
      "corpus/2.13.0/generator_break/trace";
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  for (size_t size = 0; size < text.size(); size += 97) {
    for (const Event& event : Events(std::string_view(text).substr(0, size))) {
      EXPECT_LE(event.evidence.offset + event.evidence.length, size);
    }
  }
}

TEST(TraceEventsTest, AProcessThatComesBackAfterManyOthersIsReadOn) {
  TraceRecord record;
  const TraceKind* const kind = FindRecordKind("dynamo_start");
  ASSERT_NE(kind, nullptr);
  record.name = "dynamo_start";
  record.kind = kind;
  TraceEventBuilder builder([](const Event&) {});
  for (uint32_t session = 1; session <= 3 * TraceEventBuilder::kMaxProcesses;
       ++session) {
    record.session = session;
    builder.OnRecord(record);
    if (session % 100 != 0) continue;
    record.session = 1;
    builder.OnRecord(record);
    builder.OnRecord(record);
  }
  builder.Finish();
}

TEST(TraceEventsTest, NamesOfFunctionsAreBounded) {
  TraceRecord record;
  record.name = "dynamo_start";
  record.kind = FindRecordKind("dynamo_start");
  record.stack.resize(1);
  TraceEventBuilder builder([](const Event&) {});
  const std::string name(1000, 'f');
  for (int i = 0; i < 40'000; ++i) {
    record.session = static_cast<uint32_t>(1 + i % 7);
    record.compile_id.emplace();
    record.compile_id->frame = i;
    record.compile_id->compile = 0;
    record.stack[0].file = "/me/" + name;
    record.stack[0].function = name;
    builder.OnRecord(record);
    ASSERT_LE(builder.name_bytes(), TraceEventBuilder::kMaxNameBytes);
  }
}

}  // namespace
}  // namespace pt2triage
