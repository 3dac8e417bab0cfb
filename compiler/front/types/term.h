#pragma once

#include <cstdint>

#include "compiler/front/types/type.h"

namespace tacet::types {

/// A type while a body is being inferred: a finished type, or a variable of one `Inference`.
/// Visibilities are left out of terms (all are public): they do not unify but flow, and are found
/// out afterwards.
class Term {
 public:
  constexpr Term() = default;
  constexpr explicit Term(TypeId type) : bits_(type.index) {}
  static constexpr auto variable(uint32_t index) -> Term {
    Term term;
    term.bits_ = index | kVariable;
    return term;
  }

  [[nodiscard]] constexpr auto is_variable() const -> bool { return (bits_ & kVariable) != 0; }
  [[nodiscard]] constexpr auto index() const -> uint32_t { return bits_ & ~kVariable; }
  [[nodiscard]] constexpr auto type() const -> TypeId { return {bits_}; }
  [[nodiscard]] constexpr auto is_error() const -> bool { return bits_ == 0; }

  friend constexpr auto operator==(Term, Term) -> bool = default;

 private:
  static constexpr uint32_t kVariable = 1U << 31;

  uint32_t bits_ = 0;
};

}  // namespace tacet::types
