// What single trace records prove, as the events that a log would give.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/trace_metrics.h"
#include "pt2triage/event.h"
#include "record/json.h"
#include "record/trace_record.h"

namespace pt2triage {

// The members that every event of a record has.
Event EventFrom(const TraceRecord& record, EventKind kind, char level);
// The compiled function that ends the stack of a `dynamo_start`, from 2.6 on;
// before that the stack ends inside Dynamo. Null if there is none.
const StackFrame* CompiledFunction(const std::vector<StackFrame>& stack);

// `torch._dynamo.exc.Unsupported` of `Unsupported`, by the exception table.
std::string QualifiedType(std::string_view type);
// True for the classes from which torch.compile falls back to eager unless
// fullgraph is asked for. Whether it did, other records tell.
bool IsSoftFailure(std::string_view type);
// True for exceptions by which Dynamo steers itself; they are no failures.
bool IsControlFlow(std::string_view type);
// The exception that ended a compile, as far as its metrics describe it.
std::vector<ExceptionBlock> BlocksFromMetrics(const CompileMetrics& metrics);
// Dynamo raises what is not its own as an InternalTorchDynamoError, but records
// what it was before; this makes of `block` what was raised. Before 2.6 the
// type was lost on the way (`keeps_type` false).
void WrapForeign(bool keeps_type, ExceptionBlock* block);
// `id` without its restart count, which says which attempt at a compile a
// record is from.
CompileId WithoutAttempt(CompileId id);
bool SameCompile(const CompileId& a, const CompileId& b);
// Puts the frames that led into the compile before those of the last block.
void AddCallers(const std::vector<StackFrame>& callers,
                std::vector<ExceptionBlock>* blocks);

// Fills a graph break from the free text or message of an exception.
void FillBreak(std::string_view text, Event* event);
// The user's own exception, where a graph break says that the code it traced
// raises one that nothing in the compiled region catches. Its type is empty
// where the version does not print it.
std::optional<ExceptionBlock> ObservedException(const Event& graph_break);

}  // namespace pt2triage
