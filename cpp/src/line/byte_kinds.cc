#include "line/byte_kinds.h"

#include "base/simd.h"

namespace pt2triage {

PT2TRIAGE_VECTORISED
ByteKinds KindsOf(std::string_view text) {
  unsigned char all = 0;
  unsigned char odd = 0;
  unsigned char tab = 0;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    all |= u;
    odd |= static_cast<unsigned char>((u < ' ') & (u != '\n') & (u != '\t'));
    tab |= static_cast<unsigned char>(u == '\t');
  }
  return {(all & 0x80) != 0, odd != 0, tab != 0};
}

}  // namespace pt2triage
