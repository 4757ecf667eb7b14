// Which kinds of bytes a text holds.
#pragma once

#include <string_view>

namespace pt2triage {

struct ByteKinds {
  bool high_bits = false;
  bool controls = false;  // below ' ', but for \n and \t
  bool tabs = false;
};

// One vectorised pass.
ByteKinds KindsOf(std::string_view text);

}  // namespace pt2triage
