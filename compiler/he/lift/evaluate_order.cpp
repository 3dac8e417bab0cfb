#include "compiler/device/array/width.h"
#include "compiler/he/lift/lifter.h"

/// Functions of whole arrays that compare elements: the least and the greatest, and orders.
namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

/// Of all along the first dimension: half of them against the other half, and so on.
auto Lifter::extreme_of_array(const kernel::Apply& apply, const std::vector<Index>& at) -> TermId {
  const kernel::ExprId argument = apply.arguments.front();
  const DimId dim = terms_.new_dim("k", kernel_.exprs[argument].type.extents.front());
  std::vector<Index> all = at;
  all.insert(all.begin(), index_along(dim));
  Iterations iterations;
  const std::optional<TermId> found =
      extreme_along(iterations, apply.function == engine::Function::Max,
                    width_of(kernel_.exprs[argument].type.element.kind),
                    stored(iterations, value(argument, all), false), dim);
  return found ? *found
               : stick(kernel_.exprs[argument].place, "this minimum or maximum of an array",
                       "combine two elements at a time: `max(max(a[0], a[1]), a[2])`");
}

/// Where the element at `at` belongs: how many are less, or equal and stand before it. All are
/// compared at once: a[j] <= a[i] is a[j] < a[i] + 1, unless that would leave the type.
auto Lifter::rank_of(TermId key, array::Width width, DimId at) -> std::optional<TermId> {
  const DimId other = terms_.new_dim("j", terms_.extent(at));
  const TermId is_before = terms_.function(
      FunctionKind::Less, {terms_.position(index_along(other)), terms_.position(index_along(at))});
  const std::optional<TermId> other_key = terms_.substituted(key, {{at, index_along(other)}});
  if (!other_key) {
    return {};
  }
  const bool may_wrap = width.bits == 64 && !array::fits(terms_.range(key), width);
  const auto less = [&](TermId a, TermId b) {
    return terms_.function(FunctionKind::Less, {a, b}, may_wrap ? width : array::Width{});
  };
  const TermId is_less = may_wrap ? terms_.select(is_before, terms_.negation(less(key, *other_key)),
                                                  less(*other_key, key))
                                  : less(*other_key, terms_.sum(key, is_before));
  return terms_.reduce(Operator::Add, other, is_less);
}

/// `sort`, `sort_by` and `top_k`: what has the rank of the place that is asked for.
auto Lifter::ordered(const kernel::Apply& apply, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const kernel::ExprId keys = apply.arguments.front();
  const int64_t n = kernel_.exprs[keys].type.extents.front();
  terms_.set_place(kernel_.exprs[expr].place);
  const DimId dim = terms_.new_dim("i", n);
  TermId wanted = terms_.position(at.front());
  if (apply.function == engine::Function::TopK) {
    wanted = terms_.operation(Operator::Subtract, terms_.number(n - 1), wanted);
  }
  std::vector<Index> moved = at;
  moved.front() = index_along(dim);
  // Arrays of their own: sorted again and again, they would be computed for each way to them.
  Iterations iterations;
  const array::Width width = width_of(kernel_.exprs[keys].type.element.kind);
  const TermId key =
      stored(iterations, terms_.wrapped(value(keys, {index_along(dim)}), width), false);
  const TermId element = stored(iterations, value(apply.arguments.back(), moved), false);
  terms_.set_place(kernel_.exprs[expr].place);
  const std::optional<TermId> rank = rank_of(key, width, dim);
  if (!rank) {
    return stick(kernel_.exprs[expr].place, "sorting these values",
                 "store the values in an array before sorting them");
  }
  const TermId is_here =
      terms_.function(FunctionKind::Equal, {stored(iterations, *rank, false), wanted});
  return terms_.reduce(Operator::Add, dim, terms_.select(is_here, element, terms_.number(0)));
}

}  // namespace tacet::lift
