// What a trace says of compile caches.
#pragma once

#include <optional>

#include "pt2triage/trace.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// The row of a record about a cache, without its key and place; nullopt for
// other records.
std::optional<CacheRow> ReadCacheRow(const TraceRecord& record,
                                     JsonParser* parser);

// Sums the lookups of one compile up: a bypass outdoes a miss, a miss a hit.
void AddCache(const CacheRow& row, CompileRow* compile);

}  // namespace pt2triage
