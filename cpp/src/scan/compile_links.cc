#include "scan/compile_links.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

// Records whose payload is one of the files as they are on disk.
constexpr std::array<std::string_view, 2> kPayloads = {"inductor_output_code",
                                                       "fx_graph_runnable"};
constexpr std::string_view kFolderNote = " debug trace: ";
constexpr size_t kMd5Length = 32;

// The compiles that something is proven to be of; more than one proves nothing.
class Proof {
 public:
  void Add(const CompileId& id) {
    clash_ |= id_ && *id_ != id;
    id_ = id;
  }
  void Add(const Proof& other) {
    if (other.id_) Add(*other.id_);
    clash_ |= other.clash_;
  }
  std::optional<CompileId> one() const { return clash_ ? std::nullopt : id_; }

 private:
  std::optional<CompileId> id_;
  bool clash_ = false;
};

using Proofs = FlatMap<std::string, Proof>;

// What the payloads prove of each graph folder. A file that several compiles
// wrote says nothing, but another one of its folder may.
Proofs ByContent(const Proofs& proofs,
                 const std::vector<FolderMember>& members) {
  Proofs result;
  for (const FolderMember& member : members) {
    if (member.md5.empty() || member.graph_folder.empty()) continue;
    const auto found = proofs.find(member.md5);
    if (found == proofs.end()) continue;
    if (const auto id = found->second.one()) {
      result[member.graph_folder].Add(*id);
    }
  }
  return result;
}

}  // namespace

void CompileLinks::OnTrace(const TraceRecord& record) {
  if (!record.compile_id || links_.size() >= kMax ||
      record.has_payload_md5.size() != kMd5Length) {
    return;
  }
  const std::string_view name =
      record.artifact_name.empty() ? record.name : record.artifact_name;
  if (std::find(kPayloads.begin(), kPayloads.end(), name) == kPayloads.end()) {
    return;
  }
  links_.push_back({record.has_payload_md5, *record.compile_id});
}

void CompileLinks::OnLog(const LogRecord& record) {
  if (!record.compile_id || record.level != 'W' || links_.size() >= kMax) {
    return;
  }
  std::string_view line = record.text;
  line = line.substr(0, line.find('\n'));
  const size_t note = line.find(kFolderNote);
  if (note == std::string_view::npos) return;
  const std::string_view folder =
      GraphFolderOf(Trim(line.substr(note + kFolderNote.size())));
  if (folder.empty()) return;
  links_.push_back({std::string(folder), *record.compile_id});
}

std::string_view GraphFolderOf(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const size_t graph = path.rfind('/');
  if (graph == std::string_view::npos || graph == 0) return {};
  const std::string_view above = path.substr(0, graph);
  constexpr std::string_view kInductor = "/torchinductor";
  if (!above.ends_with(kInductor)) return {};
  const std::string_view run = above.substr(0, above.size() - kInductor.size());
  const size_t slash = run.rfind('/');
  const size_t start = slash == std::string_view::npos ? 0 : slash + 1;
  return run.size() > start ? path.substr(start) : std::string_view();
}

void LinkArtifacts(const std::vector<CompileLink>& links,
                   const std::vector<FolderMember>& members,
                   std::vector<Artifact>* artifacts) {
  Proofs proofs;
  for (const CompileLink& link : links) proofs[link.key].Add(link.compile_id);
  const Proofs contents = ByContent(proofs, members);
  for (size_t i = 0; i < artifacts->size() && i < members.size(); ++i) {
    const std::string& folder = members[i].graph_folder;
    if (folder.empty()) continue;
    std::optional<CompileId> id;
    if (const auto named = proofs.find(folder); named != proofs.end()) {
      id = named->second.one();
    } else if (const auto equal = contents.find(folder);
               equal != contents.end()) {
      id = equal->second.one();
    }
    if (id) (*artifacts)[i].compile_id = id->ToString();
  }
}

}  // namespace pt2triage
