#include "pt2triage/compile_id.h"

#include "base/strings.h"

namespace pt2triage {
namespace {

bool ConsumeNumber(std::string_view* text, int32_t* out) {
  std::optional<int32_t> value = ToInt<int32_t>(ConsumeDigits(text));
  if (!value) return false;
  *out = *value;
  return true;
}

}  // namespace

std::string CompileId::ToString() const {
  std::string out;
  if (compiled_autograd >= 0) {
    out += '!';
    out += std::to_string(compiled_autograd);
    if (frame >= 0) out += '/';
  }
  if (frame >= 0) {
    out += std::to_string(frame);
    out += '/';
    out += std::to_string(compile);
  }
  if (attempt > 0) {
    out += '_';
    out += std::to_string(attempt);
  }
  return out;
}

std::optional<CompileId> CompileId::Parse(std::string_view text) {
  CompileId id;
  if (Consume(&text, "!")) {
    if (!ConsumeNumber(&text, &id.compiled_autograd)) return std::nullopt;
    if (text.empty()) return id;
    if (!Consume(&text, "/")) return std::nullopt;
  }
  if (!ConsumeNumber(&text, &id.frame)) return std::nullopt;
  if (!Consume(&text, "/")) return std::nullopt;
  if (!ConsumeNumber(&text, &id.compile)) return std::nullopt;
  if (Consume(&text, "_") && !ConsumeNumber(&text, &id.attempt)) {
    return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return id;
}

}  // namespace pt2triage
