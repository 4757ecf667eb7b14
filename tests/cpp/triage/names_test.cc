#include <cstdint>
#include <string_view>

#include "gtest/gtest.h"
#include "pt2triage/finding.h"

namespace pt2triage {
namespace {

TEST(NamesTest, CategoriesComeBackFromTheirNames) {
  for (auto i = static_cast<uint8_t>(Category::kGraphBreak);
       i <= static_cast<uint8_t>(Category::kOther); ++i) {
    const auto category = static_cast<Category>(i);
    EXPECT_EQ(CategoryFromName(CategoryName(category)), category);
  }
}

TEST(NamesTest, UnknownWordsAreNoCategory) {
  EXPECT_EQ(CategoryFromName(""), Category::kNone);
  EXPECT_EQ(CategoryFromName("graph-break"), Category::kNone);
  EXPECT_EQ(CategoryFromName("Graph_break"), Category::kNone);
}

TEST(NamesTest, WordsOfTheContract) {
  EXPECT_EQ(CategoryName(Category::kBackendCompilerFailed),
            "backend_compiler_failed");
  EXPECT_EQ(CategoryName(Category::kNone), "");
  EXPECT_EQ(SeverityName(Severity::kWarning), "warning");
  EXPECT_EQ(SeverityName(Severity::kError), "error");
  EXPECT_EQ(PhaseName(Phase::kTrace), "trace");
  EXPECT_EQ(PhaseName(Phase::kRun), "run");
  EXPECT_EQ(PhaseName(Phase::kUnknown), "");
  EXPECT_EQ(CompileModeName(CompileMode::kExportNonStrict),
            "export_non_strict");
  EXPECT_EQ(CompileModeName(CompileMode::kAotInductor), "aot_inductor");
  EXPECT_EQ(SourceKindName(SourceKind::kTorchTrace), "torch_trace");
  EXPECT_EQ(SourceKindName(SourceKind::kBinary), "binary");
}

}  // namespace
}  // namespace pt2triage
