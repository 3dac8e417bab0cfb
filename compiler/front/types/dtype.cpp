#include "compiler/front/types/dtype.h"

#include <cstddef>
#include <iterator>

namespace tacet::types {

namespace {

struct DTypeEntry {
  std::string_view text;
  uint32_t bits;
};

constexpr DTypeEntry kEntries[] = {
#define TACET_DTYPE(Name, text, bits) {text, bits},
#include "compiler/front/types/dtypes.def"
};
static_assert(std::size(kEntries) == kDTypes);

}  // namespace

auto dtype_text(DType dtype) -> std::string_view {
  return kEntries[static_cast<size_t>(dtype)].text;
}

auto find_dtype(std::string_view text, DType& dtype) -> bool {
  for (size_t i = 0; i < std::size(kEntries); ++i) {
    if (kEntries[i].text == text) {
      dtype = static_cast<DType>(i);
      return true;
    }
  }
  return false;
}

auto dtype_bits(DType dtype) -> uint32_t {
  return kEntries[static_cast<size_t>(dtype)].bits;
}

}  // namespace tacet::types
