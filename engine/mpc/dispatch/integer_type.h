#pragma once

#include "engine/mpc/circuits/integers.h"
#include "engine/program/common/element_type.h"

namespace tacet::mpc {

/// The width and signedness of a type of numbers; fixed point is a signed number of 64 bits.
inline auto integer_type_of(engine::ElementType element) -> IntegerType {
  const bool is_signed =
      engine::is_signed_integer(element.kind) || element.kind == engine::ElementKind::Fxp;
  return {engine::bit_width(element.kind), is_signed ? Signedness::Signed : Signedness::Unsigned};
}

}  // namespace tacet::mpc
