// From records and plain text to events.
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"
#include "event/graph_break.h"
#include "event/guard.h"
#include "event/recompile.h"
#include "event/text_events.h"
#include "event/trace_events.h"
#include "event/traceback.h"
#include "input.h"
#include "record/record_stream.h"

namespace pt2triage::bench {
namespace {

// The records of the logs that matter, parsed beforehand.
const std::vector<LogRecord>& MatteringRecords() {
  static const std::vector<LogRecord>& records = *[] {
    auto* all = new std::vector<LogRecord>;
    ParseStats stats;
    RecordStream stream(RecordMatters, false, &stats,
                        {[&](LogRecord& record) { all->push_back(record); },
                         [](TraceRecord&) {}, [](const Line&) {}});
    stream.Feed(TorchLogs());
    stream.Finish();
    return all;
  }();
  return records;
}

std::string Joined(const std::vector<LogRecord>& records) {
  std::string all;
  for (const LogRecord& record : records) all += record.text + '\n';
  return all;
}

void RecordsToEvents(benchmark::State& state) {
  std::vector<LogRecord> records = MatteringRecords();
  Measure(state, Joined(records), [&] {
    uint64_t events = 0;
    TextEventBuilder builder(0, [&](const Event&) { ++events; });
    for (LogRecord& record : records) builder.OnRecord(record);
    builder.Finish();
    benchmark::DoNotOptimize(events);
  });
}
BENCHMARK(RecordsToEvents);

void PlainToEvents(benchmark::State& state, Input input) {
  const std::string_view text = input();
  const auto lines = LinesOf(text);
  Measure(state, text, [&] {
    uint64_t events = 0;
    TextEventBuilder builder(0, [&](const Event&) { ++events; });
    Line line;
    for (std::string_view physical : lines) {
      line.text = physical;
      line.physical = {physical, 1, 0, physical.size() + 1};
      builder.OnPlainLine(line);
    }
    builder.Finish();
    benchmark::DoNotOptimize(events);
  });
}
BENCHMARK_CAPTURE(PlainToEvents, nothing_matters, PlainText);
BENCHMARK_CAPTURE(PlainToEvents, tracebacks_among_it, TorchLogs);

void Tracebacks(benchmark::State& state) {
  const std::string_view text = TorchLogs();
  const auto lines = LinesOf(text);
  Measure(state, text, [&] {
    uint64_t blocks = 0;
    TracebackParser parser([&](Traceback& t) { blocks += t.blocks.size(); });
    for (std::string_view line : lines) parser.OnLine({line, {}, false});
    parser.Finish();
    benchmark::DoNotOptimize(blocks);
  });
}
BENCHMARK(Tracebacks);

void Guards(benchmark::State& state) {
  std::vector<GuardText> guards;
  std::string text;
  for (const LogRecord& record : MatteringRecords()) {
    Event event;
    if (!ParseRecompileRecord(record.text, &event)) continue;
    for (const GuardText& guard : event.guards) {
      guards.push_back(guard);
      text += guard.text + '\n';
    }
  }
  Measure(state, text, [&] {
    for (const GuardText& guard : guards) {
      benchmark::DoNotOptimize(ParseGuard(guard));
    }
  });
}
BENCHMARK(Guards);

void TracesToEvents(benchmark::State& state) {
  const std::string_view text = Traces();
  Measure(state, text, [&] {
    uint64_t events = 0;
    ParseStats stats;
    TraceEventBuilder builder([&](const Event&) { ++events; });
    RecordStream stream(nullptr, false, &stats,
                        {[](LogRecord&) {},
                         [&](TraceRecord& record) { builder.OnRecord(record); },
                         [](const Line&) {}});
    stream.Feed(text);
    stream.Finish();
    builder.Finish();
    benchmark::DoNotOptimize(events);
  });
}
BENCHMARK(TracesToEvents);

}  // namespace
}  // namespace pt2triage::bench
