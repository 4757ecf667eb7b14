#include "event/traceback_text.h"

#include "base/strings.h"

namespace pt2triage {

bool IsCarets(std::string_view s) {
  s = Trim(s);
  return !s.empty() && s.find_first_not_of("~^ ") == std::string_view::npos;
}

bool IsSection(std::string_view s) {
  s = TrimRight(s);
  if (s.size() < 5) return false;
  char c = s[0];
  if (c != '=' && c != '_' && c != '-') {
    return s.starts_with("##[") || s.starts_with("# ");
  }
  size_t run = s.find_first_not_of(c);
  if (run == std::string_view::npos) return s.size() >= 20;
  return run >= 3 && s[run] == ' ' && s.back() == c;
}

bool IsTellingMessage(std::string_view message) {
  for (std::string_view head :
       {"CUDA error: ", "Triton Error [", "HIP error: ", "expected size ",
        "Error: accessing tensor output of CUDAGraphs", "CUDA out of memory",
        "HIP out of memory", "Failed to export the model with torch.export"}) {
    if (message.starts_with(head)) return true;
  }
  return false;
}

}  // namespace pt2triage
