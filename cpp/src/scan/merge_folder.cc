// Makes one source of the files of a debug folder.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pt2triage/scanner.h"
#include "scan/source_result.h"

namespace pt2triage {
namespace {

void AddTo(const SourceInfo& member, SourceInfo* info) {
  info->bytes += member.bytes;
  info->lines += member.lines;
  info->log_records += member.log_records;
  info->trace_records += member.trace_records;
  info->malformed += member.malformed;
  info->unrecognised += member.unrecognised;
  info->bytes_parsed += member.bytes_parsed;
  info->bytes_plain += member.bytes_plain;
  info->bytes_malformed += member.bytes_malformed;
  if (!info->torch_version) info->torch_version = member.torch_version;
  info->ranks.insert(info->ranks.end(), member.ranks.begin(),
                     member.ranks.end());
}

// A log and a trace are told apart by content; a file without any stays what
// its name says.
void Describe(const SourceInfo& info, Artifact* artifact) {
  if (info.kind == SourceKind::kTorchTrace) artifact->kind = "trace";
  if (info.kind == SourceKind::kTorchLogs || info.kind == SourceKind::kText) {
    artifact->kind = "log";
  }
}

}  // namespace

std::shared_ptr<SourceResult> MergeFolder(std::string name,
                                          std::vector<FolderMember> members,
                                          uint64_t omitted) {
  auto merged = std::make_shared<SourceResult>();
  SourceInfo& info = merged->info;
  info.name = std::move(name);
  info.kind = SourceKind::kDebugFolder;
  info.omitted_artifacts = omitted;
  for (FolderMember& member : members) {
    if (member.result != nullptr) {
      AddTo(member.result->info, &info);
      Describe(member.result->info, &member.artifact);
    }
    info.artifacts.push_back(std::move(member.artifact));
  }
  std::sort(info.ranks.begin(), info.ranks.end());
  info.ranks.erase(std::unique(info.ranks.begin(), info.ranks.end()),
                   info.ranks.end());
  merged->members = std::move(members);
  return merged;
}

}  // namespace pt2triage
