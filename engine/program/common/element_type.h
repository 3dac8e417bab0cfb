#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"

/// What one number of a program is. The kinds are those of the language, in its order.
namespace tacet::engine {

enum class ElementKind : uint8_t {
#define TACET_ELEMENT_KIND(Name, text, bits) Name,
#include "engine/program/common/element_kinds.def"
};

constexpr auto is_signed_integer(ElementKind kind) -> bool {
  return ElementKind::I8 <= kind && kind <= ElementKind::I64;
}
constexpr auto is_integer(ElementKind kind) -> bool {
  return ElementKind::I8 <= kind && kind <= ElementKind::U64;
}
constexpr auto is_float(ElementKind kind) -> bool {
  return kind == ElementKind::F32 || kind == ElementKind::F64;
}
/// Numbers with a fraction.
constexpr auto is_fractional(ElementKind kind) -> bool {
  return kind == ElementKind::Fxp || is_float(kind);
}

/// The kinds that are computed with alike, whatever their width.
enum class ElementClass : uint8_t { Bool, Integer, Fxp, F32, F64 };

constexpr auto class_of(ElementKind kind) -> ElementClass {
  switch (kind) {
    case ElementKind::Bool:
      return ElementClass::Bool;
    case ElementKind::I8:
    case ElementKind::I16:
    case ElementKind::I32:
    case ElementKind::I64:
    case ElementKind::U8:
    case ElementKind::U16:
    case ElementKind::U32:
    case ElementKind::U64:
      return ElementClass::Integer;
    case ElementKind::Fxp:
      return ElementClass::Fxp;
    case ElementKind::F32:
      return ElementClass::F32;
    case ElementKind::F64:
      return ElementClass::F64;
  }
  TACET_CHECK(false, "unknown kind of elements");
}

/// The fraction bits of `fxp` written without any.
constexpr uint8_t kDefaultFractionBits = 18;
/// The most that `fxp<n>` may have: one bit of the 64 is the sign, one precedes the point.
constexpr uint8_t kMaxFractionBits = 62;

/// A kind of number. `fraction_bits` is zero unless `kind` is `Fxp`.
struct ElementType {
  ElementKind kind = ElementKind::I64;
  uint8_t fraction_bits = 0;

  friend constexpr auto operator==(ElementType, ElementType) -> bool = default;
};

constexpr ElementType kBool{ElementKind::Bool, 0};
constexpr ElementType kI64{ElementKind::I64, 0};

/// Bits of an integer kind; 1 for `bool`, 64 for `fxp`.
constexpr auto bit_width(ElementKind kind) -> unsigned {
  constexpr uint8_t kWidths[] = {
#define TACET_ELEMENT_KIND(Name, text, bits) bits,
#include "engine/program/common/element_kinds.def"
  };
  return kWidths[static_cast<unsigned>(kind)];
}

/// The largest and the smallest value of an integer kind, as cells.
constexpr auto max_integer(ElementKind kind) -> uint64_t {
  return ~uint64_t{0} >> (64 - bit_width(kind) + (is_signed_integer(kind) ? 1 : 0));
}
constexpr auto min_integer(ElementKind kind) -> int64_t {
  return is_signed_integer(kind) ? -static_cast<int64_t>(max_integer(kind)) - 1 : 0;
}

/// As it is written in Tacet: `i32`, `fxp`, `fxp<20>`.
auto element_type_name(ElementType type) -> std::string;

/// The type of that name; false if there is none.
auto find_element_type(std::string_view name, ElementType& type) -> bool;

}  // namespace tacet::engine
