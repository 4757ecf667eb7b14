#include "scan/result_codec.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "pt2triage/report.h"
#include "pt2triage/scanner.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

constexpr std::string_view kLog =
    "Traceback (most recent call last):\n"
    "  File \"/a/main.py\", line 3, in f\n"
    "    g()\n"
    "torch._dynamo.exc.Unsupported: call_method x\n"
    "\xff\n"
    "[rank3]: V1129 15:49:13.556000 8426 torch/_dynamo/guards.py:5396] [0/1] "
    "[__recompiles] Recompiling function f in /tmp/rt/t.py:5\n"
    "[rank3]: V1129 15:49:13.556000 8426 torch/_dynamo/guards.py:5396] [0/1] "
    "[__recompiles]     triggered by the following guard failure(s):\n"
    "[rank3]: V1129 15:49:13.556000 8426 torch/_dynamo/guards.py:5396] [0/1] "
    "[__recompiles]     - 0/0: tensor 'x' size mismatch at index 0. expected "
    "2, actual 3\n";

std::shared_ptr<SourceResult> Scanned() {
  SourceScanner scanner("a.log", {});
  scanner.Feed(kLog);
  return scanner.Finish();
}

std::string ReportOn(std::shared_ptr<SourceResult> result) {
  std::vector<std::shared_ptr<SourceResult>> results;
  results.push_back(std::move(result));
  return ReportToJson(MakeReport(std::move(results)));
}

TEST(ResultCodecTest, ADecodedResultGivesTheSameReport) {
  const auto decoded = DecodeResult(EncodeResult(*Scanned()));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(ReportOn(*decoded), ReportOn(Scanned()));
}

TEST(ResultCodecTest, AFolderKeepsItsMembers) {
  const auto make = [] {
    std::vector<FolderMember> members(2);
    members[0].artifact.path = "run/log.txt";
    members[0].result = Scanned();
    members[1].artifact.path = "run/other";
    return MergeFolder("folder", std::move(members), 7);
  };
  const auto decoded = DecodeResult(EncodeResult(*make()));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(ReportOn(*decoded), ReportOn(make()));
}

TEST(ResultCodecTest, EveryOtherByteIsFound) {
  const std::string good = EncodeResult(*Scanned());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x41);
    EXPECT_FALSE(DecodeResult(bad).ok()) << i;
    EXPECT_FALSE(DecodeResult(std::string_view(good).substr(0, i)).ok()) << i;
  }
}

TEST(ResultCodecTest, AnotherVersionIsToldFromDamage) {
  std::string bytes = EncodeResult(*Scanned());
  bytes.replace(0, bytes.find('\n'), "pt2triage result 0.0.0");
  EXPECT_EQ(DecodeResult(bytes).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace pt2triage
