#include "line/places.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "line/decorations.h"

namespace pt2triage {
namespace {

// Reads lines and says where the last one is.
class Reader {
 public:
  const Places::Place* Read(std::string_view text) {
    const Line line = cleaner_.Clean({text, 1, offset_, text.size() + 1});
    places_.OnLine(line);
    offset_ += text.size() + 1;
    return places_.At(offset_ - 1);
  }
  std::string Step(std::string_view text) {
    const Places::Place* place = Read(text);
    return place == nullptr ? "-" : place->step;
  }

 private:
  LineCleaner cleaner_;
  Places places_;
  uint64_t offset_ = 0;
};

TEST(PlacesTest, GithubsCommands) {
  Reader reader;
  EXPECT_EQ(reader.Step("hello"), "-");
  EXPECT_EQ(reader.Step("##[group]Runner Image"), "-");
  EXPECT_EQ(reader.Step("2025-04-17T06:19:22.0392577Z ##[group]Run pytest -x"),
            "Run pytest -x");
  EXPECT_EQ(reader.Step("##[endgroup]"), "Run pytest -x");
  EXPECT_EQ(reader.Step("##[group]Run ls"), "Run ls");
}

TEST(PlacesTest, GitlabsSections) {
  Reader reader;
  EXPECT_EQ(reader.Step("section_start:1720000000:prepare[collapsed=true]\r"),
            "prepare");
  EXPECT_EQ(reader.Step("section_start:1720000000:inner"), "inner");
  EXPECT_EQ(reader.Step("section_end:1720000000:inner"), "prepare");
  EXPECT_EQ(reader.Step("section_end:1720000000:other"), "prepare");
  EXPECT_EQ(reader.Step("section_end:1720000000:prepare"), "");
  EXPECT_EQ(reader.Step("section_start:x:y"), "");
}

TEST(PlacesTest, JenkinssStagesAndBuildkitesGroups) {
  Reader reader;
  EXPECT_EQ(reader.Step("[Pipeline] { (Test (3.11))"), "Test (3.11)");
  EXPECT_EQ(reader.Step("--- no stamp"), "Test (3.11)");
  EXPECT_EQ(reader.Step("\x1b_bk;t=1764429738001\x07--- :python: Tests"),
            ":python: Tests");
  EXPECT_EQ(reader.Step("\x1b_bk;t=1764429738001\x07--- a/file.py"),
            ":python: Tests");
}

TEST(PlacesTest, ColumnsNameJobAndStep) {
  Reader reader;
  const std::string stamp = "2025-04-17T06:19:22.0392577Z ";
  const Places::Place* place = reader.Read("job\tRun tests\t" + stamp + "x");
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->job, "job");
  EXPECT_EQ(place->step, "Run tests");
  EXPECT_TRUE(place->named);
  place = reader.Read("job\tUNKNOWN STEP\t" + stamp + "##[group]Run pytest");
  EXPECT_EQ(place->job, "job");
  EXPECT_EQ(place->step, "Run pytest");
  EXPECT_FALSE(place->named);
  place = reader.Read("job 2\tUNKNOWN STEP\t" + stamp + "x");
  EXPECT_EQ(place->job, "job 2");
  EXPECT_EQ(place->step, "");
}

TEST(PlacesTest, AreBounded) {
  Reader reader;
  for (size_t i = 0; i < 2 * Places::kMaxPlaces; ++i) {
    reader.Read("##[group]Run " + std::to_string(i));
  }
  EXPECT_EQ(reader.Step("x"), "Run " + std::to_string(Places::kMaxPlaces - 1));
}

}  // namespace
}  // namespace pt2triage
