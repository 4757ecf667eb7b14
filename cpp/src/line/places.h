// Which job and step of a CI run a line belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pt2triage {

struct Line;

// Reads the lines that begin a step: GitHub's ##[group]Run, GitLab's sections,
// Jenkins's stages, Buildkite's groups, and the columns of `gh run view --log`.
// Keeps where job and step change, the first kMaxPlaces times, each name cut at
// kMaxName bytes. Not thread-safe. Cost: a look at a line's first character.
class Places {
 public:
  static constexpr size_t kMaxPlaces = 4096;
  static constexpr size_t kMaxName = 256;

  struct Place {
    uint64_t offset = 0;  // of the first line
    std::string job;
    std::string step;
    bool named = false;  // the step's name is the CI's own
  };

  void OnLine(const Line& line);
  // Of the line at `offset`; null if nothing is known.
  const Place* At(uint64_t offset) const;

  // True if OnLine() reads something of a line that begins like this, unless
  // it holds control characters, as all of GitLab's and Buildkite's do.
  static bool IsMark(std::string_view text);

 private:
  void Set(const Line& line, std::string_view step);

  std::vector<Place> places_;
  std::vector<std::string> sections_;  // GitLab's that are open
};

}  // namespace pt2triage
