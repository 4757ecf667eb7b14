#include "record/envelope.h"

#include <limits>

#include "base/strings.h"

namespace pt2triage {
namespace {

std::optional<int32_t> ReadInt32(JsonValue value) {
  const std::optional<int64_t> number = ReadInt(value);
  if (!number || *number < 0 || *number > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(*number);
}

TraceFrame ReadFrame(JsonValue value) {
  TraceFrame out;
  JsonObject object;
  if (value.get_object().get(object)) return out;
  ForEachField(object, [&out](std::string_view key, JsonValue field) {
    if (key == "line") {
      out.frame.line = ReadInt(field).value_or(0);
    } else if (key == "name") {
      out.frame.function = ReadString(field).value_or("");
    } else if (key == "loc") {
      out.frame.code = ReadString(field).value_or("");
    } else if (key == "filename") {
      if (auto text = ReadString(field)) {
        out.frame.file = *std::move(text);
      } else {
        out.file_id = ReadInt(field);
      }
    }
  });
  return out;
}

void Reset(Envelope* envelope) {
  PaddedText text = std::move(envelope->text);
  *envelope = Envelope();
  envelope->text = std::move(text);
}

// Half an id is none, and an attempt alone says nothing.
void DropPartialId(std::optional<CompileId>* id) {
  if (!*id) return;
  const bool frame = (*id)->frame >= 0;
  const bool compile = (*id)->compile >= 0;
  if (frame != compile || (!frame && (*id)->compiled_autograd < 0)) id->reset();
}

// Which mistake made a copy necessary.
ParseIssue IssueOf(std::string_view text, std::string_view repaired) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return ParseIssue::kInvalidUtf8;
  }
  const bool cut = repaired.size() > text.size() && repaired.starts_with(text);
  return cut ? ParseIssue::kTruncatedRecord : ParseIssue::kBadEnvelope;
}

}  // namespace

std::optional<TracePrefix> ParseTracePrefix(std::string_view line) {
  if (line.size() < 32 || line[0] != 'V' || !IsDigit(line[1])) {
    return std::nullopt;
  }
  const std::optional<LogHeader> header = FindLogHeader(line);
  return header ? ParseTracePrefix(line, *header) : std::nullopt;
}

std::optional<TracePrefix> ParseTracePrefix(std::string_view line,
                                            const LogHeader& header) {
  if (line.size() < 32 || header.level != 'V' || header.start != 0 ||
      header.process.empty() || header.compile_id || !header.artifact.empty() ||
      !header.body.starts_with("{\"")) {
    return std::nullopt;
  }
  TracePrefix prefix;
  prefix.time = header.time;
  prefix.process = header.process;
  // The path and its line stand together in the line.
  prefix.location =
      line.substr(static_cast<size_t>(header.path.data() - line.data()),
                  header.path.size() + 1 + header.path_line.size());
  prefix.json = header.body;
  return prefix;
}

bool EnvelopeParser::Parse(std::string_view json, Envelope* envelope) {
  Reset(envelope);
  envelope->text.Assign(json);
  if (ReadFields(envelope)) return true;
  const std::string repaired = RepairJson(json);
  Reset(envelope);
  envelope->text.Assign(repaired);
  ReadFields(envelope);
  envelope->issue = IssueOf(json, repaired);
  return envelope->named;
}

// False if the object broke off.
bool EnvelopeParser::ReadFields(Envelope* envelope) {
  stack_json_ = {};
  std::optional<JsonObject> object = parser_.ParseObject(envelope->text.view());
  if (!object) return false;
  const bool whole =
      ForEachField(*object, [&](std::string_view key, JsonValue value) {
        ReadContext(key, value, envelope);
      });
  if (!envelope->named) return false;
  DropPartialId(&envelope->compile_id);
  envelope->kind = FindRecordKind(envelope->name);
  ReadMetadata(envelope);
  return whole;
}

void EnvelopeParser::ReadContext(std::string_view key, JsonValue value,
                                 Envelope* envelope) {
  auto id = [envelope]() -> CompileId& {
    if (!envelope->compile_id) envelope->compile_id.emplace();
    return *envelope->compile_id;
  };
  const bool first = !envelope->named;
  bool spent = false;  // a container can be walked only once
  auto set_int = [&](auto&& member) {
    if (spent) return;
    if (const auto number = ReadInt32(value)) member() = *number;
  };
  if (first) {
    envelope->named = true;
    envelope->name = DecodeJsonString(key);
    envelope->metadata = RawJson(value);
    spent = envelope->metadata.empty() || envelope->metadata[0] == '{' ||
            envelope->metadata[0] == '[';
  }
  bool context = true;
  if (key == "frame_id") {
    set_int([&]() -> int32_t& { return id().frame; });
  } else if (key == "frame_compile_id") {
    set_int([&]() -> int32_t& { return id().compile; });
  } else if (key == "compiled_autograd_id") {
    set_int([&]() -> int32_t& { return id().compiled_autograd; });
  } else if (key == "attempt") {
    set_int([&]() -> int32_t& { return id().attempt; });
  } else if (key == "rank") {
    set_int([&]() -> int32_t& { return envelope->rank; });
  } else if (key == "has_payload") {
    envelope->announces_payload = true;
    if (!spent) envelope->has_payload = ReadString(value).value_or("");
  } else if (key == "stack") {
    stack_json_ = spent ? envelope->metadata : RawJson(value);
  } else if (key != "subgraph_name") {
    context = false;
    envelope->unknown_keys += first ? 0 : 1;
  }
  envelope->has_context |= context;
}

// Reads what the kind of the record asks for. Starts new documents, so the
// values of the envelope are gone.
void EnvelopeParser::ReadMetadata(Envelope* envelope) {
  const TraceKind* record_kind = envelope->kind;
  if (record_kind == nullptr) return;
  auto for_each_field = [&](auto&& fn) {
    if (auto object = parser_.ParseObject(envelope->metadata)) {
      ForEachField(*object, fn);
    }
  };
  if (record_kind->Has(TraceKind::kIsArtifact)) {
    for_each_field([&](std::string_view key, JsonValue value) {
      if (key == "name")
        envelope->artifact_name = ReadString(value).value_or("");
    });
    envelope->kind = FindArtifactKind(envelope->artifact_name);
  } else if (record_kind->Has(TraceKind::kInterns)) {
    parser_.ForEachElement(envelope->metadata, [&](JsonValue value) {
      if (auto text = ReadString(value)) {
        envelope->interned_text = *std::move(text);
      } else {
        envelope->interned_id = ReadInt(value);
      }
    });
  } else if (record_kind->Has(TraceKind::kStackInMetadata)) {
    for_each_field([&](std::string_view key, JsonValue value) {
      if (key == "stack") stack_json_ = RawJson(value);
    });
  } else if (for_tables_ && record_kind->Has(TraceKind::kUserStack)) {
    stack_json_ = {};
    for_each_field([&](std::string_view key, JsonValue value) {
      if (key == "user_stack") stack_json_ = RawJson(value);
    });
  }
  const TraceKind* kind = envelope->kind;
  const uint8_t stacks = TraceKind::kStackInMetadata |
                         TraceKind::kStackOfRecord |
                         (for_tables_ ? TraceKind::kUserStack : uint8_t{0});
  if (kind != nullptr && kind->Has(stacks) && !stack_json_.empty()) {
    parser_.ForEachElement(stack_json_, [&](JsonValue value) {
      envelope->stack.push_back(ReadFrame(value));
    });
  }
}

}  // namespace pt2triage
