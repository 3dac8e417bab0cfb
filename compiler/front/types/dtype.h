#pragma once

#include <cstdint>
#include <string_view>

namespace tacet::types {

/// The kinds of numbers. `Fxp` is fixed point; its fraction bits are next to it.
enum class DType : uint8_t {
#define TACET_DTYPE(Name, text, bits) Name,
#include "compiler/front/types/dtypes.def"
};
inline constexpr uint32_t kDTypes = 12;

/// Who may see a value. Ordered: a public value is accepted where a secret one is expected.
enum class Visibility : uint8_t { Public, Secret };

auto dtype_text(DType dtype) -> std::string_view;
/// False if `text` names none.
auto find_dtype(std::string_view text, DType& dtype) -> bool;
/// The width of a value in bits.
auto dtype_bits(DType dtype) -> uint32_t;

constexpr auto is_signed_integer(DType dtype) -> bool {
  return DType::I8 <= dtype && dtype <= DType::I64;
}
constexpr auto is_unsigned_integer(DType dtype) -> bool {
  return DType::U8 <= dtype && dtype <= DType::U64;
}
constexpr auto is_integer(DType dtype) -> bool {
  return DType::I8 <= dtype && dtype <= DType::U64;
}
constexpr auto is_float(DType dtype) -> bool {
  return dtype == DType::F32 || dtype == DType::F64;
}
/// Numbers with a fraction: what a literal such as `0.5` may be.
constexpr auto is_fractional(DType dtype) -> bool {
  return dtype == DType::Fxp || is_float(dtype);
}

/// The stricter of two visibilities: one secret operand makes a secret result.
constexpr auto narrow(Visibility a, Visibility b) -> Visibility {
  return a < b ? b : a;
}

/// The more relaxed of two number kinds: an integer with `fxp` gives `fxp`. False if neither
/// converts to the other by itself.
constexpr auto promote(DType a, DType b, DType& result) -> bool {
  const bool mixes = (a == DType::Fxp && is_integer(b)) || (b == DType::Fxp && is_integer(a));
  result = mixes ? DType::Fxp : a;
  return mixes || a == b;
}

}  // namespace tacet::types
