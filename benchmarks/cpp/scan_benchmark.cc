// Whole scans: bytes in, report out.
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "input.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/source_result.h"

namespace pt2triage::bench {

std::atomic<uint64_t> allocations{0};

}  // namespace pt2triage::bench

// The whole program's, so that allocations can be counted. Not inlined: GCC
// would see malloc() and delete together and warn.
[[gnu::noinline]] void* operator new(size_t size) {
  pt2triage::bench::allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept {
  std::free(block);
}

namespace pt2triage::bench {
namespace {

std::shared_ptr<SourceResult> ScanText(std::string_view text,
                                       const ScanOptions& options) {
  const std::unique_ptr<Source> source = FromMemory(text, "bench.log");
  return *ScanSource(*source, options);
}

void Scan(benchmark::State& state, Input input) {
  const std::string_view text = input();
  Measure(state, text,
          [&] { benchmark::DoNotOptimize(ScanText(text, {}).get()); });
}
BENCHMARK_CAPTURE(Scan, torch_logs, TorchLogs)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Scan, plain, PlainText)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Scan, traces, Traces)->Unit(benchmark::kMillisecond);

void ScanAndReport(benchmark::State& state, Input input) {
  const std::string_view text = input();
  Measure(state, text, [&] {
    std::vector<std::shared_ptr<SourceResult>> results;
    results.push_back(ScanText(text, {}));
    const Report report = MakeReport(std::move(results));
    benchmark::DoNotOptimize(ReportToJson(report).data());
  });
}
BENCHMARK_CAPTURE(ScanAndReport, torch_logs, TorchLogs)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ScanAndReport, traces, Traces)->Unit(benchmark::kMillisecond);

void ScanByChunkSize(benchmark::State& state) {
  ScanOptions options;
  options.chunk_size = static_cast<size_t>(state.range(0));
  Measure(state, TorchLogs(), [&] {
    benchmark::DoNotOptimize(ScanText(TorchLogs(), options).get());
  });
}
BENCHMARK(ScanByChunkSize)
    ->RangeMultiplier(16)
    ->Range(4 << 10, 1 << 20)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pt2triage::bench
