// Reading JSON that may be damaged, on top of simdjson On-Demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "simdjson.h"

namespace pt2triage {

using JsonValue = simdjson::ondemand::value;
using JsonObject = simdjson::ondemand::object;

// Bytes that must be readable behind every text given to JsonParser.
inline constexpr size_t kJsonPadding = simdjson::SIMDJSON_PADDING;

// Parses one text at a time, without a copy. Values and the strings behind
// them live until the next call; the text must outlive them and be followed by
// kJsonPadding readable bytes. Memory grows to about seven times the largest
// text; Shrink() gives it back. Not thread-safe.
class JsonParser {
 public:
  // The object in `text`; nullopt if it is no whole object. Text after it and
  // mistakes inside it can go unseen until they are reached.
  std::optional<JsonObject> ParseObject(std::string_view text);
  // Calls fn(value) for each element of the array in `text`. False if it is no
  // array or broke off; the elements before that were visited.
  template <class Fn>
  bool ForEachElement(std::string_view text, Fn&& fn);
  // Frees the buffers if they have grown beyond those of a usual text.
  void Shrink();

 private:
  bool Iterate(std::string_view text);

  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
};

// Text with the padding that JsonParser asks for. Keeps its buffer when it is
// assigned anew.
class PaddedText {
 public:
  void Assign(std::string_view text);
  std::string_view view() const { return {buffer_.data(), size_}; }
  void Shrink();

 private:
  std::string buffer_;
  size_t size_ = 0;
};

// Calls fn(key, value) for each field in order. False if the object broke off;
// the fields before that were visited. A value that fn leaves alone is skipped.
template <class Fn>
bool ForEachField(JsonObject object, Fn&& fn);
// The same for each element of an array.
template <class Fn>
bool ForEachElement(simdjson::ondemand::array array, Fn&& fn);

// Scalars of the wrong type, and numbers out of range, are nullopt. Strings may
// hold lone surrogates, which become U+FFFD.
std::optional<std::string> ReadString(JsonValue value);
std::optional<int64_t> ReadInt(JsonValue value);
std::optional<bool> ReadBool(JsonValue value);
// The text of a value as it stands in the source, scalars included.
std::string_view RawJson(JsonValue value);

// What the token `"..."` (with or without its last quote) means. Never fails:
// what cannot be decoded becomes U+FFFD.
std::string DecodeJsonString(std::string_view token);

// The most of `text` that a JSON reader can take: strings and brackets that
// are open at the end are closed, text after the first value is cut off,
// control characters and bytes that are not UTF-8 become U+FFFD.
std::string RepairJson(std::string_view text);

// ---- implementation ----

template <class Fn>
bool ForEachField(JsonObject object, Fn&& fn) {
  for (auto item : object) {
    simdjson::ondemand::field field;
    if (std::move(item).get(field) != simdjson::SUCCESS) return false;
    const char* key = field.key().raw();
    const char* end = key;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    fn(std::string_view(key, static_cast<size_t>(end - key)), field.value());
  }
  return true;
}

template <class Fn>
bool ForEachElement(simdjson::ondemand::array array, Fn&& fn) {
  for (auto item : array) {
    JsonValue value;
    if (std::move(item).get(value) != simdjson::SUCCESS) return false;
    fn(value);
  }
  return true;
}

template <class Fn>
bool JsonParser::ForEachElement(std::string_view text, Fn&& fn) {
  simdjson::ondemand::array array;
  if (!Iterate(text) || document_.get_array().get(array)) return false;
  return pt2triage::ForEachElement(array, std::forward<Fn>(fn));
}

}  // namespace pt2triage
