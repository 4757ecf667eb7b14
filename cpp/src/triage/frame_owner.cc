#include "triage/frame_owner.h"

#include <array>
#include <string>

#include "base/strings.h"

namespace pt2triage {
namespace {

// Packages and modules right under torch/, which tell the package from a
// folder that merely has its name.
constexpr std::array<std::string_view, 44> kTorchParts = {
    "_dynamo/",
    "_inductor/",
    "_functorch/",
    "fx/",
    "nn/",
    "export/",
    "_export/",
    "utils/",
    "autograd/",
    "_subclasses/",
    "_ops.py",
    "_higher_order_ops/",
    "_refs/",
    "_decomp/",
    "distributed/",
    "onnx/",
    "cuda/",
    "_library/",
    "_compile.py",
    "testing/",
    "_logging/",
    "_guards.py",
    "_utils_internal.py",
    "_tensor.py",
    "_meta_registrations.py",
    "optim/",
    "amp/",
    "_prims/",
    "_prims_common/",
    "_numpy/",
    "compiler/",
    "jit/",
    "multiprocessing/",
    "_lowrank.py",
    "functional.py",
    "_utils.py",
    "__init__.py",
    "sparse/",
    "ao/",
    "_C/",
    "overrides.py",
    "random.py",
    "_custom_op/",
    "library.py"};

bool StartsWithPart(std::string_view rest) {
  for (std::string_view part : kTorchParts) {
    if (rest.starts_with(part)) return true;
  }
  return false;
}

// Where `/lib/python3.11/` or `\Lib\` begins and ends.
bool InStdlib(std::string_view path) {
  if (path.starts_with("<frozen ")) return true;
  size_t lib = path.find("/lib/python");
  if (lib == std::string_view::npos) lib = path.find("/lib64/python");
  if (lib != std::string_view::npos) {
    std::string_view rest = path.substr(lib + 5);
    rest = rest.substr(rest.find('/') + 1);
    size_t slash = path.find('/', lib + 11);
    return slash != std::string_view::npos &&
           !path.substr(slash).starts_with("/site-packages/") &&
           !path.substr(slash).starts_with("/dist-packages/");
  }
  size_t windows = path.find("/Lib/");
  if (windows == std::string_view::npos) return false;
  std::string_view root = path.substr(0, windows);
  return Contains(root, "ython") || Contains(root, "conda") ||
         Contains(root, "/envs/");
}

// A folder whose name begins with `torchinductor_`; PyTorch's own tests are
// called test_torchinductor_opinfo.py and the like.
bool InCacheFolder(std::string_view path) {
  constexpr std::string_view kFolder = "torchinductor_";
  for (size_t at = path.find(kFolder); at != std::string_view::npos;
       at = path.find(kFolder, at + 1)) {
    const bool component = at == 0 || path[at - 1] == '/';
    if (component && Contains(path.substr(at), "/")) return true;
  }
  return false;
}

// /tmp/torchinductor_me/ab/cab....py, <eval_with_key>.9, <string>
bool IsGenerated(std::string_view path) {
  if (path.starts_with("<eval_with_key>") || path == "<string>" ||
      path.starts_with("<lambda") || path.starts_with("<@beartype") ||
      path.starts_with("<torch_package") || InCacheFolder(path)) {
    return true;
  }
  // A cache folder of another name: two letters, then c and a long hash.
  std::string_view name = BaseName(path);
  if (!name.ends_with(".py") || name.size() < 40 || name[0] != 'c') {
    return false;
  }
  for (char c : name.substr(0, name.size() - 3)) {
    if (!IsDigit(c) && !(c >= 'a' && c <= 'z')) return false;
  }
  return true;
}

bool IsLauncher(std::string_view path) {
  constexpr std::array<std::string_view, 5> kScripts = {
      "/bin/torchrun", "/bin/pytest", "/bin/accelerate", "/bin/deepspeed",
      "/bin/ray"};
  for (std::string_view script : kScripts) {
    if (path.ends_with(script)) return true;
  }
  return false;
}

}  // namespace

std::string_view TorchPath(std::string_view file) {
  static constexpr std::array<std::string_view, 2> kPackages = {
      "site-packages/torch/", "dist-packages/torch/"};
  for (std::string_view package : kPackages) {
    size_t at = file.rfind(package);
    if (at != std::string_view::npos) return file.substr(at + package.size());
  }
  for (size_t at = file.find("torch/"); at != std::string_view::npos;
       at = file.find("torch/", at + 1)) {
    bool component = at == 0 || file[at - 1] == '/';
    std::string_view rest = file.substr(at + 6);
    if (component && StartsWithPart(rest)) return rest;
  }
  return {};
}

FrameOwner OwnerOf(std::string_view file) {
  std::string slashes;
  if (file.find('\\') != std::string_view::npos) {
    slashes.assign(file);
    for (char& c : slashes) {
      if (c == '\\') c = '/';
    }
    file = slashes;
  }
  if (IsGenerated(file)) return FrameOwner::kGenerated;
  if (!TorchPath(file).empty()) return FrameOwner::kTorch;
  if (IsLauncher(file)) return FrameOwner::kLauncher;
  bool installed =
      Contains(file, "site-packages/") || Contains(file, "dist-packages/");
  if (installed) {
    return Contains(file, "-packages/triton/") ? FrameOwner::kTriton
                                               : FrameOwner::kPackage;
  }
  if (Contains(file, "/triton/python/triton/")) return FrameOwner::kTriton;
  if (InStdlib(file)) return FrameOwner::kStdlib;
  return FrameOwner::kUser;
}

}  // namespace pt2triage
