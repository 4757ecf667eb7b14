#include "event/test_command.h"

#include <utility>

#include "base/shell.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

constexpr size_t kMaxCommand = 2000;

std::string_view NextWord(std::string_view* text) {
  *text = TrimLeft(*text);
  const std::string_view word = text->substr(0, text->find(' '));
  text->remove_prefix(word.size());
  return word;
}

// PyTorch prints its own variables only; another one (LD_PRELOAD) is not what
// a reader should paste unseen.
bool IsTestVariable(std::string_view name) {
  return (name.starts_with("PYTORCH_") || name.starts_with("TORCH")) &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
             std::string_view::npos;
}

}  // namespace

std::optional<TestCommand> ParseTestCommand(std::string_view text) {
  if (text.size() > kMaxCommand) return std::nullopt;
  TestCommand found;
  std::string_view word = NextWord(&text);
  for (size_t equals; (equals = word.find('=')) != std::string_view::npos;
       word = NextWord(&text)) {
    if (!IsTestVariable(word.substr(0, equals))) return std::nullopt;
    found.command.append(word.substr(0, equals + 1));
    found.command.append(ShellQuote(word.substr(equals + 1))).append(" ");
  }
  if (word != "python" && word != "python3") return std::nullopt;
  const std::string_view file = NextWord(&text);
  const std::string_view test = NextWord(&text);
  if (!file.ends_with(".py") || file.starts_with('-') ||
      test.find('.') == std::string_view::npos || test.starts_with('-') ||
      !Trim(text).empty()) {
    return std::nullopt;
  }
  found.test.assign(test);
  found.command.append(word).append(" ");
  found.command.append(ShellQuote(file)).append(" ").append(ShellQuote(test));
  return found;
}

std::string ClassAndName(std::string_view id) {
  const size_t open = id.find(" (");
  if (open != std::string_view::npos) {  // test_b (module.Class.test_b)
    const std::string_view name = id.substr(0, open);
    std::string_view place = id.substr(open + 2, id.find(')', open) - open - 2);
    if (place.ends_with(name)) place.remove_suffix(name.size());
    while (place.ends_with('.')) place.remove_suffix(1);
    return std::string(AfterLast(place, '.')).append(".").append(name);
  }
  const size_t last = id.rfind("::");
  if (last == std::string_view::npos) return std::string(id);
  const std::string_view name = id.substr(last + 2);
  const std::string_view place = id.substr(0, last);
  const size_t before = place.rfind("::");
  if (before == std::string_view::npos) return std::string(name);
  return std::string(place.substr(before + 2)).append(".").append(name);
}

}  // namespace pt2triage
