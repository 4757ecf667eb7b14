// The types of graph breaks that PyTorch registers, and what causes them.
#pragma once

#include <span>
#include <string_view>

namespace pt2triage {

// `type` is the first line of a graph-break message from 2.8 on.
struct GraphBreakType {
  std::string_view type;
  std::string_view cause;
};

std::span<const GraphBreakType> GraphBreakTypes();

// Null for a text that is no registered type. O(log n).
const GraphBreakType* FindGraphBreakType(std::string_view type);

}  // namespace pt2triage
