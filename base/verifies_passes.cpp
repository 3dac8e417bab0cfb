#include "base/verifies_passes.h"

#include <cstdlib>

namespace tacet {

auto verifies_passes() -> bool {
#ifdef TACET_VERIFY_PASSES
  return true;
#else
  static const bool is_set = std::getenv("TACET_VERIFY_PASSES") != nullptr;
  return is_set;
#endif
}

}  // namespace tacet
