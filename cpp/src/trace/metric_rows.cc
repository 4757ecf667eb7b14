#include "trace/metric_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/strings.h"
#include "pt2triage/compile_id.h"

namespace pt2triage {
namespace {

constexpr size_t kLong = 48;
constexpr size_t kMaxValue = size_t{64} << 10;
constexpr size_t kMaxNames = 1024;
constexpr size_t kMaxName = 256;

}  // namespace

MetricRow MetricStore::Row(size_t index) const {
  const Entry& entry = entries[index];
  MetricRow row;
  static_cast<TraceKey&>(row) = keys[entry.key];
  row.record = records[entry.record];
  row.field = fields[entry.field];
  row.value = text.substr(entry.offset, entry.size);
  double number = 0;
  const char* end = row.value.data() + row.value.size();
  const auto [stop, error] = std::from_chars(row.value.data(), end, number);
  if (error == std::errc() && stop == end) row.number = number;
  return row;
}

uint16_t MetricRows::NameOf(std::string_view name,
                            std::vector<std::string>* names) {
  name = name.substr(0, kMaxName);
  const auto place = std::ranges::find(*names, name) - names->begin();
  if (static_cast<size_t>(place) == names->size()) names->emplace_back(name);
  return static_cast<uint16_t>(place);
}

uint32_t MetricRows::Keep(std::string_view text) {
  const auto at = static_cast<uint32_t>(store_.text.size());
  if (text.size() >= kLong) {
    const auto [it, is_new] = long_texts_.try_emplace(std::string(text), at);
    if (!is_new) return it->second;
  }
  store_.text.append(text);
  return at;
}

MetricsSeen MetricRows::Read(const TraceRecord& record, const TraceKey& key,
                             JsonParser* parser) {
  MetricsSeen seen;
  const auto object = parser->ParseObject(record.metadata_json);
  if (!object) return seen;
  const size_t before = store_.text.size() + store_.entries.size() * 16;
  store_.keys.push_back(key);
  const uint16_t name = NameOf(record.name, &store_.records);
  size_t next = 0;  // fields mostly come in the same order
  ForEachField(*object, [&](std::string_view field, JsonValue value) {
    const std::string_view json = RawJson(value);
    if (json.empty() || json == "null" || json.size() > kMaxValue) return;
    if (store_.text.size() + json.size() > kMaxText) return;
    if (next < store_.fields.size() && store_.fields[next] == field) {
      // as expected
    } else {
      next = NameOf(field, &store_.fields);
      if (store_.fields.size() > kMaxNames) return;
    }
    const uint32_t at = Keep(json);
    store_.entries.push_back({static_cast<uint32_t>(store_.keys.size() - 1), at,
                              static_cast<uint32_t>(json.size()),
                              static_cast<uint16_t>(next), name});
    ++next;
    if (field == "compile_id") {
      if (const auto id = CompileId::Parse(DecodeJsonString(json))) {
        seen.compile_id = id->ToString();
      }
    } else if (field == "pytorch_version") {
      seen.torch_version = DecodeJsonString(json);
    }
  });
  if (key.compile_id.empty()) store_.keys.back().compile_id = seen.compile_id;
  seen.bytes = store_.text.size() + store_.entries.size() * 16 - before;
  return seen;
}

MetricStore MetricRows::Take() {
  long_texts_.clear();
  return std::exchange(store_, {});
}

}  // namespace pt2triage
