// HTML's entities in logs that were copied out of a page's source.
#pragma once

#include <string>
#include <string_view>

namespace pt2triage {

// True if the text holds an entity of those that a log's text is escaped with.
bool MayHoldEntities(std::string_view text);

// The text with `&lt; &gt; &quot; &#39; &#x27; &amp; &nbsp;` undone.
std::string WithoutEntities(std::string_view text);

}  // namespace pt2triage
