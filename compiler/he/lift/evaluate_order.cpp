#include "compiler/device/array/width.h"
#include "compiler/he/lift/lifter.h"

/// Functions of whole arrays that compare elements: the least and the greatest, and orders.
namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

/// Of all along the first dimension: half of them against the other half, and so on.
auto extreme_of_array(Lifter& lifter, const kernel::Apply& apply, const std::vector<Index>& at)
    -> TermId {
  const kernel::ExprId argument = apply.arguments.front();
  const DimId dim = lifter.terms.new_dim("k", lifter.kernel.exprs[argument].type.extents.front());
  std::vector<Index> all = at;
  all.insert(all.begin(), index_along(dim));
  Iterations iterations;
  const std::optional<TermId> found =
      extreme_along(lifter, iterations, apply.function == engine::Function::Max,
                    width_of(lifter.kernel.exprs[argument].type.element.kind),
                    stored(lifter, iterations, value(lifter, argument, all), false), dim);
  return found ? *found
               : stick(lifter, lifter.kernel.exprs[argument].place,
                       "this minimum or maximum of an array",
                       "combine two elements at a time: `max(max(a[0], a[1]), a[2])`");
}

/// Where the element at `at` belongs: how many are less, or equal and precede it. All are compared
/// at once: a[j] <= a[i] is a[j] < a[i] + 1, unless that would leave the type.
static auto rank_of(Lifter& lifter, TermId key, array::Width width, DimId at)
    -> std::optional<TermId> {
  const DimId other = lifter.terms.new_dim("j", lifter.terms.extent(at));
  const TermId is_before = lifter.terms.function(
      FunctionKind::Less,
      {lifter.terms.position(index_along(other)), lifter.terms.position(index_along(at))});
  const std::optional<TermId> other_key =
      substituted(lifter.terms, key, {{at, index_along(other)}});
  if (!other_key) {
    return {};
  }
  const bool may_wrap = width.bits == 64 && !array::fits(lifter.terms.range(key), width);
  const auto less = [&](TermId a, TermId b) {
    return lifter.terms.function(FunctionKind::Less, {a, b}, may_wrap ? width : array::Width{});
  };
  TermId is_less;
  if (may_wrap) {
    const TermId is_less_behind = less(*other_key, key);
    is_less = selected(lifter.terms, is_before, negation(lifter.terms, less(key, *other_key)),
                       is_less_behind);
  } else {
    is_less = less(*other_key, sum(lifter.terms, key, is_before));
  }
  return lifter.terms.reduce(Operator::Add, other, is_less);
}

/// `sort`, `sort_by` and `top_k`: the element with the rank of the requested place.
auto ordered(Lifter& lifter, const kernel::Apply& apply, kernel::ExprId expr,
             const std::vector<Index>& at) -> TermId {
  const kernel::ExprId keys = apply.arguments.front();
  const int64_t n = lifter.kernel.exprs[keys].type.extents.front();
  lifter.terms.set_place(lifter.kernel.exprs[expr].place);
  const DimId dim = lifter.terms.new_dim("i", n);
  TermId wanted = lifter.terms.position(at.front());
  if (apply.function == engine::Function::TopK) {
    wanted = lifter.terms.operation(Operator::Subtract, lifter.terms.number(n - 1), wanted);
  }
  std::vector<Index> moved = at;
  moved.front() = index_along(dim);
  // Arrays of their own: sorted again and again, they would be computed for each use.
  Iterations iterations;
  const array::Width width = width_of(lifter.kernel.exprs[keys].type.element.kind);
  const TermId key =
      stored(lifter, iterations,
             wrapped(lifter.terms, value(lifter, keys, {index_along(dim)}), width), false);
  const TermId element =
      stored(lifter, iterations, value(lifter, apply.arguments.back(), moved), false);
  lifter.terms.set_place(lifter.kernel.exprs[expr].place);
  const std::optional<TermId> rank = rank_of(lifter, key, width, dim);
  if (!rank) {
    return stick(lifter, lifter.kernel.exprs[expr].place, "sorting these values",
                 "store the values in an array before sorting them");
  }
  const TermId is_here = lifter.terms.function(FunctionKind::Equal,
                                               {stored(lifter, iterations, *rank, false), wanted});
  return lifter.terms.reduce(Operator::Add, dim,
                             selected(lifter.terms, is_here, element, lifter.terms.number(0)));
}

}  // namespace tacet::lift
