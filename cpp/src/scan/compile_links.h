// What a log or trace says about which compile a file of a debug folder is of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pt2triage/compile_id.h"
#include "pt2triage/finding.h"
#include "pt2triage/scanner.h"
#include "record/log_record.h"
#include "record/trace_record.h"

namespace pt2triage {

// `key` names a file or folder of one compile: the MD5 of a payload, or the end
// of a graph folder's path.
struct CompileLink {
  std::string key;
  CompileId compile_id;
};

// Collects the links of one source, the first kMax. Not thread-safe. Cost: two
// string compares for a trace record, one search of a warning's first line.
class CompileLinks {
 public:
  static constexpr size_t kMax = 10000;

  void OnTrace(const TraceRecord& record);
  void OnLog(const LogRecord& record);
  std::vector<CompileLink> Take() { return std::move(links_); }

 private:
  std::vector<CompileLink> links_;
};

// The last three parts of a path, `run_X-pid_1/torchinductor/GRAPH`; empty if
// they are not of this shape.
std::string_view GraphFolderOf(std::string_view path);

// Sets the compile id of each artifact whose graph has proof of exactly one:
// a record that names the graph's folder, else payloads equal to its files.
// `members` are those of `artifacts`, in their order.
void LinkArtifacts(const std::vector<CompileLink>& links,
                   const std::vector<FolderMember>& members,
                   std::vector<Artifact>* artifacts);

}  // namespace pt2triage
