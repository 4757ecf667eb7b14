// The names of PyTorch's trace records and artifacts, and what we read of each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pt2triage {

// One known name. Immutable, in static storage; `name` is empty for names that
// PyTorch computes (`{function}_ORIGINAL_BYTECODE`). A name without a row is
// unknown: such a record is read, kept and counted like any other.
struct TraceKind {
  std::string_view name;
  uint8_t flags;

  static constexpr uint8_t kIsArtifact = 1;        // its own name is a field
  static constexpr uint8_t kInterns = 2;           // fills the intern table
  static constexpr uint8_t kKeepPayload = 4;       // events read the payload
  static constexpr uint8_t kReadMetadata = 8;      // events read the metadata
  static constexpr uint8_t kStackInMetadata = 16;  // resolve metadata.stack
  static constexpr uint8_t kStackOfRecord = 32;    // resolve the record's stack
  // Where tables are wanted:
  static constexpr uint8_t kTabulatePayload = 64;  // they read the payload
  static constexpr uint8_t kUserStack = 128;  // resolve metadata.user_stack

  bool Has(uint8_t flag) const { return (flags & flag) != 0; }
};

// Looks a name up; nullptr if unknown. Cost: a binary search.
const TraceKind* FindRecordKind(std::string_view name);
const TraceKind* FindArtifactKind(std::string_view name);

// The tables, for tests and documentation.
std::span<const TraceKind> AllRecordKinds();
std::span<const TraceKind> AllArtifactKinds();

}  // namespace pt2triage
