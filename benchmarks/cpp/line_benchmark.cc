// Splitting, cleaning and rejecting lines.
#include <string_view>

#include "benchmark/benchmark.h"
#include "event/text_events.h"
#include "input.h"
#include "line/byte_kinds.h"
#include "line/decorations.h"
#include "line/line_cursor.h"
#include "line/line_splitter.h"
#include "record/dull_lines.h"

namespace pt2triage::bench {
namespace {

void Split(benchmark::State& state) {
  const std::string_view text = TorchLogs();
  Measure(state, text, [&] {
    LineSplitter splitter;
    auto sink = [](const PhysicalLine& line) {
      benchmark::DoNotOptimize(line.text.data());
    };
    constexpr size_t kChunk = size_t{256} * 1024;
    for (size_t i = 0; i < text.size(); i += kChunk) {
      splitter.Feed(text.substr(i, kChunk), sink);
    }
    splitter.Finish(sink);
  });
}
BENCHMARK(Split);

void WalkLines(benchmark::State& state, Input input) {
  const std::string_view text = input();
  Measure(state, text, [&] {
    LineCursor cursor(text);
    size_t end = 0;
    do {
      end = cursor.NextEnd();
      benchmark::DoNotOptimize(end);
    } while (end != std::string_view::npos);
  });
}
BENCHMARK_CAPTURE(WalkLines, torch_logs, TorchLogs);
BENCHMARK_CAPTURE(WalkLines, plain, PlainText);

void TakePayload(benchmark::State& state) {
  const std::string_view text = Traces();
  Measure(state, text, [&] {
    for (size_t at = 0; at < text.size();) {
      const size_t taken = TakeTabbedLines(text.substr(at)).bytes;
      at = taken > 0 ? at + taken : text.find('\n', at) + 1;
    }
  });
}
BENCHMARK(TakePayload);

void Kinds(benchmark::State& state) {
  const std::string_view text = PlainText();
  Measure(state, text, [&] {
    for (size_t at = 0; at < text.size(); at += 4096) {
      benchmark::DoNotOptimize(KindsOf(text.substr(at, 4096)).controls);
    }
  });
}
BENCHMARK(Kinds);

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

// As many literals as the core has, over blocks as the core gives them.
void Filter(benchmark::State& state) {
  const DullRules& rules = TextEventBuilder::Rules();
  const std::string_view text = PlainText();
  Measure(state, text, [&] {
    for (size_t at = 0; at < text.size(); at += DullLines::kBlock) {
      benchmark::DoNotOptimize(rules.quiet(text.substr(at, DullLines::kBlock)));
    }
  });
}
BENCHMARK(Filter);

}  // namespace
}  // namespace pt2triage::bench
