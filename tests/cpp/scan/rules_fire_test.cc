// Every row of every rule table must fire on a case: a rule that no log needs
// is a guess.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/rule_watch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pt2triage/scanner.h"

namespace pt2triage {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> CaseFolders() {
  std::vector<fs::path> folders;
  const fs::path tests = fs::path(PT2TRIAGE_TEST_DATA).parent_path();
  for (const char* part : {"data", "synthetic"}) {
    for (const auto& entry : fs::recursive_directory_iterator(tests / part)) {
      if (entry.path().filename() == "expect.json") {
        folders.push_back(entry.path().parent_path());
      }
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::shared_ptr<SourceResult> Scan(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  SourceScanner scanner(path.string(), {});
  scanner.Feed(bytes);
  return scanner.Finish();
}

// The log alone, and the log with its traces, as users give them.
void ScanCase(const fs::path& folder) {
  MakeReport({Scan(folder / "log.txt")});
  if (!fs::exists(folder / "trace")) return;
  std::vector<std::shared_ptr<SourceResult>> all = {Scan(folder / "log.txt")};
  for (const auto& entry : fs::directory_iterator(folder / "trace")) {
    all.push_back(Scan(entry.path()));
  }
  MakeReport(std::move(all));
}

TEST(RulesFireTest, EachOnACase) {
  const std::vector<fs::path> folders = CaseFolders();
  ASSERT_GT(folders.size(), 200u);
  ForgetFired();  // what other tests made fire is no proof
  for (const fs::path& folder : folders) ScanCase(folder);
  const std::vector<WatchedRule> rules = WatchedRules();
  EXPECT_GT(rules.size(), 400u);
  for (const WatchedRule& rule : rules) {
    EXPECT_TRUE(rule.fired)
        << fs::path(rule.table).filename().string() << ": " << rule.label;
  }
}

}  // namespace
}  // namespace pt2triage
