#include <fmt/format.h>

#include "compiler/device/array/width.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/known_values.h"
#include "compiler/he/lift/lifter.h"

/// Faults that everybody may know: whatever computes on ciphertexts has none, so a program that
/// could have one is not an array program. What secrets decide about has no faults.
namespace tacet::lift {

using array::FunctionKind;
using types::Operator;

namespace {

/// A fault is looked for at so many values of the dimensions around it.
constexpr int64_t kMostPlaces = int64_t{1} << 20;

}  // namespace

/// Calls `run` where `condition` holds besides of what holds here.
template <class Run>
static void where(Lifter& lifter, TermId condition, const Run& run) {
  const TermId before = lifter.reached;
  lifter.reached = selected(lifter.terms, before, condition, lifter.terms.number(0));
  run();
  lifter.reached = before;
}

/// Sticks unless `fault`, a truth value, is 0 wherever the text is reached.
static void rule_out(Lifter& lifter, TermId fault, const PublicFault& what) {
  const TermId happens = selected(lifter.terms, lifter.reached, fault, lifter.terms.number(0));
  const std::optional<int64_t> number = lifter.terms.as_number(happens);
  if (number == 0 || lifter.stuck) {
    return;
  }
  const std::vector<DimId> dims = lifter.terms.free_dims(happens);
  int64_t n_places = 1;
  for (const DimId dim : dims) {
    n_places = n_places > kMostPlaces ? n_places : n_places * lifter.terms.extent(dim);
  }
  if (!lifter.terms.is_known(happens) || n_places > kMostPlaces) {
    lifter.stuck = Stuck{.code = DiagnosticCode::T6012,
                         .place = what.place,
                         .message = what.possible,
                         .note = what.hint};
    return;
  }
  KnownValues known(lifter.terms);
  for (int64_t i = 0; i < n_places; ++i) {
    int64_t rest = i;
    for (const DimId dim : dims) {
      known.move(dim, rest % lifter.terms.extent(dim));
      rest /= lifter.terms.extent(dim);
    }
    if (known.value(happens) != 0) {
      lifter.stuck =
          Stuck{.code = what.code, .place = what.place, .message = what.certain, .note = {}};
      return;
    }
  }
}

/// Whether what holds here says that a term is not 0: by a comparison with a number.
static auto is_known_nonzero(const Lifter& lifter, TermId term) -> bool {
  const auto excludes = [&](TermId condition) {
    const Term& test = lifter.terms[condition];
    if (test.kind != TermKind::Function || test.function != FunctionKind::Less) {
      return false;
    }
    const std::optional<int64_t> low = lifter.terms.as_number(test.operands[0]);
    const std::optional<int64_t> high = lifter.terms.as_number(test.operands[1]);
    return (test.operands[1] == term && low && *low >= 0) ||
           (test.operands[0] == term && high && *high <= 0);
  };
  const std::function<bool(TermId)> holds = [&](TermId id) {
    const Term& node = lifter.terms[id];
    const bool is_both = node.kind == TermKind::Function && node.function == FunctionKind::Select &&
                         lifter.terms.as_number(node.operands[2]) == 0;
    return excludes(id) || (is_both && (holds(node.operands[0]) || holds(node.operands[1])));
  };
  return holds(lifter.reached);
}

/// Of the elements of the right operand, which decide alone.
static void check_operand(Lifter& lifter, const kernel::Binary& binary, FileRange place) {
  const kernel::Type& type = lifter.kernel.exprs[binary.right].type;
  const bool divides = binary.op == Operator::Div || binary.op == Operator::Mod;
  if (binary.is_total || !kernel::can_fault(binary.op) || !engine::is_integer(type.element.kind)) {
    return;
  }
  const TermId right = value(lifter, binary.right, along(new_dims(lifter, type.extents, "i")));
  const array::Width width = width_of(type.element.kind);
  if (divides) {
    const Interval range = lifter.terms.range(right);
    const bool is_never_zero = array::fits(range, width) && (range.low > 0 || range.high < 0);
    if (!is_never_zero && !is_known_nonzero(lifter, right)) {
      rule_out(
          lifter,
          lifter.terms.function(FunctionKind::Equal, {right, lifter.terms.number(0)}, width),
          {.code = DiagnosticCode::T8001,
           .place = place,
           .certain = "division by zero",
           .possible = "the divisor is public and may be 0",
           .hint = "bound it to exclude 0 (`in 1..10`), write `a / d if d != 0 else 0`, or make it "
                   "`secret`: a quotient by a secret 0 is 0"});
    }
    return;
  }
  const Interval range = lifter.terms.range(right);
  if (range.low >= 0 && range.high < width.bits) {
    return;
  }
  const TermId is_less =
      lifter.terms.function(FunctionKind::Less, {right, lifter.terms.number(0)}, width);
  const TermId is_below =
      lifter.terms.function(FunctionKind::Less, {right, lifter.terms.number(width.bits)}, width);
  rule_out(
      lifter,
      selected(lifter.terms, is_less, lifter.terms.number(1), negation(lifter.terms, is_below)),
      {.code = DiagnosticCode::T8002,
       .place = place,
       .certain = fmt::format("shift of `{}` by a distance outside 0..{}",
                              engine::element_type_name(type.element), int{width.bits}),
       .possible = "the shift distance is public and may be out of range",
       .hint = fmt::format("mask the distance to the width: `d & {}`", width.bits - 1)});
}

void check_faults(Lifter& lifter, kernel::ExprId expr) {
  if (lifter.stuck || !kernel::can_fault(lifter.kernel, expr)) {
    return;
  }
  const kernel::Expr& node = lifter.kernel.exprs[expr];
  const auto* select = std::get_if<kernel::Select>(&node.node);
  if (select != nullptr && !select->is_oblivious) {  // else both of its operands are evaluated
    check_faults(lifter, select->condition);
    const TermId condition = value(lifter, select->condition, {});
    where(lifter, condition, [&] { check_faults(lifter, select->then); });
    where(lifter, negation(lifter.terms, condition),
          [&] { check_faults(lifter, select->otherwise); });
    return;
  }
  if (const auto* tabulate = std::get_if<kernel::Tabulate>(&node.node)) {
    VariableState& index = state(lifter, tabulate->index);
    const TermId before = index.scalar;
    const std::vector<DimId> dims = new_dims(lifter, {node.type.extents.front()}, "i");
    index.scalar = lifter.terms.position(index_along(dims.front()));
    check_faults(lifter, tabulate->body);
    state(lifter, tabulate->index).scalar = before;
    return;
  }
  kernel::visit_exprs(node, [&](kernel::ExprId operand) { check_faults(lifter, operand); });
  if (const auto* binary = std::get_if<kernel::Binary>(&node.node)) {
    check_operand(lifter, *binary, node.place);
  }
}

/// The indices of a store as they are, with the extents that they should be in.
void check_store(Lifter& lifter, const kernel::StoreElement& store, const std::vector<Index>& at) {
  const std::vector<int64_t>& extents = type(lifter, store.array).extents;
  for (size_t i = 0; i < store.indices.size(); ++i) {
    if ((store.lenient >> i & 1) != 0) {
      continue;
    }
    const TermId is_inside = is_within(lifter.terms, at[i], extents[i]);
    rule_out(
        lifter, negation(lifter.terms, is_inside),
        {.code = DiagnosticCode::T8003,
         .place = lifter.kernel.exprs[store.indices[i]].place,
         .certain = fmt::format("write is out of bounds for a dimension of size {}", extents[i]),
         .possible = fmt::format(
             "the index is public and may be out of bounds for a dimension of size {}", extents[i]),
         .hint = "write only inside the array"});
  }
}

}  // namespace tacet::lift
