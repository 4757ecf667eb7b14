// What to do next about one finding, in its own names.
#pragma once

#include <string>

#include "pt2triage/finding.h"

namespace pt2triage {

// How the failing program was run, empty where the log does not say.
struct Program {
  std::string script;   // its outermost traceback's module
  std::string command;  // to run the failing test, quoted for a shell
};

// Fills remedy and next_command of `finding` from the tables in knowledge/.
// A name that the log does not give is never made up: a less precise action is
// taken.
//
// Holes of an action: {where} and {function} of the user's code; {source},
// {guard}, {expected}, {actual} and {dim} of the first failed guard; {callee},
// {op}, {qualname} (for torch.library), {expression} and {tool} as PyTorch's
// text names them; {exception}; {backend}; {patch}, the place in PyTorch that
// raised; {advice}, the remedy of a limit's guard.
void AddRemedies(Finding* finding, const Program& program = {});

}  // namespace pt2triage
