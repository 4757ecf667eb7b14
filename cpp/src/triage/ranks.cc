#include "triage/ranks.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pt2triage {

void AddRanks(const std::vector<int32_t>& from, std::vector<int32_t>* into) {
  if (std::includes(into->begin(), into->end(), from.begin(), from.end())) {
    return;
  }
  std::vector<int32_t> all;
  all.reserve(from.size() + into->size());
  std::set_union(from.begin(), from.end(), into->begin(), into->end(),
                 std::back_inserter(all));
  if (all.size() > kMaxRanks) all.resize(kMaxRanks);
  *into = std::move(all);
}

}  // namespace pt2triage
