#include "record/intern_table.h"

namespace pt2triage {

bool InternTable::Add(int64_t id, std::string_view text) {
  const auto it = strings_.find(id);
  const size_t old = it == strings_.end() ? 0 : it->second.size() + kEntryBytes;
  const size_t bytes = bytes_ - old + text.size() + kEntryBytes;
  if (bytes > kMaxBytes) return false;
  bytes_ = bytes;
  if (it == strings_.end()) {
    strings_.emplace(id, text);
  } else {
    it->second = text;
  }
  return true;
}

std::optional<std::string_view> InternTable::Find(int64_t id) const {
  const auto it = strings_.find(id);
  if (it == strings_.end()) return std::nullopt;
  return std::string_view(it->second);
}

}  // namespace pt2triage
