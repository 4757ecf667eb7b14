// Splitting, cleaning and rejecting lines.
#include <string_view>

#include "benchmark/benchmark.h"
#include "input.h"
#include "line/decorations.h"
#include "line/line_splitter.h"
#include "line/literal_filter.h"

namespace pt2triage::bench {
namespace {

void Split(benchmark::State& state) {
  const std::string_view text = TorchLogs();
  Measure(state, text, [&] {
    LineSplitter splitter;
    auto sink = [](const PhysicalLine& line) {
      benchmark::DoNotOptimize(line.text.data());
    };
    constexpr size_t kChunk = 256 * 1024;
    for (size_t i = 0; i < text.size(); i += kChunk) {
      splitter.Feed(text.substr(i, kChunk), sink);
    }
    splitter.Finish(sink);
  });
}
BENCHMARK(Split);

void Clean(benchmark::State& state, Input input) {
  const std::string_view text = input();
  const auto lines = LinesOf(text);
  LineCleaner cleaner;
  Measure(state, text, [&] {
    for (std::string_view line : lines) {
      benchmark::DoNotOptimize(
          cleaner.Clean({line, 1, 0, line.size() + 1}).text.data());
    }
  });
}
BENCHMARK_CAPTURE(Clean, torch_logs, TorchLogs);
BENCHMARK_CAPTURE(Clean, time_stamped, PlainText);

void Filter(benchmark::State& state) {
  const LiteralFilter filter({"Traceback (most", "Fatal Python", "torch._",
                              "Accuracy failed", "RuntimeError:"});
  const std::string_view text = PlainText();
  const auto lines = LinesOf(text);
  Measure(state, text, [&] {
    for (std::string_view line : lines) {
      benchmark::DoNotOptimize(filter.MayContain(line));
    }
  });
}
BENCHMARK(Filter);

}  // namespace
}  // namespace pt2triage::bench
