// From bytes to records.
#include <string_view>

#include "benchmark/benchmark.h"
#include "event/text_events.h"
#include "input.h"
#include "record/dull_lines.h"
#include "record/log_header.h"
#include "record/record_stream.h"

namespace pt2triage::bench {
namespace {

void FindHeader(benchmark::State& state, Input input) {
  const std::string_view text = input();
  const auto lines = LinesOf(text);
  Measure(state, text, [&] {
    for (std::string_view line : lines) {
      benchmark::DoNotOptimize(FindLogHeader(line));
    }
  });
}
BENCHMARK_CAPTURE(FindHeader, torch_logs, TorchLogs);
BENCHMARK_CAPTURE(FindHeader, plain, PlainText);

void TakeDull(benchmark::State& state, Input input) {
  const std::string_view text = input();
  DullLines lines(TextEventBuilder::Rules());
  DullRun run;
  Measure(state, text, [&] {
    for (size_t at = 0; at < text.size();) {
      run.Clear();
      lines.Take(text.substr(at), /*trace=*/false, {}, &run);
      // What matters is left to others.
      at += run.bytes;
      if (at < text.size()) at = text.find('\n', at) + 1;
    }
  });
}
BENCHMARK_CAPTURE(TakeDull, torch_logs, TorchLogs);
BENCHMARK_CAPTURE(TakeDull, plain, PlainText);

void Records(benchmark::State& state, Input input,
             RecordAssembler::Wanted wanted, bool verify) {
  const std::string_view text = input();
  Measure(state, text, [&] {
    ParseStats stats;
    RecordStream stream(
        wanted, verify, &stats,
        {[](LogRecord& r) { benchmark::DoNotOptimize(r.text.data()); },
         [](TraceRecord& r) { benchmark::DoNotOptimize(r.name.data()); },
         [](const Line& line) { benchmark::DoNotOptimize(line.text.data()); }});
    stream.Feed(text);
    stream.Finish();
  });
}
BENCHMARK_CAPTURE(Records, all_of_torch_logs, TorchLogs, nullptr, false);
BENCHMARK_CAPTURE(Records, what_matters_of_torch_logs, TorchLogs, RecordMatters,
                  false);
BENCHMARK_CAPTURE(Records, plain, PlainText, nullptr, false);
BENCHMARK_CAPTURE(Records, traces, Traces, nullptr, false);
BENCHMARK_CAPTURE(Records, traces_with_checksums, Traces, nullptr, true);

}  // namespace
}  // namespace pt2triage::bench
