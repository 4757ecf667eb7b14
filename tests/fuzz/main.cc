// Replays files through one fuzz target, for compilers without libFuzzer.
//
//   fuzz_scan [-max_len=N] PATH...     files, or folders of files
//
// Other options of libFuzzer (-runs=0) are taken for paths that do not exist.
// Prints how many inputs were replayed. Paths that do not exist are skipped, so
// that a target without seeds passes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

void Replay(const fs::path& path, size_t max_len) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() > max_len) bytes.resize(max_len);
  // A copy of exactly that size, so that reading past its end is seen.
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kMaxLen = "-max_len=";
  size_t max_len = std::numeric_limits<size_t>::max();
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(kMaxLen)) {
      max_len = std::strtoull(argument.c_str() + kMaxLen.size(), nullptr, 10);
    } else if (fs::is_directory(argument)) {
      for (const auto& entry : fs::recursive_directory_iterator(argument)) {
        if (!entry.is_regular_file()) continue;
        Replay(entry.path(), max_len);
        ++count;
      }
    } else if (fs::exists(argument)) {
      Replay(argument, max_len);
      ++count;
    }
  }
  std::printf("replayed %zu inputs\n", count);
  return 0;
}
