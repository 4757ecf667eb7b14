#include "event/trace_metrics.h"

#include <charconv>

#include "base/strings.h"

namespace pt2triage {
namespace {

std::string ReadText(JsonValue value) {
  std::string text = ReadString(value).value_or("");
  if (text.size() > CompileMetrics::kMaxText) {
    text.resize(CompileMetrics::kMaxText);
  }
  return text;
}

std::vector<std::string> ReadTexts(JsonValue value) {
  std::vector<std::string> texts;
  simdjson::ondemand::array array;
  if (value.get_array().get(array)) return texts;
  ForEachElement(array, [&texts](JsonValue element) {
    texts.push_back(ReadText(element));
  });
  return texts;
}

// Up to 2.5 the class is printed as `<class 'torch._dynamo.exc.Unsupported'>`.
std::string PlainType(std::string type) {
  std::string_view text = type;
  if (!Consume(&text, "<class '")) return type;
  return std::string(text.substr(0, text.find('\'')));
}

void ReadFailure(std::string_view key, JsonValue value,
                 CompileMetrics* metrics) {
  if (key == "fail_type") {
    metrics->fail_type = PlainType(ReadText(value));
  } else if (key == "fail_reason") {
    metrics->fail_reason = ReadText(value);
  } else if (key == "fail_user_frame_filename") {
    metrics->fail_frame.file = ReadText(value);
  } else if (key == "fail_user_frame_lineno") {
    metrics->fail_frame.line = ReadInt(value).value_or(0);
  }
}

void ReadField(std::string_view key, JsonValue value, CompileMetrics* metrics) {
  if (key.starts_with("fail_")) {
    ReadFailure(key, value, metrics);
  } else if (key == "co_name") {
    metrics->function.function = ReadText(value);
  } else if (key == "co_filename") {
    metrics->function.file = ReadText(value);
  } else if (key == "co_firstlineno") {
    metrics->function.line = ReadInt(value).value_or(0);
  } else if (key == "compile_id") {
    metrics->compile_id = CompileId::Parse(ReadText(value));
  } else if (key == "cache_size") {
    metrics->cache_size = ReadInt(value).value_or(0);
  } else if (key == "restart_reasons") {
    metrics->restart_reasons = ReadTexts(value);
  } else if (key == "exception_stack_trace") {
    for (const std::string& text : ReadTexts(value)) metrics->traceback += text;
  } else if (key == "recompile_reason") {
    metrics->recompile_reason = ReadText(value);
  } else if (key == "config_suppress_errors") {
    metrics->suppress_errors = ReadBool(value).value_or(false);
  }
}

}  // namespace

CompileMetrics ReadCompileMetrics(std::string_view metadata_json,
                                  JsonParser* parser) {
  CompileMetrics metrics;
  if (auto object = parser->ParseObject(metadata_json)) {
    ForEachField(*object, [&metrics](std::string_view key, JsonValue value) {
      ReadField(key, value, &metrics);
    });
  }
  return metrics;
}

std::optional<int64_t> FindConfigInt(std::string_view metadata_json,
                                     std::string_view setting) {
  // The dump is JSON in a JSON string, so its quotes are escaped.
  const std::string key = "\\\"" + std::string(setting) + "\\\": ";
  const size_t at = metadata_json.find(key);
  if (at == metadata_json.npos) return std::nullopt;
  std::string_view rest = metadata_json.substr(at + key.size());
  return ToInt(ConsumeDigits(&rest));
}

}  // namespace pt2triage
