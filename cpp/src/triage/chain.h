// The exception chain of one traceback.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/messages/exception_table.h"
#include "pt2triage/event.h"

namespace pt2triage {

// One exception of a chain. `known` points into the static table.
struct ChainMember {
  std::string type;
  std::string message;
  const ExceptionClass* known = nullptr;
  size_t block = 0;  // whose text it stands in
};

// Outermost first: the exception that escaped, the types wrapped in its
// message, then what it was raised from. Launchers' summaries are left out.
std::vector<ChainMember> BuildChain(const std::vector<ExceptionBlock>& blocks);

// The exception that a message wraps, if it does.
std::optional<ChainMember> Unwrap(const ChainMember& outer);

// The member that gives the category: see exception in the JSON contract.
// nullptr for an empty chain.
const ChainMember* SelectMember(const std::vector<ChainMember>& chain);

// NAME of `backend='NAME' raised:`, empty if there is none.
std::string_view BackendName(std::string_view message);

}  // namespace pt2triage
