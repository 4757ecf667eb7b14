#include "triage/chain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/rule_watch.h"
#include "base/strings.h"
#include "event/traceback.h"

namespace pt2triage {
namespace {

// `any_name`: the place proves that a class stands there, whatever its name.
std::optional<ChainMember> MemberFrom(std::string_view text, size_t block,
                                      bool any_name = false) {
  std::string_view rest = text;
  rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
  std::string_view first = NextLine(&rest);
  std::optional<ExceptionLine> line = ParseExceptionLine(first);
  if (!line || !(any_name || IsExceptionName(line->type))) return std::nullopt;
  ChainMember member;
  member.type.assign(line->type);
  member.message.assign(line->message);
  if (!rest.empty()) {
    member.message += '\n';
    member.message.append(rest);
  }
  member.known = FindExceptionClass(member.type);
  member.block = block;
  return member;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kQuotes =
    {{{"'", "'"}, {"‘", "’"}, {"\"", "\""}}};

// got RuntimeError('...')
std::optional<ChainMember> UnwrapGot(std::string_view message, size_t block) {
  size_t got = message.find(": got ");
  if (got == std::string_view::npos) return std::nullopt;
  std::string_view rest = message.substr(got + 6);
  size_t open = rest.find('(');
  if (open == std::string_view::npos ||
      !IsExceptionName(rest.substr(0, open))) {
    return std::nullopt;
  }
  ChainMember member;
  member.type.assign(rest.substr(0, open));
  std::string_view inside = rest.substr(open + 1);
  inside = inside.substr(0, inside.find('\n'));
  if (inside.ends_with(')')) inside.remove_suffix(1);
  if (inside.size() >= 2 && (inside[0] == '\'' || inside[0] == '"')) {
    inside = inside.substr(1, inside.size() - 2);
  }
  member.message.assign(inside);
  member.known = FindExceptionClass(member.type);
  member.block = block;
  return member;
}

bool SameException(const ChainMember& a, const ChainMember& b) {
  if (AfterLast(a.type, '.') != AfterLast(b.type, '.')) return false;
  std::string_view x = a.message;
  std::string_view y = b.message;
  x = Trim(x.substr(0, x.find('\n')));
  y = Trim(y.substr(0, y.find('\n')));
  return x.starts_with(y) || y.starts_with(x);
}

}  // namespace

std::string_view BackendName(std::string_view message) {
  constexpr std::string_view kHead = "backend=";
  if (!Consume(&message, kHead)) return {};
  for (const auto& [open, close] : kQuotes) {
    if (!Consume(&message, open)) continue;
    size_t end = message.find(close);
    if (end == std::string_view::npos) return {};
    return message.substr(0, end);
  }
  return {};
}

std::optional<ChainMember> Unwrap(const ChainMember& outer) {
  std::string_view message = outer.message;
  if (message.starts_with("backend=")) {
    size_t raised = message.find(" raised:");
    if (raised == std::string_view::npos) return std::nullopt;
    return MemberFrom(message.substr(raised + 8), outer.block,
                      /*any_name=*/true);
  }
  constexpr std::string_view kNoConfigs = "No valid triton configs.";
  if (message.starts_with(kNoConfigs)) {
    return MemberFrom(message.substr(kNoConfigs.size()), outer.block);
  }
  if (outer.known == nullptr) return std::nullopt;
  if (outer.known->name == "BackendCompilerFailed") {  // up to 2.0: f raised X:
    size_t raised = message.substr(0, message.find('\n')).find(" raised ");
    if (raised == std::string_view::npos) return std::nullopt;
    return MemberFrom(message.substr(raised + 8), outer.block);
  }
  if (outer.known->name == "TorchRuntimeError") {
    return UnwrapGot(message, outer.block);
  }
  if (outer.known->flags & ExceptionClass::kWraps) {
    return MemberFrom(message, outer.block);
  }
  return std::nullopt;
}

std::vector<ChainMember> BuildChain(const std::vector<ExceptionBlock>& blocks) {
  std::vector<ChainMember> chain;
  for (size_t i = blocks.size(); i-- > 0;) {
    if (blocks[i].type.empty()) continue;
    ChainMember member{blocks[i].type, blocks[i].message,
                       FindExceptionClass(blocks[i].type), i};
    if (member.known != nullptr) NoteRule(member.known);
    bool launcher = member.known != nullptr &&
                    (member.known->flags & ExceptionClass::kLauncher);
    if (launcher || IsCollateralMessage(member.message)) continue;
    // A cause that the message above already quoted is the same exception.
    bool quoted = false;
    for (ChainMember& before : chain) {
      quoted =
          quoted || (before.block == i + 1 && SameException(before, member));
    }
    if (!quoted) chain.push_back(member);
    for (std::optional<ChainMember> inner = Unwrap(member); inner && !quoted;
         inner = Unwrap(*inner)) {
      if (inner->known != nullptr) NoteRule(inner->known);
      chain.push_back(*inner);
      if (chain.size() > 64) return chain;
    }
  }
  return chain;
}

const ChainMember* SelectMember(const std::vector<ChainMember>& chain) {
  const ChainMember* selected = nullptr;
  for (const ChainMember& member : chain) {
    if (member.known == nullptr) continue;
    if (selected == nullptr && (member.known->flags & ExceptionClass::kPt2)) {
      selected = &member;
    }
    bool accuracy = member.known->category == Category::kAccuracy;
    if (accuracy && selected != nullptr &&
        selected->known->category == Category::kBackendCompilerFailed) {
      return &member;
    }
  }
  if (selected == nullptr && !chain.empty()) selected = &chain.front();
  return selected;
}

}  // namespace pt2triage
