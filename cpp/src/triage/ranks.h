// Sorted lists of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pt2triage {

inline constexpr size_t kMaxRanks = 100'000;  // of one finding

// Adds those of `from` that are new to `*into`; both are sorted. At most
// kMaxRanks stay, the lowest. O(from + into).
void AddRanks(const std::vector<int32_t>& from, std::vector<int32_t>* into);

}  // namespace pt2triage
