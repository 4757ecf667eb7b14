// What a trace says of the symbols of shapes.
#pragma once

#include <optional>

#include "pt2triage/trace.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// The row of a record about a symbol or a guard on one, or about a fake kernel
// that is missing or wrong, without its key and place; nullopt for others.
std::optional<SymbolRow> ReadSymbolRow(const TraceRecord& record,
                                       JsonParser* parser);

}  // namespace pt2triage
