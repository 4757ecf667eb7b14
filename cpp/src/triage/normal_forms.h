// What differs between two prints of one failure, and what stands for it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pt2triage {

// `pattern` is replaced by `form` (\1 is its first group) wherever it occurs,
// row after row. `sample` and `normal` are a text before and after all rows,
// for the test.
struct NormalForm {
  std::string_view pattern;
  std::string_view form;
  std::string_view sample;
  std::string_view normal;
};

std::span<const NormalForm> NormalForms();

// Replaces what differs between runs, machines and ranks: paths by their last
// component, line numbers, addresses, ids, hashes, times, devices, hosts. Cost:
// one regular expression per row.
std::string NormaliseText(std::string_view text);

}  // namespace pt2triage
