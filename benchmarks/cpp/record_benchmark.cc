// From bytes to records.
#include <string_view>

#include "benchmark/benchmark.h"
#include "event/text_events.h"
#include "input.h"
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
