// The types of the columns of a table, and their form in the Arrow C Data
// Interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/arrow_abi.h"

namespace pt2triage {

enum class ArrowKind : uint8_t {
  kUtf8,
  kWord,  // UTF-8 of few different values, as an index into `words`
  kBool,
  kInt32,
  kInt64,
  kFloat64,
  kList,    // of its one child
  kStruct,  // of its children
};

// One column, or a table: a struct that is never null.
struct ArrowType {
  explicit ArrowType(ArrowKind of_kind = ArrowKind::kStruct) : kind(of_kind) {}

  ArrowKind kind;
  std::string name;
  bool nullable = false;
  std::vector<ArrowType> children;
  std::vector<std::string> words;  // of kWord, in UTF-8, each once
};

using ArrowMetadata = std::vector<std::pair<std::string_view, std::string>>;

// Describes `type` in `out`, which owns what it points to. Throws nothing but
// std::bad_alloc, and then leaves `out` as it is.
void ExportSchema(const ArrowType& type, const ArrowMetadata& metadata,
                  ArrowSchema* out);

}  // namespace pt2triage
