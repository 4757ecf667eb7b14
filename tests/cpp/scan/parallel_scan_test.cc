#include "scan/parallel_scan.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/report.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

using ::testing::HasSubstr;

std::string Json(std::shared_ptr<SourceResult> result) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(std::move(result));
  return ReportToJson(MakeReport(std::move(results)));
}

std::string Serial(std::string_view text) {
  SourceScanner scanner("in.log", {});
  for (size_t at = 0; at < text.size(); at += 777) {
    scanner.Feed(text.substr(at, 777));
  }
  return Json(scanner.Finish());
}

std::string Parallel(std::string_view text, const Shares& shares) {
  const auto bytes = AccessMemory(text, "in.log");
  auto result = ScanInParallel(*bytes, {}, shares);
  EXPECT_TRUE(result.ok()) << result.status();
  // The same from what can only be read in order.
  const auto source = FromMemory(text, "in.log");
  auto in_order = ScanInParallel(*source, {}, shares);
  EXPECT_TRUE(in_order.ok()) << in_order.status();
  if (!result.ok() || !in_order.ok()) return "";
  std::string json = Json(*std::move(result));
  EXPECT_EQ(Json(*std::move(in_order)), json);
  return json;
}

std::vector<std::filesystem::path> TestLogs() {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(PT2TRIAGE_TEST_DATA)) {
    const bool log = entry.path().extension() == ".log" ||
                     entry.path().filename() == "log.txt";
    if (log && entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(ParallelScanTest, EveryLogGivesWhatOneThreadGives) {
  std::string all;
  size_t number = 0;
  for (const auto& path : TestLogs()) {
    const std::string text = ReadFile(path);
    const std::string expected = Serial(text);
    const size_t chunk = size_t{500} << (number++ % 8);
    EXPECT_EQ(Parallel(text, {.threads = 3, .chunk_size = chunk}), expected)
        << path << ", chunks of " << chunk;
    if (all.size() < (size_t{4} << 20)) all += text + "\n";
  }
  ASSERT_GT(number, 100);
  const std::string expected = Serial(all);
  for (size_t chunk : {size_t{10} << 10, size_t{256} << 10}) {
    EXPECT_EQ(Parallel(all, {.threads = 4, .chunk_size = chunk}), expected);
  }
}

TEST(ParallelScanTest, RunsAcrossChunksAreOneRecord) {
  const std::string line =
      "V1129 15:22:18.930000 9 torch/x.py:1] [0/0] [__trace_call] a line\n";
  std::string text;
  for (int i = 0; i < 3000; ++i) text += line;
  EXPECT_EQ(Parallel(text, {.threads = 2, .chunk_size = 5000}), Serial(text));
  EXPECT_THAT(Parallel(text, {.threads = 2, .chunk_size = 5000}),
              HasSubstr("\"log_records\": 1,"));
}

TEST(ParallelScanTest, AnyShareWorks) {
  const std::string text = "step 1\nstep 2\n\nstep 3";
  for (const size_t threads : {0u, 1u, 2u, 9u}) {
    for (const size_t chunk : {0u, 1u, 2u, 7u, 1000u}) {
      EXPECT_EQ(Parallel(text, {.threads = threads, .chunk_size = chunk}),
                Serial(text));
    }
  }
  EXPECT_EQ(Parallel("", {.threads = 2}), Serial(""));
}

// Whose an empty line is, and which lines an open traceback waits for, must not
// depend on how lines reach the parsers.
TEST(ParallelScanTest, WritersThatInterleaveGiveTheSame) {
  constexpr std::string_view kLines[] = {
      "[rank0]: Traceback (most recent call last):",
      "[rank0]:   File \"a.py\", line 1, in f",
      "[rank0]:     foo()",
      "[rank0]: RuntimeError: CUDA error: device-side assert triggered",
      "[rank1]: torch._dynamo.exc.Unsupported: call_method x",
      "[rank1]: hello",
      "  Explanation: none",
      "Traceback (most recent call last):",
      "  File \"b.py\", line 2, in g",
      "ValueError: y",
      "",
      "",
      "  ",
      "step 1 loss 0.5",
      "step 2 loss 0.4",
      "2025-04-17T06:19:22.0392577Z ",
      "t.py::a FAILED [ 1%]",
      "t.py::a PASSED [ 2%]",
      "t.py::b PASSED [ 3%]",
      "V1129 15:22:18.930000 9 torch/x.py:1] [0/0] [__trace_call] some line",
      "V1129 15:22:18.930000 9 torch/x.py:2] [0/0] [__recompiles] Recompiling "
      "function f in /a/b.py:3",
      "W1129 15:22:18.930000 9 torch/x.py:3] [0/0] a warning of some kind",
      "===================== FAILURES =====================",
  };
  std::mt19937 random(7);
  for (int i = 0; i < 1500; ++i) {
    std::string text(4096, '\n');  // beyond the bytes that are sniffed
    for (uint64_t left = random() % 40; left > 0; --left) {
      text.append(kLines[random() % std::size(kLines)]).append("\n");
    }
    SourceScanner scanner("in.log", {});
    for (char c : text) scanner.Feed({&c, 1});
    const std::string expected = Json(scanner.Finish());
    ASSERT_EQ(Serial(text), expected) << text.substr(4096);
    ASSERT_EQ(Parallel(text, {.threads = 1, .chunk_size = 150}), expected)
        << text.substr(4096);
  }
}

// Fails at a place, or grows once it has been read to its end.
class OddAccess : public RandomAccess {
 public:
  OddAccess(std::string text, size_t fails_at, size_t grows_at)
      : RandomAccess("odd.log", std::min(text.size(), grows_at)),
        text_(std::move(text)),
        fails_at_(fails_at),
        end_(grows_at) {}
  absl::StatusOr<size_t> ReadAt(uint64_t offset, char* buffer,
                                size_t size) const override {
    if (offset + size > fails_at_)
      return absl::UnavailableError("odd.log: bad");
    if (offset >= end_) {
      end_ = text_.size();
      return 0;
    }
    return text_.copy(buffer, std::min<size_t>({size, 100, end_ - offset}),
                      offset);
  }

 private:
  std::string text_;
  size_t fails_at_;
  mutable std::atomic<size_t> end_;
};

TEST(ParallelScanTest, AnErrorEndsTheScanAndNamesTheFile) {
  const OddAccess bytes(std::string(100000, '\n'), 50000, 100000);
  const auto result =
      ScanInParallel(bytes, {}, {.threads = 3, .chunk_size = 1000});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "odd.log: bad");
}

TEST(ParallelScanTest, WhatIsAddedMeanwhileIsRead) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "step " + std::to_string(i) + "\n";
  const OddAccess bytes(text, text.size() + 10000, 12345);
  auto result = ScanInParallel(bytes, {}, {.threads = 3, .chunk_size = 1000});
  ASSERT_TRUE(result.ok());
  EXPECT_GE((*result)->info.bytes, 12345);
  EXPECT_EQ((*result)->info.bytes_plain, (*result)->info.bytes);
}

TEST(ParallelScanTest, CanBeStopped) {
  const std::string text(100000, '\n');
  const auto bytes = AccessMemory(text, "in.log");
  ScanOptions options;
  options.progress = [](uint64_t done) { return done < 5000; };
  const auto result =
      ScanInParallel(*bytes, options, {.threads = 2, .chunk_size = 1000});
  EXPECT_TRUE(absl::IsCancelled(result.status()));
}

}  // namespace
}  // namespace pt2triage
