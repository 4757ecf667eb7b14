#include "event/trace_recompile.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "event/recompile.h"

namespace pt2triage {
namespace {

constexpr std::array<std::string_view, 4> kLimits = {
    "CacheLimitExceeded", "FailOnCacheLimitHit", "FailOnRecompileLimitHit",
    "RecompileLimitExceeded"};

constexpr std::array<std::string_view, 4> kLimitSettings = {
    "accumulated_cache_size_limit", "accumulated_recompile_limit",
    "cache_size_limit", "recompile_limit"};

// The setting that `text` names, as a word of its own.
std::string_view LimitSetting(std::string_view text) {
  for (std::string_view setting : kLimitSettings) {
    for (size_t at = text.find(setting); at != text.npos;
         at = text.find(setting, at + 1)) {
      const size_t end = at + setting.size();
      if ((at == 0 || !IsWord(text[at - 1])) &&
          (end == text.size() || !IsWord(text[end]))) {
        return setting;
      }
    }
  }
  return {};
}

// The number of `(currently set to 8)`.
std::string_view StatedLimit(std::string_view text) {
  constexpr std::string_view kWords = "currently set to ";
  const size_t at = text.find(kWords);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + kWords.size());
  return ConsumeDigits(&rest);
}

// The limit per function whose value is the number of the compile that was
// refused; the text of FailOnRecompileLimitHit names none.
std::string_view ReachedSetting(std::string_view settings, const Event& event) {
  for (std::string_view setting : {"cache_size_limit", "recompile_limit"}) {
    const std::optional<int64_t> value = FindConfigInt(settings, setting);
    if (value && event.compile_id && event.compile_id->compile == *value) {
      return setting;
    }
  }
  return {};
}

std::string PlaceOf(const StackFrame& frame) {
  return frame.file + ":" + std::to_string(frame.line);
}

}  // namespace

std::vector<std::string> ReadRecompileReasons(std::string_view payload,
                                              JsonParser* parser) {
  std::vector<std::string> reasons;
  if (!payload.starts_with('[')) {
    if (!Trim(payload).empty()) reasons.emplace_back(payload);
    return reasons;
  }
  PaddedText text;
  auto read = [&](std::string_view json) {
    reasons.clear();
    text.Assign(json);
    return parser->ForEachElement(text.view(), [&reasons](JsonValue value) {
      if (auto reason = ReadString(value)) {
        reasons.push_back(*std::move(reason));
      }
    });
  };
  if (!read(payload)) read(RepairJson(payload));
  return reasons;
}

void FillRecompile(const StackFrame& function,
                   const std::vector<std::string>& reasons, Event* event) {
  std::string text = "Recompiling function " + function.function + " in " +
                     PlaceOf(function) +
                     "\n    triggered by the following guard failure(s):";
  for (const std::string& reason : reasons) {
    std::string_view rest = reason;
    while (!rest.empty()) {
      text += "\n    - ";
      text += NextLine(&rest);
    }
  }
  ParseRecompileRecord(text, event);
  if (function.function.empty()) {
    event->user_frame.reset();
    event->message = "Recompiling a function";
  }
}

bool IsLimit(const CompileMetrics& metrics) {
  return std::find(kLimits.begin(), kLimits.end(),
                   AfterLast(metrics.fail_type, '.')) != kLimits.end() ||
         metrics.fail_reason.starts_with("Dynamo recompile limit exceeded");
}

bool IsHardLimit(const CompileMetrics& metrics) {
  return IsLimit(metrics) &&
         AfterLast(metrics.fail_type, '.').starts_with("FailOn");
}

std::string FindLimitSettings(std::string_view metadata_json) {
  std::string found;
  for (std::string_view setting : kLimitSettings) {
    if (const auto value = FindConfigInt(metadata_json, setting)) {
      // Spelt as in the dump, so that FindConfigInt() can be asked again.
      found += "\\\"" + std::string(setting) + "\\\": ";
      found += std::to_string(*value) + "\n";
    }
  }
  return found;
}

void FillLimit(const CompileMetrics& metrics, std::string_view settings,
               const StackFrame& function, std::string_view last_reason,
               Event* event) {
  std::string_view setting = LimitSetting(metrics.fail_reason);
  if (setting.empty()) setting = LimitSetting(metrics.traceback);
  if (setting.empty()) setting = ReachedSetting(settings, *event);
  std::string value(StatedLimit(metrics.fail_reason));
  if (value.empty() && !setting.empty()) {
    if (const auto number = FindConfigInt(settings, setting)) {
      value = std::to_string(*number);
    }
  }
  std::string text;
  if (!setting.empty()) {
    text = "torch._dynamo hit config." + std::string(setting);
    if (!value.empty()) text += " (" + value + ")";
    text += '\n';
  }
  text += "   function: '" + function.function + "' (" + PlaceOf(function) +
          ")\n   last reason: ";
  text += last_reason.substr(0, last_reason.find('\n'));
  ParseLimitRecord(text, event);
  if (setting.empty()) event->message = "torch._dynamo hit a recompile limit";
  if (function.function.empty()) event->user_frame.reset();
  if (last_reason.empty()) event->guards.clear();
}

}  // namespace pt2triage
