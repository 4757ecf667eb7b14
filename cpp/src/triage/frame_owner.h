// Whose code a stack frame is.
#pragma once

#include <cstdint>
#include <string_view>

#include "pt2triage/evidence.h"

namespace pt2triage {

enum class FrameOwner : uint8_t {
  kUser,
  kPackage,  // installed, neither torch nor triton
  kTorch,
  kTriton,
  kStdlib,
  kGenerated,  // Inductor's output, FX's code, launchers made at run time
  kLauncher,   // torchrun, pytest's and Jupyter's own start-up
};

// Judges by the path; torch may be a wheel or a source checkout, whose tests
// and benchmarks are the user's. Pure; O(path).
FrameOwner OwnerOf(std::string_view file);

// The path below the package (`_dynamo/exc.py` of `/x/torch/_dynamo/exc.py`)
// with forward slashes; empty if it is not torch's.
std::string_view TorchPath(std::string_view file);

}  // namespace pt2triage
