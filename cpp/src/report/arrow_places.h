// Where a finding happened, spread out into columns of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "report/fields.h"
#include "report/views.h"

namespace pt2triage {

// What is asked of a finding most often, spread out.
struct FindingPlace {
  std::optional<std::string> user_file;
  std::optional<int64_t> user_line;
  std::optional<std::string> user_function;
  std::optional<std::string> source;
  std::optional<uint64_t> line;
  std::optional<uint64_t> offset;
};

template <>
struct FieldsOf<FindingPlace> {
  using P = FindingPlace;
  static constexpr auto kFields = std::tuple{
      Field{"user_file", &P::user_file, "File of `user_frame`."},
      Field{"user_line", &P::user_line, "Line of `user_frame`."},
      Field{"user_function", &P::user_function, "Function of `user_frame`."},
      Field{"source", &P::source, "Source of the first evidence.",
            Empty::kValue, Values::kFew},
      Field{"line", &P::line, "Line of the first evidence."},
      Field{"offset", &P::offset, "Byte offset of the first evidence."},
  };
};

// The finding that a guard is of. `source` is the guard's own word.
struct GuardPlace {
  std::string fingerprint;
  std::optional<std::string> test_id;
  std::optional<std::string> user_file;
  std::optional<int64_t> user_line;
  std::optional<std::string> user_function;
  std::optional<std::string> source_name;
  std::optional<uint64_t> line;
  std::optional<uint64_t> offset;
};

template <>
struct FieldsOf<GuardPlace> {
  using P = GuardPlace;
  static constexpr auto kFields = std::tuple{
      Field{"fingerprint", &P::fingerprint, "Of the finding."},
      Field{"test_id", &P::test_id, "Test of the finding."},
      Field{"user_file", &P::user_file, "File of the finding's user frame."},
      Field{"user_line", &P::user_line, "Line of the finding's user frame."},
      Field{"user_function", &P::user_function,
            "Function of the finding's user frame."},
      Field{"source_name", &P::source_name,
            "Source of the finding's first evidence.", Empty::kValue,
            Values::kFew},
      Field{"line", &P::line, "Line of the finding's first evidence."},
      Field{"offset", &P::offset,
            "Byte offset of the finding's first evidence."},
  };
};

// A guard that failed: `index` is its place in its finding.
struct GuardView {
  FindingView view;
  size_t index = 0;

  const GuardFailure& guard() const {
    return view.finding().guard_failures[index];
  }
};

FindingPlace PlaceOf(const FindingView& view);
GuardPlace PlaceOf(const GuardView& guard);

}  // namespace pt2triage
