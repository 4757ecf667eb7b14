// A regular expression of a table. Most rows fit no text of a report, and
// compiling one takes longer than a thousand lines of a log: it is compiled
// when a text first holds the letters without which it cannot match.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "re2/re2.h"

namespace pt2triage {

// Texts of which one is in everything the pattern matches, as far as a plain
// look at it tells: the longest that it names. Empty where it tells none.
std::vector<std::string> RequiredTexts(std::string_view pattern);

// The pattern must outlive it. Thread-safe.
class LazyPattern {
 public:
  explicit LazyPattern(std::string_view pattern)
      : pattern_(pattern), texts_(RequiredTexts(pattern)) {}

  // False where the text cannot match.
  bool MayMatch(std::string_view text) const;
  const re2::RE2& operator*() const;

 private:
  std::string_view pattern_;
  std::vector<std::string> texts_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<re2::RE2> compiled_;
};

// A row of a table with its `pattern`.
template <typename Row>
struct PatternRow {
  explicit PatternRow(const Row& of) : row(&of), pattern(of.pattern) {}

  const Row* row;
  LazyPattern pattern;
};

// All rows of a table; made once and never freed.
template <typename Row>
const std::deque<PatternRow<Row>>* MakePatterns(std::span<const Row> rows) {
  return new std::deque<PatternRow<Row>>(rows.begin(), rows.end());
}

}  // namespace pt2triage
