#include "compiler/he/lift/lifter.h"

/// Loops that look for the greatest or the least: since it does not matter in which order numbers
/// are compared, half of them are compared with the other half, and so on.
namespace tacet::lift {

using array::FunctionKind;

/// What an iteration compares with the greatest (or least) so far, if that is what it does.
auto Lifter::compared_in_iteration(TermId after, TermId carried) -> std::optional<Extreme> {
  const Term choice = terms_[after];
  if (choice.kind != TermKind::Function || choice.function != FunctionKind::Select) {
    return {};
  }
  Term condition = terms_[choice.operands[0]];
  TermId then = choice.operands[1];
  TermId otherwise = choice.operands[2];
  if (condition.kind == TermKind::Operation && condition.op == array::Operator::Subtract &&
      terms_.as_number(condition.operands[0]) == 1) {
    condition = terms_[condition.operands[1]];
    std::swap(then, otherwise);
  }
  const bool is_order =
      condition.kind == TermKind::Function && condition.function == FunctionKind::Less;
  const bool is_kept = then == carried || otherwise == carried;
  if (!is_order || !is_kept || then == otherwise) {
    return {};
  }
  const TermId other = then == carried ? otherwise : then;
  const bool is_straight = condition.operands[0] == carried && condition.operands[1] == other;
  const bool is_turned = condition.operands[0] == other && condition.operands[1] == carried;
  if (contains(other, carried) || (!is_straight && !is_turned)) {
    return {};
  }
  // The lesser stands on the left of the comparison, and is chosen if that is true, or is not.
  return Extreme{
      .value = other, .is_greatest = then == condition.operands[1], .width = condition.width};
}

auto Lifter::extreme_of(bool is_greatest, array::Width width, TermId a, TermId b) -> TermId {
  const TermId is_less = terms_.function(FunctionKind::Less, {a, b}, width);
  return is_greatest ? terms_.select(is_less, b, a) : terms_.select(is_less, a, b);
}

auto Lifter::joined_extreme(Iterations& iterations, uint32_t variable) -> std::optional<TermId> {
  const TermId carried = terms_.carried(carried_by(iterations, variable), {});
  const std::optional<Extreme> iteration =
      compared_in_iteration(iterations.after[variable].scalar, carried);
  const std::optional<TermId> value =
      iteration ? resolved(iterations, iteration->value, std::nullopt) : std::nullopt;
  if (!value || iterations.n < 3 || terms_.is_known(*value) || terms_.has_carried(*value)) {
    return {};
  }
  const std::optional<TermId> found =
      extreme_along(iterations, iteration->is_greatest, iteration->width, *value, iterations.dim);
  return found ? std::optional(extreme_of(iteration->is_greatest, iteration->width,
                                          env_[variable].scalar, *found))
               : std::nullopt;
}

auto Lifter::extreme_along(Iterations& iterations, bool is_greatest, array::Width width, TermId all,
                           DimId dim) -> std::optional<TermId> {
  while (terms_.extent(dim) > 1) {
    // Of an odd number the one in the middle is compared twice, which does not matter.
    const int64_t n = terms_.extent(dim);
    const DimId half = terms_.new_dim("half", (n + 1) / 2);
    const std::optional<TermId> first = terms_.substituted(all, {{dim, index_along(half)}});
    const std::optional<Index> across = sum(index_along(half), constant_index(n / 2));
    const std::optional<TermId> second = terms_.substituted(all, {{dim, *across}});
    if (!first || !second) {
      return {};
    }
    all = stored(iterations, extreme_of(is_greatest, width, *first, *second), false);
    dim = half;
  }
  return terms_.substituted(all, {{dim, constant_index(0)}});
}

}  // namespace tacet::lift
