// The `str` records of a trace: numbers that stand for file names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace pt2triage {

// The interned strings of one process. Owns them. Ids are only keys, so a huge
// id costs no more than a small one; beyond kMaxBytes nothing is added, and
// look-ups of what was left out fail like any unknown id. Not thread-safe.
// Cost: one hash look-up.
class InternTable {
 public:
  static constexpr size_t kMaxBytes = size_t{8} << 20;

  // False if the table is full. An id that comes again takes the new string.
  bool Add(int64_t id, std::string_view text);
  // The string, which lives until the next Add(); nullopt if unknown.
  std::optional<std::string_view> Find(int64_t id) const;
  bool empty() const { return strings_.empty(); }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kEntryBytes = 64;  // what an entry costs besides text

  FlatMap<int64_t, std::string> strings_;
  size_t bytes_ = 0;
};

}  // namespace pt2triage
