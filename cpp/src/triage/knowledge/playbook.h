// PyTorch's way to diagnose each category, as data: what to run, which sources
// to read, what usually causes it, what fixes it. One table, playbook.cc; tests
// check each name in it against a real PyTorch.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pt2triage/finding.h"

namespace pt2triage {

// One environment variable. `since` is the first of the PyTorch versions that
// we read (2.2, 2.4, 2.6, 2.8, 2.10, 2.13) that has it, empty for all. `note`
// is set where our tests cannot check it, and says where its owner describes
// it.
struct PlaybookVariable {
  std::string_view name;
  std::string_view value;
  std::string_view since = {};
  std::string_view note = {};
};

// One run of the failing program that shows more.
struct Recipe {
  std::span<const PlaybookVariable> variables;
  std::string_view shows;
};

// A file below the torch package.
struct PlaybookFile {
  std::string_view path;
  std::string_view what;
  std::string_view since = {};
};

// A setting in a Python configuration module.
struct PlaybookOption {
  std::string_view name;
  std::string_view what;
  std::string_view since = {};
};

// Each later recipe costs more and shows more; the first is the finding's
// next_command. All text is static.
struct Play {
  Category category;
  std::string_view title;
  std::span<const Recipe> recipes;
  std::span<const PlaybookFile> files;
  std::span<const PlaybookOption> options;
  std::span<const std::string_view> causes;
  std::span<const std::string_view> fixes;
  std::span<const std::string_view> artifacts;
};

// One of the two questions that come first, with the proof of each answer.
struct Answer {
  std::string_view answer;  // a word of the contract
  std::string_view proof;
};
struct Question {
  std::string_view name;  // the finding's field
  std::string_view text;
  std::span<const Answer> answers;
};

std::span<const Play> Playbook();
std::span<const Question> Questions();
// For a backend that is not Inductor: the minifier that runs before it.
const Recipe& CustomBackendRecipe();
// What shows more whatever failed.
std::span<const Recipe> CommonRecipes();

// Null for kNone and kOther.
const Play* FindPlay(Category category);

// `A=1 B="x,y"`, as a shell reads it.
std::string ShellVariables(const Recipe& recipe);

}  // namespace pt2triage
