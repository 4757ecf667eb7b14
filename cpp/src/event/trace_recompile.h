// Recompiles and their limits, as traces record them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "event/trace_metrics.h"
#include "pt2triage/event.h"
#include "record/json.h"

namespace pt2triage {

// The reasons of a `recompile_reasons` artifact: a JSON list, or the bare text
// of the only reason (2.13).
std::vector<std::string> ReadRecompileReasons(std::string_view payload,
                                              JsonParser* parser);
// Fills a recompile of `function` from the record that TORCH_LOGS=recompiles
// would print. An unknown function leaves user_frame empty.
void FillRecompile(const StackFrame& function,
                   const std::vector<std::string>& reasons, Event* event);

// True if the compile was given up because a limit was reached.
bool IsLimit(const CompileMetrics& metrics);
// True if that is always raised, not fallen back from.
bool IsHardLimit(const CompileMetrics& metrics);
// The settings of limits in the configuration that metrics have dumped, for
// FillLimit(); empty if there are none.
std::string FindLimitSettings(std::string_view metadata_json);
void FillLimit(const CompileMetrics& metrics, std::string_view settings,
               const StackFrame& function, std::string_view last_reason,
               Event* event);

}  // namespace pt2triage
