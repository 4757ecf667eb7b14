// What torch and Python print after an exception's own text, and what shows
// that its text goes on after an empty line.
#pragma once

#include <array>
#include <string_view>

#include "pt2triage/event.h"

namespace pt2triage {

inline constexpr std::string_view kTracebackHead =
    "Traceback (most recent call last)";
inline constexpr std::string_view kCauseSeparator =
    "The above exception was the direct cause of the following exception:";
inline constexpr std::string_view kContextSeparator =
    "During handling of the above exception, another exception occurred:";

struct MessageTail {
  std::string_view head;
  uint8_t suffix;  // ExceptionBlock::k..., 0 if it proves nothing
};

// augment_exc_message in torch/_dynamo/exc.py and torch.export's advice.
inline constexpr std::array<MessageTail, 11> kMessageTails = {{
    {"Set TORCH_LOGS=", 0},
    {"Set TORCHDYNAMO_VERBOSE=1", 0},
    {"Set torch._dynamo.config.verbose=True", 0},
    {"You can suppress this exception and fall back to eager",
     ExceptionBlock::kSuppressAdvice},
    {"    import torch._dynamo", 0},
    {"    torch._dynamo.config.suppress_errors = True",
     ExceptionBlock::kSuppressAdvice},
    {"The error above occurred when calling torch.export.export",
     ExceptionBlock::kDraftExportAdvice},
    {"Minifier script written to ", 0},
    {"Last frame execution written to ", 0},
    {"PyTorch). For even more developer context", 0},
    {"reporting a bug to PyTorch). For even more developer context", 0},
}};

// First words of paragraphs that belong to the message above them.
inline constexpr std::array<std::string_view, 16> kMessageContinues = {
    "Caused by:",
    "For more information",
    "For C++ stack trace",
    "For more details",
    "Potential framework code culprit",
    "User Stack (most recent call last):",
    "User stack:",
    "Framework stack:",
    "Suggested fixes:",
    "Command:",
    "Output:",
    "Found from :",
    "CUDA kernel errors might be",
    "Developer debug context:",
    "ATTENTION:",
    "consider using data-dependent",
};

// Messages that end so go on with the traceback of another process.
inline constexpr std::array<std::string_view, 2> kEmbeddingEnds = {
    "exited with error code 10 and exception:",  // MultiProcessTestCase
    "An exception occurred in a subprocess:",
};

}  // namespace pt2triage
