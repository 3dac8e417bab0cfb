#pragma once

#include <cstdint>
#include <string>

namespace tacet::fill {

/// What may be written for a hole, maybe with holes in it.
struct Form {
  std::string text;
  /// Only good for comparing.
  uint32_t cost = 0;
};

}  // namespace tacet::fill
