#include "trace/cache_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxText = size_t{4} << 10;

// An artifact whose name is that of a cache, followed by the outcome, which is
// given where the name says it otherwise.
struct CacheName {
  std::string_view prefix;
  std::string_view cache;
  std::string_view outcome;
};

constexpr auto kCaches = std::to_array<CacheName>({
    {"fx_graph_cache_", "fx_graph", ""},
    {"fx_graph_bundled_cache_", "fx_graph_bundled", ""},
    {"aotautograd_cache_pickle_failure", "aotautograd", "bypass"},
    {"aotautograd_cache_", "aotautograd", ""},
    {"dynamo_cache_exception", "dynamo", "bypass"},
    {"dynamo_cache_bypass", "dynamo", "bypass"},
    {"precompile_cache_bypass", "precompile", "bypass"},
});

constexpr auto kOutcomes =
    std::to_array<std::string_view>({"hit", "miss", "bypass"});

size_t RankOf(std::string_view outcome) {
  return static_cast<size_t>(std::ranges::find(kOutcomes, outcome) -
                             kOutcomes.begin());
}

std::optional<int64_t> Microseconds(std::string_view nanoseconds) {
  const auto number = ToInt(nanoseconds.substr(0, nanoseconds.find('.')));
  return number ? std::optional(*number / 1000) : std::nullopt;
}

// `json` is the value of a field of the cache's information.
void PutField(std::string_view key, std::string_view json, CacheRow* row) {
  if (json == "null") return;
  if (key == "key") {
    row->hash = DecodeJsonString(json).substr(0, kMaxText);
  } else if (key == "time_saved_ns") {
    row->saved_us = Microseconds(json);
  } else if (key == "time_saved_ms") {  // AOTAutograd's
    if (const auto ms = ToInt(json.substr(0, json.find('.')))) {
      row->saved_us = *ms * 1000;
    }
  } else if (key == "time_taken_ns") {
    row->taken_us = Microseconds(json);
  } else if (key == "cache_bypass_reason" || key == "reason" ||
             (key == "exception" && row->reason.empty())) {
    row->reason = DecodeJsonString(json).substr(0, kMaxText);
  }
}

// Of a payload that is no whole JSON: too long, or cut. Each field has a line.
void ReadLines(std::string_view payload, CacheRow* row) {
  while (!payload.empty()) {
    std::string_view line = NextLine(&payload);
    if (!Consume(&line, "\"")) continue;
    const size_t quote = line.find("\": ");
    if (quote == line.npos) continue;
    std::string_view value = line.substr(quote + 3);
    if (value.ends_with(',')) value.remove_suffix(1);
    PutField(line.substr(0, quote), value, row);
  }
}

}  // namespace

std::optional<CacheRow> ReadCacheRow(const TraceRecord& record,
                                     JsonParser* parser) {
  std::string_view name = record.artifact_name;
  const auto* const known =
      std::ranges::find_if(kCaches, [name](const CacheName& cache) {
        return name.starts_with(cache.prefix);
      });
  if (known == kCaches.end()) return std::nullopt;
  CacheRow row;
  row.cache = known->cache;
  row.outcome = known->outcome;
  if (row.outcome.empty()) row.outcome = name.substr(known->prefix.size());
  if (std::ranges::find(kOutcomes, row.outcome) == kOutcomes.end()) {
    return std::nullopt;  // `fx_graph_cache_hash` is no lookup
  }
  PaddedText text;
  text.Assign(record.payload);
  const auto object = parser->ParseObject(text.view());
  const bool whole =
      object &&
      ForEachField(*object, [&row](std::string_view key, JsonValue value) {
        PutField(key, RawJson(value), &row);
      });
  if (!whole) ReadLines(record.payload, &row);
  return row;
}

void AddCache(const CacheRow& row, CompileRow* compile) {
  std::string& column =
      row.cache == "aotautograd" ? compile->aot_cache : compile->fx_cache;
  if (row.cache != "aotautograd" && !row.cache.starts_with("fx_graph")) return;
  if (column.empty() || RankOf(row.outcome) > RankOf(column)) {
    column = row.outcome;
  }
  if (row.outcome == "hit" && row.saved_us) {
    compile->cache_saved_us =
        compile->cache_saved_us.value_or(0) + *row.saved_us;
  }
}

}  // namespace pt2triage
