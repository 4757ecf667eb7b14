// Inputs of the benchmarks, built in memory from the test data, and a count of
// heap allocations.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"

namespace pt2triage::bench {

// Calls of operator new in this program; counted in scan_benchmark.cc.
extern std::atomic<uint64_t> allocations;

inline constexpr size_t kInputBytes = size_t{8} << 20;

// The files below tests/data that `wanted` picks, in the order of their paths,
// one after the other, again and again up to kInputBytes.
template <typename Wanted>
std::string FromTestData(Wanted wanted) {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(PT2TRIAGE_TEST_DATA)) {
    if (entry.is_regular_file() && wanted(entry.path())) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::string once;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    once.append(std::istreambuf_iterator<char>(file), {});
    if (!once.empty() && once.back() != '\n') once += '\n';
  }
  std::string all;
  while (!once.empty() && all.size() < kInputBytes) all += once;
  return all;
}

// One of the functions below. Benchmarks take it and not its result, so that
// only the inputs that are needed are built.
using Input = const std::string& (*)();

// What TORCH_LOGS wrote in PyTorch 2.2 to 2.13.
inline const std::string& TorchLogs() {
  static const std::string& text =
      *new std::string(FromTestData([](const std::filesystem::path& path) {
        return path.filename() == "log.txt" &&
               path.string().find("corpus") != std::string::npos;
      }));
  return text;
}

// What TORCH_TRACE wrote.
inline const std::string& Traces() {
  static const std::string& text =
      *new std::string(FromTestData([](const std::filesystem::path& path) {
        return path.extension() == ".log" &&
               path.parent_path().filename() == "trace";
      }));
  return text;
}

// A CI job that passes: no line of it matters.
inline const std::string& PlainText() {
  static const std::string& text = *[] {
    auto* all = new std::string;
    for (int i = 0; all->size() < kInputBytes; ++i) {
      const std::string n = std::to_string(i);
      *all += "2025-04-17T06:19:22.0392577Z test/inductor/test_ops.py::TestOps";
      *all += "::test_add_cpu_float" + n + " PASSED [0.0123s] [ 12%]\n";
      *all +=
          "2025-04-17T06:19:23.1392577Z step " + n + " loss 0.123 lr 3e-4\n";
    }
    return all;
  }();
  return text;
}

inline std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Runs `body` over `text` once per iteration; reports bytes/s and allocations
// per line.
template <typename Body>
void Measure(benchmark::State& state, std::string_view text, Body body) {
  if (text.empty()) {
    state.SkipWithError("no test data");
    return;
  }
  const uint64_t before = allocations.load();
  for (auto _ : state) body();
  const auto runs = static_cast<double>(state.iterations());
  const auto lines =
      static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) *
                          static_cast<int64_t>(state.iterations()));
  state.counters["allocs/line"] =
      static_cast<double>(allocations.load() - before) / (runs * lines);
}

}  // namespace pt2triage::bench
