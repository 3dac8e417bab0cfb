#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/interner.h"

namespace tacet::types {

/// Extents of arrays are numbers, or forms in the size parameters of a function. A form is kept in
/// a `TypeStore` and stands for itself as a number below `kUnknownExtent`: equal forms are equal
/// numbers.
inline constexpr int64_t kUnknownExtent = -1;  ///< left open by a mistake elsewhere; fits every one

struct SizeFormTag;
using SizeFormId = Id<SizeFormTag>;

enum class SizeAtomKind : uint8_t {
  Parameter,  ///< the size parameter `name`
  Quotient,   ///< the extent `operand` divided by `second`, rounded down
  Product,    ///< the extents `operand` and `second`: an atom, and an atom that is after it
  Local,      ///< the local number `operand` of a body, in the proofs of a check only
};

/// What a form multiplies.
struct SizeAtom {
  SizeAtomKind kind = SizeAtomKind::Parameter;
  Name name = {};
  int64_t operand = 0;
  int64_t second = 0;  ///< the divisor of a quotient, or the second factor of a product

  friend auto operator==(const SizeAtom&, const SizeAtom&) -> bool = default;
};

struct SizeTerm {
  SizeAtom atom;
  int64_t coefficient = 1;

  friend auto operator==(const SizeTerm&, const SizeTerm&) -> bool = default;
};

/// `constant + Σ coefficient * atom`, the terms sorted, none twice, no coefficient 0.
struct SizeForm {
  int64_t constant = 0;
  std::vector<SizeTerm> terms = {};

  friend auto operator==(const SizeForm&, const SizeForm&) -> bool = default;
};

/// Is the extent a form in size parameters?
constexpr auto is_symbolic(int64_t extent) -> bool {
  return extent < kUnknownExtent;
}

}  // namespace tacet::types
