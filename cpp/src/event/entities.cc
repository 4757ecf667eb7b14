#include "event/entities.h"

#include <array>

#include "base/strings.h"

namespace pt2triage {
namespace {

struct Entity {
  std::string_view name;
  char value;
};
constexpr std::array<Entity, 7> kEntities = {{{"&quot;", '"'},
                                              {"&lt;", '<'},
                                              {"&gt;", '>'},
                                              {"&#39;", '\''},
                                              {"&#x27;", '\''},
                                              {"&nbsp;", ' '},
                                              {"&amp;", '&'}}};

}  // namespace

bool MayHoldEntities(std::string_view text) {
  for (size_t at = 0; (at = text.find('&', at)) != std::string_view::npos;
       ++at) {
    std::string_view rest = text.substr(at);
    for (const Entity& entity : kEntities) {
      if (rest.starts_with(entity.name)) return true;
    }
  }
  return false;
}

std::string WithoutEntities(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t at = text.find('&');
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at);
    char value = '&';
    size_t length = 1;
    for (const Entity& entity : kEntities) {
      if (!text.starts_with(entity.name)) continue;
      value = entity.value;
      length = entity.name.size();
      break;
    }
    out += value;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace pt2triage
