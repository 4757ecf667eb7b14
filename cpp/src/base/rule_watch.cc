#include "base/rule_watch.h"

#ifdef PT2TRIAGE_WATCH_RULES

#include <mutex>
#include <unordered_set>

namespace pt2triage {
namespace {

struct Declared {
  std::string table;
  std::string label;
  const void* row;
};

// Made at first use: tables are declared before main().
struct Watch {
  std::mutex mutex;
  std::vector<Declared> declared;
  std::unordered_set<const void*> fired;
};

Watch& TheWatch() {
  static Watch& watch = *new Watch;
  return watch;
}

}  // namespace

std::vector<WatchedRule> WatchedRules() {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  std::vector<WatchedRule> rules;
  rules.reserve(watch.declared.size());
  for (const Declared& rule : watch.declared) {
    rules.push_back({rule.table, rule.label, watch.fired.contains(rule.row)});
  }
  return rules;
}

void NoteRule(const void* row) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  watch.fired.insert(row);
}

void ForgetFired() {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  watch.fired.clear();
}

bool DeclareRule(std::string_view table, const void* row, std::string label) {
  Watch& watch = TheWatch();
  const std::lock_guard lock(watch.mutex);
  watch.declared.push_back({std::string(table), std::move(label), row});
  return true;
}

}  // namespace pt2triage

#endif
