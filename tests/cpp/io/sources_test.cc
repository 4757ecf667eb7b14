#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/source.h"

namespace pt2triage {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

// Everything that `source` gives, read `size` bytes at a time.
std::string ReadAll(Source& source, size_t size) {
  std::string out;
  std::string buffer(size, '\0');
  while (true) {
    const absl::StatusOr<size_t> n = source.Read(buffer.data(), size);
    if (!n.ok() || *n == 0) return out;
    out.append(buffer, 0, *n);
  }
}

TEST(SourceTest, MemoryIsReadToItsEnd) {
  const std::unique_ptr<Source> source = FromMemory("hello", "buffer");
  EXPECT_EQ(source->name(), "buffer");
  EXPECT_THAT(source->Size(), Optional(5u));
  EXPECT_EQ(ReadAll(*source, 2), "hello");
}

TEST(SourceTest, FilesAreReadToTheirEnd) {
  const std::string path = testing::TempDir() + "/sources_test.txt";
  std::ofstream(path) << "line\n";
  absl::StatusOr<std::unique_ptr<Source>> source = OpenFile(path);
  ASSERT_TRUE(source.ok());
  EXPECT_THAT((*source)->Size(), Optional(5u));
  EXPECT_EQ(ReadAll(**source, 3), "line\n");
  std::remove(path.c_str());
}

TEST(SourceTest, AMissingFileIsNamed) {
  const auto source = OpenFile("/no/such/file.log");
  EXPECT_TRUE(absl::IsNotFound(source.status()));
  EXPECT_THAT(std::string(source.status().message()),
              HasSubstr("/no/such/file.log"));
}

TEST(SourceTest, AFolderIsNoSource) {
  const auto source = OpenFile(testing::TempDir());
  EXPECT_FALSE(source.ok());
  EXPECT_THAT(std::string(source.status().message()),
              HasSubstr(testing::TempDir()));
}

TEST(SourceTest, DescriptorsStayTheCallers) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "ab", 2), 2);
  ::close(ends[1]);
  {
    const std::unique_ptr<Source> source = FromDescriptor(ends[0], "-");
    EXPECT_EQ(source->Size(), std::nullopt);
    EXPECT_EQ(ReadAll(*source, 16), "ab");
  }
  EXPECT_EQ(::close(ends[0]), 0);
}

TEST(SourceTest, CallbacksHandTheirErrorsOn) {
  const std::unique_ptr<Source> source = FromCallback(
      [](char*, size_t) { return absl::CancelledError("stop"); }, "stream");
  char buffer[4];
  EXPECT_TRUE(absl::IsCancelled(source->Read(buffer, 4).status()));
}

}  // namespace
}  // namespace pt2triage
