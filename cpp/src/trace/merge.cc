#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "pt2triage/trace.h"

namespace pt2triage {
namespace {

// Appends rows whose processes are counted from `shift`.
template <typename Row>
void Append(std::vector<Row>& rows, int64_t shift, std::vector<Row>* to) {
  for (Row& row : rows) row.process += shift;
  if (to->empty()) {
    *to = std::move(rows);
  } else {
    to->insert(to->end(), std::move_iterator(rows.begin()),
               std::move_iterator(rows.end()));
  }
  rows = {};
}

void Append(MetricStore& part, int64_t shift, MetricStore* to) {
  // Names are few; those of one torch are the same.
  const auto map_names = [](const std::vector<std::string>& names,
                            std::vector<std::string>* all) {
    std::vector<uint16_t> places;
    for (const std::string& name : names) {
      auto it = std::find(all->begin(), all->end(), name);
      const auto place = static_cast<uint16_t>(it - all->begin());
      if (it == all->end()) all->push_back(name);
      places.push_back(place);
    }
    return places;
  };
  const auto fields = map_names(part.fields, &to->fields);
  const auto records = map_names(part.records, &to->records);
  const auto first_key = static_cast<uint32_t>(to->keys.size());
  const auto first_byte = static_cast<uint32_t>(to->text.size());
  Append(part.keys, shift, &to->keys);
  for (MetricStore::Entry entry : part.entries) {
    entry.key += first_key;
    entry.offset += first_byte;
    entry.field = fields[entry.field];
    entry.record = records[entry.record];
    to->entries.push_back(entry);
  }
  to->text += part.text;
  part = {};
}

void AddKinds(const std::vector<KindRow>& rows, std::vector<KindRow>* to) {
  for (const KindRow& row : rows) {
    auto it = std::find_if(to->begin(), to->end(), [&](const KindRow& other) {
      return other.record == row.record && other.name == row.name;
    });
    if (it == to->end()) {
      to->push_back(row);
    } else {
      it->records += row.records;
      it->payload_bytes += row.payload_bytes;
    }
  }
}

}  // namespace

TraceTables MergeTraces(std::vector<std::shared_ptr<TraceTables>> parts) {
  TraceTables all;
  for (const std::shared_ptr<TraceTables>& part : parts) {
    const auto shift = static_cast<int64_t>(all.processes.size());
    Append(part->processes, shift, &all.processes);
    Append(part->compiles, shift, &all.compiles);
    Append(part->graph_breaks, shift, &all.graph_breaks);
    Append(part->recompiles, shift, &all.recompiles);
    Append(part->cache_events, shift, &all.cache_events);
    Append(part->metrics, shift, &all.metrics);
    Append(part->symbols, shift, &all.symbols);
    Append(part->collectives, shift, &all.collectives);
    Append(part->artifacts, shift, &all.artifacts);
    AddKinds(part->kinds, &all.kinds);
    all.omitted += part->omitted;
  }
  return all;
}

}  // namespace pt2triage
