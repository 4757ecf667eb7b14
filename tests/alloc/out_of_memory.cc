// Memory runs out at every allocation of a scan, one after the other.
//
//   out_of_memory FOLDER     the folder is tests/data
//
// Whatever fails, a scan ends with the right report or with a status that names
// the source; a report or a table is made whole or std::bad_alloc is thrown;
// nothing leaks. The first scans are those of a fresh process, so that tables
// which are built when they are first needed fail too, and are built the next
// time.
#include <simdjson.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "report/arrow_stream.h"
#include "report/arrow_table.h"
#include "scan/source_result.h"

namespace {

constexpr uint64_t kNever = UINT64_MAX;

bool armed = false;
uint64_t allocations = 0;      // since Arm()
int64_t live = 0;              // not freed yet
uint64_t fail_from = kNever;   // the first that fails ...
uint64_t fail_until = kNever;  // ... and the first that does not any more

void Arm(uint64_t from, uint64_t count) {
  armed = true;
  allocations = 0;
  fail_from = from;
  fail_until = count > kNever - from ? kNever : from + count;
}

// `allocations` is not counted any more.
void Disarm() {
  armed = false;
  fail_from = fail_until = kNever;
}

void* Allocate(size_t size, size_t alignment) {
  if (armed) {
    const uint64_t number = allocations++;
    if (number >= fail_from && number < fail_until) throw std::bad_alloc();
  }
  if (size == 0) size = 1;
  size = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  ++live;
  return memory;
}

void Free(void* memory) {
  if (memory != nullptr) --live;
  std::free(memory);
}

}  // namespace

// The other forms of new and delete call these, but for those of a sanitizer
// that do not throw.
void* operator new(size_t size) {
  return Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  Free(memory);
}

namespace {

using pt2triage::ScanOptions;
using pt2triage::SourceResult;
using Outcome = absl::StatusOr<std::shared_ptr<SourceResult>>;

// How many allocations in a row fail: one, as long as it takes to unwind, and
// all that follow.
constexpr uint64_t kInARow[] = {1, 5, kNever};
// All of the first ones fail in turn, of the others every few.
constexpr uint64_t kDense = 1500;
constexpr uint64_t kSteps = 700;

struct Input {
  std::string name;
  std::string text;
  std::string expected;  // the report of a scan to which nothing happened
  uint64_t allocations = 0;
};

[[noreturn]] void Fail(const Input& input, uint64_t at, uint64_t in_a_row,
                       std::string_view what) {
  Disarm();
  std::fprintf(stderr, "%s: allocation %llu (%llu in a row) fails: %.*s\n",
               input.name.c_str(), static_cast<unsigned long long>(at),
               static_cast<unsigned long long>(in_a_row),
               static_cast<int>(what.size()), what.data());
  std::exit(1);
}

// Scans the input while memory runs out from allocation `at` on.
Outcome Scan(const Input& input, uint64_t at = kNever, uint64_t in_a_row = 0) {
  const auto source = pt2triage::FromMemory(input.text, input.name);
  ScanOptions options;
  options.verify = true;
  options.chunk_size = 5000;
  Arm(at, in_a_row);
  Outcome outcome = ScanSource(*source, options);
  Disarm();
  return outcome;
}

std::string Report(std::shared_ptr<SourceResult> result) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(std::move(result));
  return pt2triage::ReportToJson(pt2triage::MakeReport(std::move(results)));
}

// Lets memory run out in ScanSource(). False if the scan needs less.
bool FailScan(const Input& input, uint64_t at, uint64_t in_a_row) {
  Outcome outcome = Scan(input, at, in_a_row);
  const bool happened = allocations > at;
  if (outcome.ok()) {  // whoever asked for memory did without it
    if (Report(*std::move(outcome)) != input.expected) {
      Fail(input, at, in_a_row, "the report is another one");
    }
    return happened;
  }
  if (!happened) Fail(input, at, in_a_row, "an error without a reason");
  if (!absl::IsResourceExhausted(outcome.status())) {
    Fail(input, at, in_a_row, "the status has the wrong code");
  }
  // Where there is nothing from the start there is no room for a sentence.
  const bool named =
      outcome.status().message() == input.name + ": out of memory";
  if (!named && (in_a_row == 1 || at > 5)) {
    Fail(input, at, in_a_row, "the status does not name the source");
  }
  return true;
}

// The same for MakeReport() and ReportToJson().
bool FailReport(const Input& input, uint64_t at, uint64_t in_a_row) {
  Outcome outcome = Scan(input);
  std::string report;
  Arm(at, in_a_row);
  try {
    report = Report(*std::move(outcome));
  } catch (const std::bad_alloc&) {
    Disarm();
    return true;
  }
  const bool happened = allocations > at;
  Disarm();
  if (report != input.expected) {
    Fail(input, at, in_a_row, "the report is another one");
  }
  return happened;
}

// The same for a table and its stream, whose errors are numbers.
bool FailTable(const Input& input, uint64_t at, uint64_t in_a_row) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(*Scan(input));
  const auto report = std::make_shared<const pt2triage::Report>(
      pt2triage::MakeReport(std::move(results)));
  ArrowArrayStream stream{};
  ArrowSchema schema{};
  ArrowArray batch{};
  int errors[] = {ENOMEM, ENOMEM};
  Arm(at, in_a_row);
  try {
    std::vector<pt2triage::FindingView> rows;
    for (size_t i = 0; i < report->findings.size(); ++i) {
      rows.push_back({report, i});
    }
    ExportStream(pt2triage::MakeFindingsTable(std::move(rows)), &stream);
    errors[0] = stream.get_schema(&stream, &schema);
    errors[1] = stream.get_next(&stream, &batch);
  } catch (const std::bad_alloc&) {
    if (stream.release != nullptr) std::abort();  // C calls it: it cannot throw
  }
  const bool happened = allocations > at;
  Disarm();
  for (int error : errors) {
    if (error != 0 && (error != ENOMEM || !happened)) {
      Fail(input, at, in_a_row, "the stream has another error");
    }
  }
  if ((errors[0] == 0) != (schema.release != nullptr) ||
      (errors[1] == 0) != (batch.release != nullptr)) {
    Fail(input, at, in_a_row, "the stream gives half a thing");
  }
  if (batch.release != nullptr) batch.release(&batch);
  if (schema.release != nullptr) schema.release(&schema);
  if (stream.release != nullptr) stream.release(&stream);
  return happened;
}

template <typename Run>
uint64_t FailEverywhere(const Input& input, uint64_t in_a_row, Run&& run) {
  uint64_t runs = 0;
  const uint64_t step = 1 + input.allocations / kSteps;
  bool goes_on = true;
  for (uint64_t at = 0; goes_on; at += at < kDense ? 1 : step) {
    const int64_t before = live;
    goes_on = run(input, at, in_a_row);
    if (live != before) Fail(input, at, in_a_row, "something is never freed");
    ++runs;
  }
  return runs;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A trace with what needs buffers of its own: damage, names, output between.
std::string DamagedTrace() {
  const std::string head = "V1129 15:16:46.099000 4487 torch/a.py:1] ";
  std::string text = head + "{\"str\": [\"/home/dev/model.py\", 0]}\n";
  text += head +
          "{\"dynamo_start\": {\"stack\": [{\"line\": 3, \"name\": \"f\", "
          "\"filename\": 0}]}, \"frame_id\": 0, \"frame_compile_id\": 0}\n";
  text += head + "{\"graph_dump\": {\"name\": \"caf\xff\"}, \"frame_id\": 0\n";
  text += "epoch 1\n[rank1]:" + head + "{\"dynamo_start\": {}, \"rank\": 1}\n";
  text += head +
          "{\"artifact\": {\"name\": \"dynamo_error\"}, \"frame_id\": 0, "
          "\"frame_compile_id\": 0, \"has_payload\": \"x\"}\n"
          "\tTraceback (most recent call last):\n"
          "\t  File \"/home/dev/model.py\", line 7, in f\n"
          "\ttorch._dynamo.exc.Unsupported: Data-dependent branching\n";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: out_of_memory FOLDER\n");
    return 2;
  }
  // simdjson looks once which code fits the processor, and ends the program if
  // there is no memory for the 100 bytes that this takes.
  if (!simdjson::validate_utf8("x", 1)) return 1;
  const std::string folder = argv[1];
  std::vector<Input> inputs;
  inputs.push_back({"damaged", DamagedTrace(), {}, 0});
  for (const char* name : {"breaks", "inductor_lowering", "recompile_limit"}) {
    inputs.push_back(
        {name, Read(folder + "/corpus/2.13.0/" + name + "/log.txt"), {}, 0});
  }
  uint64_t runs = 0;
  for (Input& input : inputs) {
    // A fresh process has no tables yet, and nothing to compare with.
    for (uint64_t at = 0; at < kDense; ++at) {
      const Outcome outcome = Scan(input, at, 1);
      if (!outcome.ok() && !absl::IsResourceExhausted(outcome.status())) {
        Fail(input, at, 1, "the status has the wrong code");
      }
      ++runs;
    }
    Outcome outcome = Scan(input);
    input.allocations = allocations;
    input.expected = Report(*std::move(outcome));
    for (uint64_t in_a_row : kInARow) {
      runs += FailEverywhere(input, in_a_row, FailScan);
      runs += FailEverywhere(input, in_a_row, FailReport);
      runs += FailEverywhere(input, in_a_row, FailTable);
    }
    std::printf("%s: %llu allocations\n", input.name.c_str(),
                static_cast<unsigned long long>(input.allocations));
  }
  std::printf("memory ran out %llu times\n",
              static_cast<unsigned long long>(runs));
  return 0;
}
