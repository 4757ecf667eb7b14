#include "line/line_cursor.h"

namespace pt2triage {

PT2TRIAGE_VECTORISED
TabbedLines TakeTabbedLines(std::string_view text) {
  TabbedLines taken;
  if (text.empty() || text.front() != '\t') return taken;
  size_t at = 0;
  for (; text.size() - at > 64; at += 64) {
    const uint64_t ends = EqualMask64(text.data() + at, '\n');
    const uint64_t tabs = EqualMask64(text.data() + at + 1, '\t');
    const uint64_t last = ends & ~tabs;  // another line follows
    if (last != 0) {
      const auto bit = static_cast<size_t>(std::countr_zero(last));
      const uint64_t upto = ends & (last ^ (last - 1));
      taken.lines += static_cast<uint64_t>(std::popcount(upto));
      taken.bytes = at + bit + 1;
      return taken;
    }
    taken.lines += static_cast<uint64_t>(std::popcount(ends));
  }
  for (; at < text.size(); ++at) {
    if (text[at] != '\n') continue;
    ++taken.lines;
    if (at + 1 == text.size() || text[at + 1] != '\t') break;
  }
  taken.bytes = at + 1;
  return taken;
}

}  // namespace pt2triage
