#include "engine/he/objects.h"

#include <algorithm>

namespace tacet::he {

auto RotationKeys::find(uint64_t galois_element) const -> const KeySwitchKey* {
  const auto entry =
      std::lower_bound(entries.begin(), entries.end(), galois_element,
                       [](const Entry& e, uint64_t element) { return e.galois_element < element; });
  return entry != entries.end() && entry->galois_element == galois_element ? &entry->key : nullptr;
}

}  // namespace tacet::he
