// Prefixes that could be a program's own text, so that it takes a telling line
// to know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "line/peelers.h"

namespace pt2triage {

// Knows the labels of srun (`3: `), the service names of compose (`name  | `)
// and the line numbers of `cat -n`: each once a line that begins with it goes
// on with the head of a traceback, a header of torch or a fatal signal. From
// then on exactly that prefix is peeled; of numbers the one that comes next.
// Such a first line is never dull (event/text_events.cc knows all that tells),
// so it does not depend on what of a source is skipped what is learnt. Keeps at
// most kMaxKnown prefixes. Not thread-safe. Cost: a look at the first
// characters.
class LearnedPrefixes {
 public:
  static constexpr size_t kMaxKnown = 4096;

  // What stands at the front of `text`, the rest of the physical line `line`.
  Peel Find(std::string_view text, uint64_t line);
  // True once anything is known.
  bool any() const { return !known_.empty() || numbered_; }

 private:
  Peel FindNumber(std::string_view text, uint64_t line);
  Peel FindLabel(std::string_view text, size_t length, int32_t rank);

  FlatSet<std::string> known_;
  bool numbered_ = false;
  uint64_t number_ = 0;  // of the last line that had one ...
  uint64_t line_ = 0;    // ... and of the physical line
};

// The columns of `gh run view --log`: `JOB<TAB>STEP<TAB>` before a line of
// GitHub's. They are known by the first line of a step, which has a time; from
// then on each line that begins with the same ones has them. Owns a copy.
class Columns {
 public:
  // The length of both at the front of `text`, 0 if they are not there.
  size_t Find(std::string_view text);
  std::string_view job() const;
  // Empty if GitHub does not know it.
  std::string_view step() const;
  bool any() const { return !known_.empty(); }

 private:
  std::string known_;
};

// True if a line in `text` may have such columns that are not known yet.
bool MayHoldColumns(std::string_view text);

// The texts that tell, for a test that none of them is dull.
bool IsTelling(std::string_view text);

}  // namespace pt2triage
