// Sources that misbehave, and files that change while they are read.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Outcome = absl::StatusOr<std::shared_ptr<SourceResult>>;

// What the source reads next is for `next` to say: how many bytes of the text
// come, or an error.
class ScriptedSource : public Source {
 public:
  using Next = std::function<absl::StatusOr<size_t>(size_t done, size_t size)>;

  ScriptedSource(std::string_view text, Next next)
      : Source("faulty.log"), text_(text), next_(std::move(next)) {}

  absl::StatusOr<size_t> Read(char* buffer, size_t size) override {
    const absl::StatusOr<size_t> wanted = next_(done_, size);
    if (!wanted.ok()) return wanted.status();
    const size_t n = std::min({*wanted, size, text_.size() - done_});
    std::copy_n(text_.data() + done_, n, buffer);
    done_ += n;
    return n;
  }

 private:
  std::string_view text_;
  Next next_;
  size_t done_ = 0;
};

std::string ReadData(const std::string& name) {
  std::ifstream file(PT2TRIAGE_TEST_DATA "/corpus/2.13.0/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

const std::string& Log() {
  static const std::string& log = *new std::string(ReadData("breaks/log.txt"));
  return log;
}

std::string JsonOf(Outcome outcome) {
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(*std::move(outcome));
  return ReportToJson(MakeReport(std::move(results)));
}

SourceInfo InfoOf(const Outcome& outcome) {
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  const SourceInfo& info = (*outcome)->info;
  EXPECT_EQ(info.bytes_parsed + info.bytes_plain + info.bytes_malformed,
            info.bytes);
  return info;
}

Outcome ScanScripted(std::string_view text, ScriptedSource::Next next) {
  ScriptedSource source(text, std::move(next));
  return ScanSource(source, {});
}

std::string Expected() {
  return JsonOf(ScanScripted(Log(), [](size_t, size_t size) { return size; }));
}

TEST(FaultsTest, ShortReadsChangeNothing) {
  const std::string expected = Expected();
  EXPECT_EQ(expected,
            JsonOf(ScanScripted(Log(), [](size_t, size_t) { return 1; })));
  std::mt19937 random(1);
  for (const size_t most : {2u, 17u, 300u, 5000u, 70000u}) {
    EXPECT_EQ(expected,
              JsonOf(ScanScripted(Log(), [&random, most](size_t, size_t) {
                return 1 + random() % most;
              })));
  }
}

TEST(FaultsTest, AnErrorAnywhereIsAStatusThatNamesTheSource) {
  for (size_t at = 0; at <= Log().size(); at += 1 + at / 3) {
    const Outcome outcome = ScanScripted(
        Log(), [at](size_t done, size_t) -> absl::StatusOr<size_t> {
          if (done >= at) return absl::UnavailableError("Input/output error");
          return std::min<size_t>(at - done, 1000);
        });
    ASSERT_FALSE(outcome.ok()) << at;
    EXPECT_TRUE(absl::IsUnavailable(outcome.status()));
    EXPECT_EQ(outcome.status().message(), "faulty.log: Input/output error");
  }
}

TEST(FaultsTest, AnErrorThatNamesTheSourceNamesItOnce) {
  const Outcome outcome =
      ScanScripted(Log(), [](size_t, size_t) -> absl::StatusOr<size_t> {
        return absl::PermissionDeniedError("faulty.log: Permission denied");
      });
  EXPECT_EQ(outcome.status().message(), "faulty.log: Permission denied");
}

TEST(FaultsTest, AnExceptionOutOfASourceGoesThrough) {
  struct Stop {};
  EXPECT_THROW(
      {
        (void)ScanScripted(Log(), [](size_t, size_t) -> absl::StatusOr<size_t> {
          throw Stop();
        });
      },
      Stop);
}

// --- real descriptors -------------------------------------------------------

class Pipe {
 public:
  explicit Pipe(int flags = 0) { EXPECT_EQ(::pipe2(ends_, flags), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    CloseWriter();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  void Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(ends_[1], text.data(), text.size());
      if (n > 0) {
        text.remove_prefix(static_cast<size_t>(n));
      } else {
        ASSERT_TRUE(errno == EAGAIN || errno == EINTR);
        std::this_thread::yield();
      }
    }
  }
  void CloseWriter() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

 private:
  int ends_[2] = {-1, -1};
};

void Nap() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

TEST(FaultsTest, SignalsDoNotEndARead) {
  struct sigaction quiet{};
  quiet.sa_handler = [](int) {};  // and no SA_RESTART: read() gives EINTR
  struct sigaction before{};
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  Pipe pipe;
  Outcome outcome = absl::UnknownError("not run");
  std::thread reader([&] {
    const auto source = FromDescriptor(pipe.reader(), "pipe.log");
    outcome = ScanSource(*source, {});
  });
  const size_t half = Log().size() / 2;
  for (int i = 0; i < 20; ++i) {
    if (i == 10) pipe.Write(std::string_view(Log()).substr(0, half));
    ::pthread_kill(reader.native_handle(), SIGUSR1);
    Nap();
  }
  pipe.Write(std::string_view(Log()).substr(half));
  pipe.CloseWriter();
  reader.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(InfoOf(outcome).bytes, Log().size());
}

TEST(FaultsTest, APipeThatDoesNotBlockIsWaitedFor) {
  Pipe pipe(O_NONBLOCK);
  Outcome outcome = absl::UnknownError("not run");
  std::thread reader([&] {
    const auto source = FromDescriptor(pipe.reader(), "pipe.log");
    outcome = ScanSource(*source, {});
  });
  for (std::string_view rest = Log(); !rest.empty();) {
    pipe.Write(rest.substr(0, 3000));
    rest.remove_prefix(std::min<size_t>(rest.size(), 3000));
    Nap();
  }
  pipe.CloseWriter();
  reader.join();
  EXPECT_EQ(InfoOf(outcome).bytes, Log().size());
}

TEST(FaultsTest, ErrorsOfTheSystemNameTheFile) {
  const Outcome closed = [] {
    const auto source = FromDescriptor(-1, "gone.log");
    return ScanSource(*source, {});
  }();
  EXPECT_EQ(closed.status().message(), "gone.log: Bad file descriptor");
  const int folder = ::open("/", O_RDONLY | O_CLOEXEC);
  const Outcome is_folder = [folder] {
    const auto source = FromDescriptor(folder, "folder");
    return ScanSource(*source, {});
  }();
  ::close(folder);
  EXPECT_THAT(std::string(is_folder.status().message()),
              StartsWith("folder: Is a directory"));
  auto memory = OpenFile("/proc/self/mem");  // address 0 cannot be read
  if (!memory.ok()) GTEST_SKIP() << "needs Linux";
  EXPECT_EQ(ScanSource(**memory, {}).status().message(),
            "/proc/self/mem: Input/output error");
}

// --- files that change ------------------------------------------------------

class ChangingFileTest : public testing::Test {
 protected:
  static constexpr size_t kChunk = 1000;

  void SetUp() override { Write(path_, Log()); }
  void TearDown() override { std::remove(path_.c_str()); }

  static void Write(const std::string& path, std::string_view text,
                    std::ios::openmode mode = std::ios::trunc) {
    std::ofstream file(path, std::ios::binary | mode);
    file << text;
    ASSERT_TRUE(file.good());
  }

  // Scans the file; after its first chunk `change` happens.
  Outcome Scan(std::function<void()> change) {
    absl::StatusOr<std::unique_ptr<Source>> source = OpenFile(path_);
    EXPECT_TRUE(source.ok());
    ScanOptions options;
    options.chunk_size = kChunk;
    options.progress = [&change](uint64_t) {
      if (change) std::exchange(change, nullptr)();
      return true;
    };
    return ScanSource(**source, options);
  }

  const std::string path_ = testing::TempDir() + "/changing_file_test.log";
};

TEST_F(ChangingFileTest, WhatIsAppendedIsRead) {
  const Outcome outcome = Scan([this] { Write(path_, Log(), std::ios::app); });
  EXPECT_EQ(InfoOf(outcome).bytes, 2 * Log().size());
  EXPECT_EQ(InfoOf(outcome).malformed, 0u);
}

TEST_F(ChangingFileTest, WhatIsCutOffIsSaid) {
  const Outcome outcome =
      Scan([this] { ASSERT_EQ(::truncate(path_.c_str(), kChunk + 10), 0); });
  const SourceInfo info = InfoOf(outcome);
  EXPECT_EQ(info.bytes, kChunk + 10);
  ASSERT_EQ(info.malformed, 1u);
  const Diagnostic& place = (*outcome)->diagnostics.at(0);
  EXPECT_EQ(place.kind, "shrunk");
  EXPECT_EQ(place.at.offset, kChunk + 10);
  EXPECT_EQ(place.at.length, 0u);
  EXPECT_THAT(place.message, HasSubstr(std::to_string(Log().size())));
}

TEST_F(ChangingFileTest, AFileThatIsWrittenAnewAndGrowsBackHoldsNuls) {
  const Outcome outcome = Scan([this] {
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(Log().size())), 0);
  });
  const SourceInfo info = InfoOf(outcome);
  EXPECT_EQ(info.bytes, Log().size());
  EXPECT_EQ((*outcome)->diagnostics.at(0).kind, "nul-bytes");
}

TEST_F(ChangingFileTest, ADeletedFileIsReadToItsEnd) {
  const Outcome outcome = Scan([this] { std::remove(path_.c_str()); });
  EXPECT_EQ(InfoOf(outcome).bytes, Log().size());
  EXPECT_EQ(InfoOf(outcome).malformed, 0u);
}

TEST_F(ChangingFileTest, AReplacedFileIsReadAsItWas) {
  const std::string other = path_ + ".new";
  Write(other, "nothing here\n");
  const Outcome outcome =
      Scan([&] { ASSERT_EQ(std::rename(other.c_str(), path_.c_str()), 0); });
  EXPECT_EQ(InfoOf(outcome).bytes, Log().size());
  EXPECT_EQ(InfoOf(outcome).malformed, 0u);
}

}  // namespace
}  // namespace pt2triage
