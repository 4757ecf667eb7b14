// Lets a test see which rows of the rule tables have ever fired. Only builds
// with tests define PT2TRIAGE_WATCH_RULES; elsewhere all of this is nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pt2triage {

#ifdef PT2TRIAGE_WATCH_RULES

struct WatchedRule {
  std::string table;
  std::string label;
  bool fired = false;
};

// All rows of all watched tables, in the order declared. Thread-safe.
std::vector<WatchedRule> WatchedRules();

// Forgets which rows have fired. Thread-safe.
void ForgetFired();

// Says that a row took part in an answer. `row` is its address in the table.
// Thread-safe.
void NoteRule(const void* row);

bool DeclareRule(std::string_view table, const void* row, std::string label);

template <typename Table, typename Label>
bool DeclareTable(std::string_view table, const Table& rows,
                  Label label) noexcept {
  for (const auto& row : rows)
    DeclareRule(table, &row, std::string(label(row)));
  return true;
}

// Watches a table at namespace scope; `label` is an expression of `row`. A test
// without memory for that ends.
#define PT2TRIAGE_WATCH_TABLE(table, label)        \
  struct LabelOf_##table {                         \
    template <typename Row>                        \
    std::string operator()(const Row& row) const { \
      return std::string(label);                   \
    }                                              \
  };                                               \
  [[maybe_unused]] const bool watched_##table =    \
      DeclareTable(__FILE__ " " #table, table, LabelOf_##table{})

#else

inline void NoteRule(const void*) {}
#define PT2TRIAGE_WATCH_TABLE(table, label) static_assert(true)

#endif

}  // namespace pt2triage
