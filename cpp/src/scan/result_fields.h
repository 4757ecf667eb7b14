// The fields of what a source gave, in order. The bindings of names fail to
// compile when a struct gets a field that is not in its list.
#pragma once

#include <concepts>
#include <type_traits>

#include "pt2triage/compile_id.h"
#include "pt2triage/event.h"
#include "pt2triage/evidence.h"
#include "pt2triage/finding.h"
#include "pt2triage/origin.h"
#include "scan/source_result.h"

namespace pt2triage {

// `value` is a T or a const T.
template <typename Value, typename T>
concept Either = std::same_as<std::remove_const_t<Value>, T>;

// The last value of each enum, to refuse numbers that are none.
constexpr EventKind LastValueOf(EventKind) { return EventKind::kNotice; }
constexpr LinkKind LastValueOf(LinkKind) { return LinkKind::kContext; }
constexpr SourceKind LastValueOf(SourceKind) { return SourceKind::kBinary; }

// Each calls `visit` with all fields of `value`.
void VisitFields(Either<Evidence> auto& value, auto& visit) {
  auto& [source, line, offset, length, member] = value;
  visit(source, line, offset, length, member);
}

void VisitFields(Either<StackFrame> auto& value, auto& visit) {
  auto& [file, line, function, code] = value;
  visit(file, line, function, code);
}

void VisitFields(Either<CompileId> auto& value, auto& visit) {
  auto& [autograd, frame, compile, attempt] = value;
  visit(autograd, frame, compile, attempt);
}

void VisitFields(Either<Origin> auto& value, auto& visit) {
  auto& [job, step, attempt] = value;
  visit(job, step, attempt);
}

void VisitFields(Either<GuardText> auto& value, auto& visit) {
  auto& [compile_id, text] = value;
  visit(compile_id, text);
}

void VisitFields(Either<ExceptionBlock> auto& value, auto& visit) {
  auto& [link, type, message, frames, user_frames, suffixes] = value;
  visit(link, type, message, frames, user_frames, suffixes);
}

void VisitFields(Either<Event> auto& value, auto& visit) {
  auto& [kind, repeats, repeat_ranks, evidence, compile_id, rank, process,
         stream, time, origin, from_trace, logged, duplicate, level, message,
         reason, explanation, hints, graph_break_id, context, name, text,
         test_id, backend, user_frame, frames, blocks, guards] = value;
  visit(kind, repeats, repeat_ranks, evidence, compile_id, rank, process,
        stream, time, origin, from_trace, logged, duplicate, level, message,
        reason, explanation, hints, graph_break_id, context, name, text,
        test_id, backend, user_frame, frames, blocks, guards);
}

void VisitFields(Either<Artifact> auto& value, auto& visit) {
  auto& [path, kind, graph, compile_id, bytes, command] = value;
  visit(path, kind, graph, compile_id, bytes, command);
}

void VisitFields(Either<SourceInfo> auto& value, auto& visit) {
  auto& [name, kind, bytes, lines, log_records, trace_records, malformed,
         unrecognised, bytes_parsed, bytes_plain, bytes_malformed,
         torch_version, ranks, artifacts, omitted_artifacts] = value;
  visit(name, kind, bytes, lines, log_records, trace_records, malformed,
        unrecognised, bytes_parsed, bytes_plain, bytes_malformed, torch_version,
        ranks, artifacts, omitted_artifacts);
}

void VisitFields(Either<Diagnostic> auto& value, auto& visit) {
  auto& [at, kind, message] = value;
  visit(at, kind, message);
}

void VisitFields(Either<CompileLink> auto& value, auto& visit) {
  auto& [key, compile_id] = value;
  visit(key, compile_id);
}

void VisitFields(Either<FolderMember> auto& value, auto& visit) {
  auto& [artifact, graph_folder, md5, result] = value;
  visit(artifact, graph_folder, md5, result);
}

void VisitFields(Either<SourceResult> auto& value, auto& visit) {
  auto& [info, events, dropped, diagnostics, links, unread, members, tables] =
      value;
  visit(info, events, dropped, diagnostics, links, unread, members);
}

}  // namespace pt2triage
