// The command that PyTorch's test runner prints to run one test again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pt2triage {

struct TestCommand {
  std::string test;     // Class.test_name
  std::string command;  // quoted for a shell, from the root of a checkout
};

// Reads `VAR=1 python test/dir/test_x.py Class.test_name`, which
// torch/testing/_internal/common_utils.py prints below "To execute this test";
// nullopt for anything else.
std::optional<TestCommand> ParseTestCommand(std::string_view text);

// `Class.test_name` of a test's name as pytest or unittest print it; the name
// itself where it has no class.
std::string ClassAndName(std::string_view test_id);

}  // namespace pt2triage
