#include "compiler/he/lift/lifter.h"

/// Loops that look for the greatest or the least: since it does not matter in which order numbers
/// are compared, half of them are compared with the other half, and so on.
namespace tacet::lift {

using array::FunctionKind;

/// What an iteration compares with the greatest (or least) so far, if that is what it does.
static auto compared_in_iteration(Lifter& lifter, TermId after, TermId carried)
    -> std::optional<Extreme> {
  const Term choice = lifter.terms[after];
  if (choice.kind != TermKind::Function || choice.function != FunctionKind::Select) {
    return {};
  }
  Term condition = lifter.terms[choice.operands[0]];
  TermId then = choice.operands[1];
  TermId otherwise = choice.operands[2];
  if (condition.kind == TermKind::Operation && condition.op == array::Operator::Subtract &&
      lifter.terms.as_number(condition.operands[0]) == 1) {
    condition = lifter.terms[condition.operands[1]];
    std::swap(then, otherwise);
  }
  const bool is_step =
      condition.kind == TermKind::Function && condition.function == FunctionKind::Step;
  if (is_step) {  // of a - b, which is b < a
    const Term& difference = lifter.terms[condition.operands[0]];
    if (difference.kind != TermKind::Operation || difference.op != array::Operator::Subtract) {
      return {};
    }
    condition.operands = {difference.operands[1], difference.operands[0]};
  }
  const bool is_order =
      condition.kind == TermKind::Function && (is_step || condition.function == FunctionKind::Less);
  const bool is_kept = then == carried || otherwise == carried;
  if (!is_order || !is_kept || then == otherwise) {
    return {};
  }
  const TermId other = then == carried ? otherwise : then;
  const bool is_straight = condition.operands[0] == carried && condition.operands[1] == other;
  const bool is_turned = condition.operands[0] == other && condition.operands[1] == carried;
  if (contains(lifter, other, carried) || (!is_straight && !is_turned)) {
    return {};
  }
  // The lesser is on the left of the comparison, and is chosen if that is true, or is not.
  return Extreme{
      .value = other, .is_greatest = then == condition.operands[1], .width = condition.width};
}

static auto extreme_of(Lifter& lifter, bool is_greatest, array::Width width, TermId a, TermId b)
    -> TermId {
  if (array::is_real(lifter.inputs)) {
    return real_extreme(lifter.terms, is_greatest, a, b);
  }
  const TermId is_less = lifter.terms.function(FunctionKind::Less, {a, b}, width);
  return is_greatest ? selected(lifter.terms, is_less, b, a)
                     : selected(lifter.terms, is_less, a, b);
}

auto joined_extreme(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<TermId> {
  const TermId carried = carried_value(lifter.terms, carried_by(iterations, variable), {});
  const std::optional<Extreme> iteration =
      compared_in_iteration(lifter, iterations.after[variable].scalar, carried);
  const std::optional<TermId> value =
      iteration ? resolved(lifter, iterations, iteration->value, std::nullopt) : std::nullopt;
  if (!value || iterations.n < 3 || lifter.terms.is_known(*value) ||
      lifter.terms.has_carried(*value)) {
    return {};
  }
  const std::optional<TermId> found = extreme_along(lifter, iterations, iteration->is_greatest,
                                                    iteration->width, *value, iterations.dim);
  return found ? std::optional(extreme_of(lifter, iteration->is_greatest, iteration->width,
                                          lifter.env[variable].scalar, *found))
               : std::nullopt;
}

auto extreme_along(Lifter& lifter, Iterations& iterations, bool is_greatest, array::Width width,
                   TermId all, DimId dim) -> std::optional<TermId> {
  while (lifter.terms.extent(dim) > 1) {
    // Of an odd number the one in the middle is compared twice, which does not matter.
    const int64_t n = lifter.terms.extent(dim);
    const DimId half = lifter.terms.new_dim("half", (n + 1) / 2);
    const std::optional<TermId> first = substituted(lifter.terms, all, {{dim, index_along(half)}});
    const std::optional<Index> across = sum(index_along(half), constant_index(n / 2));
    const std::optional<TermId> second = substituted(lifter.terms, all, {{dim, *across}});
    if (!first || !second) {
      return {};
    }
    all =
        stored(lifter, iterations, extreme_of(lifter, is_greatest, width, *first, *second), false);
    dim = half;
  }
  return substituted(lifter.terms, all, {{dim, constant_index(0)}});
}

}  // namespace tacet::lift
