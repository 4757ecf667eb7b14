#include "scan/compile_links.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kFolder = "run_1-pid_2/torchinductor/model__0.0";
constexpr std::string_view kMd5 = "0123456789abcdef0123456789abcdef";

LogRecord Note(std::string_view path, std::string_view compile_id) {
  LogRecord record;
  record.level = 'W';
  record.compile_id = CompileId::Parse(compile_id);
  record.text = "model__0 debug trace: " + std::string(path);
  return record;
}

TraceRecord Payload(std::string_view name, std::string_view compile_id) {
  TraceRecord record;
  record.name = name;
  record.compile_id = CompileId::Parse(compile_id);
  record.has_payload_md5 = kMd5;
  return record;
}

CompileLink Link(std::string_view key, std::string_view compile_id) {
  return {std::string(key), *CompileId::Parse(compile_id)};
}

// The compile id that a file of kFolder with the checksum kMd5 gets.
std::optional<std::string> LinkedTo(const std::vector<CompileLink>& links) {
  std::vector<FolderMember> members(1);
  members[0].graph_folder = kFolder;
  members[0].md5 = kMd5;
  std::vector<Artifact> artifacts(1);
  LinkArtifacts(links, members, &artifacts);
  return artifacts[0].compile_id;
}

TEST(GraphFolderOfTest, TakesTheLastThreeParts) {
  EXPECT_EQ(GraphFolderOf("/a/b/run_1-pid_2/torchinductor/model__0.0"),
            kFolder);
  EXPECT_EQ(GraphFolderOf("/a/run_1-pid_2/torchinductor/model__0.0/"), kFolder);
  EXPECT_EQ(GraphFolderOf(kFolder), kFolder);
}

TEST(GraphFolderOfTest, AnythingElseIsNone) {
  for (std::string_view path :
       {"", "/", "x", "/x", "torchinductor/g", "/torchinductor/g",
        "/run_1-pid_2/torchdynamo/g", "run_1/xtorchinductor/g"}) {
    EXPECT_THAT(GraphFolderOf(path), IsEmpty()) << path;
  }
}

TEST(CompileLinksTest, ARecordThatNamesAFolder) {
  CompileLinks links;
  links.OnLog(Note("/x/" + std::string(kFolder) + "\nmore", "0/1_2"));
  const std::vector<CompileLink> taken = links.Take();
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].key, kFolder);
  EXPECT_EQ(taken[0].compile_id.ToString(), "0/1_2");
}

TEST(CompileLinksTest, OtherRecordsAreNone) {
  CompileLinks links;
  links.OnLog(Note("None", "0/1"));
  links.OnLog(Note(kFolder, "not an id"));
  LogRecord low = Note(kFolder, "0/1");
  low.level = 'V';
  links.OnLog(low);
  EXPECT_THAT(links.Take(), IsEmpty());
}

TEST(CompileLinksTest, PayloadsThatAreFiles) {
  CompileLinks links;
  links.OnTrace(Payload("inductor_output_code", "0/0"));
  TraceRecord artifact = Payload("artifact", "0/0");
  artifact.artifact_name = "fx_graph_runnable";
  links.OnTrace(artifact);
  links.OnTrace(Payload("dynamo_output_graph", "0/0"));
  links.OnTrace(Payload("inductor_output_code", ""));
  TraceRecord odd = Payload("inductor_output_code", "0/0");
  odd.has_payload_md5 = "none";
  links.OnTrace(odd);
  EXPECT_THAT(links.Take(), SizeIs(2));
}

TEST(CompileLinksTest, TheirNumberIsBounded) {
  CompileLinks links;
  for (size_t i = 0; i < CompileLinks::kMax + 10; ++i) {
    links.OnTrace(Payload("inductor_output_code", "0/0"));
    links.OnLog(Note(kFolder, "0/0"));
  }
  EXPECT_THAT(links.Take(), SizeIs(CompileLinks::kMax));
}

TEST(LinkArtifactsTest, ByContentOrByName) {
  EXPECT_EQ(LinkedTo({Link(kMd5, "0/0")}), "0/0");
  EXPECT_EQ(LinkedTo({Link(kFolder, "0/0_1")}), "0/0_1");
  EXPECT_EQ(LinkedTo({Link(kMd5, "0/0"), Link(kMd5, "0/0")}), "0/0");
}

TEST(LinkArtifactsTest, ANameIsSurerThanContent) {
  EXPECT_EQ(LinkedTo({Link(kMd5, "0/0"), Link(kFolder, "1/0")}), "1/0");
}

TEST(LinkArtifactsTest, NoProofOrTwoIsNull) {
  EXPECT_EQ(LinkedTo({}), std::nullopt);
  EXPECT_EQ(LinkedTo({Link("other", "0/0")}), std::nullopt);
  EXPECT_EQ(LinkedTo({Link(kMd5, "0/0"), Link(kMd5, "1/0")}), std::nullopt);
  EXPECT_EQ(
      LinkedTo({Link(kFolder, "0/0"), Link(kFolder, "1/0"), Link(kMd5, "0/0")}),
      std::nullopt);
}

TEST(LinkArtifactsTest, AProofHoldsForAllFilesOfItsFolder) {
  std::vector<FolderMember> members(3);
  members[0].graph_folder = members[1].graph_folder = kFolder;
  members[1].md5 = kMd5;
  std::vector<Artifact> artifacts(3);
  LinkArtifacts({Link(kMd5, "0/0")}, members, &artifacts);
  EXPECT_EQ(artifacts[0].compile_id, "0/0");
  EXPECT_EQ(artifacts[1].compile_id, "0/0");
  EXPECT_EQ(artifacts[2].compile_id, std::nullopt);
}

}  // namespace
}  // namespace pt2triage
