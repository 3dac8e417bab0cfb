#pragma once

#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/store.h"
#include "engine/program/common/arithmetic.h"

/// Whether a device function computes what its specification says: decided by what the two are as
/// formulas of their inputs.
namespace tacet::conformance {

using TermId = Id<struct TermTag>;

using engine::BinaryOperation;
using engine::Cell;
using engine::ElementKind;
using engine::ElementType;

enum class TermKind : uint8_t {
  Number,  ///< a cell
  Input,   ///< cell `number` of the inputs
  Binary,  ///< `operation` on a and b, of `type`
  Negate,  ///< of a
  Not,     ///< of a
  Complement,
  Cast,     ///< a, of `from`, as `type`
  Select,   ///< a ? b : c
  Address,  ///< a * number + b, or outside if b is not in [0, number)
  Control,  ///< a cell that the machine made for itself: no value of a program
};

/// A value, as what it was computed from.
struct Term {
  TermKind kind = TermKind::Number;
  BinaryOperation operation{};
  ElementType type{};
  ElementType from{};
  TermId a{}, b{}, c{};
  Cell number = 0;

  friend auto operator==(const Term&, const Term&) -> bool = default;
};

/// Terms, each once and after its operands. Constants are folded: terms of numbers are numbers, and
/// what adds 0, multiplies by 0 or 1, or selects between equals disappears.
class Terms {
 public:
  auto number(Cell cell) -> TermId { return intern({.number = cell}); }
  auto input(size_t index, ElementType type) -> TermId {
    return intern({.kind = TermKind::Input, .type = type, .number = index});
  }
  auto control(Cell cell) -> TermId { return intern({.kind = TermKind::Control, .number = cell}); }
  /// Quotients by 0 and shifts by too much are 0: who asks for them looks at faults first.
  auto binary(BinaryOperation operation, ElementType type, TermId a, TermId b) -> TermId;
  auto unary(TermKind kind, ElementType type, TermId a) -> TermId;
  auto cast(ElementType from, ElementType to, TermId a) -> TermId;
  auto select(TermId condition, TermId then, TermId otherwise) -> TermId;
  auto address(TermId outer, TermId index, Cell extent) -> TermId;

  auto conjunction(TermId a, TermId b) -> TermId;
  auto disjunction(TermId a, TermId b) -> TermId;
  auto negation(TermId a) -> TermId { return unary(TermKind::Not, engine::kBool, a); }

  [[nodiscard]] auto operator[](TermId id) const -> const Term& { return terms_[id]; }
  [[nodiscard]] auto size() const -> size_t { return terms_.size(); }
  [[nodiscard]] auto is_number(TermId id) const -> bool {
    return terms_[id].kind == TermKind::Number;
  }
  [[nodiscard]] auto is_number(TermId id, Cell cell) const -> bool {
    return is_number(id) && terms_[id].number == cell;
  }

 private:
  struct Hash {
    auto operator()(const Term& term) const -> size_t;
  };

  auto intern(const Term& term) -> TermId;

  Store<TermId, Term> terms_;
  std::unordered_map<Term, TermId, Hash> ids_;
};

}  // namespace tacet::conformance
