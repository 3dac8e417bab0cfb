#include <algorithm>

#include "compiler/he/lift/cases.h"
#include "compiler/he/lift/lifter.h"

/// Loops in which iterations decide whether a variable gets a new value: searches that end with the
/// first that is found, flags, the last one that fulfils a condition. An iteration makes f*x + a of
/// x, with a truth value f; so all of them leave the sum of each a, times the f of the iterations
/// behind. A product over iterations takes as many levels as the logarithm of their number.
namespace tacet::lift {

using Op = array::Operator;
using array::FunctionKind;

static auto update_of(Lifter& lifter, TermId term, TermId carried) -> std::optional<Update> {
  if (term == carried) {
    return Update{lifter.terms.number(1), lifter.terms.number(0)};
  }
  if (!contains(lifter, term, carried)) {
    return Update{lifter.terms.number(0), term};
  }
  const Term node = lifter.terms[term];
  if (node.kind == TermKind::Function && node.function == FunctionKind::Select &&
      !contains(lifter, node.operands[0], carried)) {
    const std::optional<Update> then = update_of(lifter, node.operands[1], carried);
    const std::optional<Update> otherwise =
        then ? update_of(lifter, node.operands[2], carried) : then;
    if (!otherwise) {
      return {};
    }
    return Update{selected(lifter.terms, node.operands[0], then->factor, otherwise->factor),
                  selected(lifter.terms, node.operands[0], then->added, otherwise->added)};
  }
  const bool is_sum = node.kind == TermKind::Operation && node.op != Op::Multiply;
  const bool is_left = is_sum && contains(lifter, node.operands[0], carried);
  if (!is_sum || contains(lifter, node.operands[is_left ? 1 : 0], carried) ||
      (node.op == Op::Subtract && !is_left)) {
    return {};
  }
  std::optional<Update> inner = update_of(lifter, node.operands[is_left ? 0 : 1], carried);
  if (inner) {
    inner->added = lifter.terms.operation(node.op, inner->added, node.operands[is_left ? 1 : 0]);
  }
  return inner;
}

static auto with_value(Lifter& lifter, TermId term, TermId carried, int64_t value) -> TermId {
  return with_carried(lifter.terms, term, [&](TermId each) {
    return each == carried ? lifter.terms.number(value) : each;
  });
}

/// What sets a flag that stays set; it may have other variables in it.
static auto set_by(Lifter& lifter, const Iterations& iterations, uint32_t variable)
    -> std::optional<TermId> {
  const engine::ElementType element = type(lifter, kernel::VariableId{variable}).element;
  const TermId carried = carried_value(lifter.terms, carried_by(iterations, variable), {});
  const TermId after = iterations.after[variable].scalar;
  if (element.kind != engine::ElementKind::Bool || !contains(lifter, after, carried) ||
      lifter.terms.as_number(with_value(lifter, after, carried, 1)) != 1) {
    return {};
  }
  return with_value(lifter, after, carried, 0);
}

/// A truth value that is 0 only where the term is.
static auto support_of(Lifter& lifter, TermId term) -> TermId {
  if (const std::optional<int64_t> number = lifter.terms.as_number(term)) {
    return lifter.terms.number(*number != 0 ? 1 : 0);
  }
  const Term node = lifter.terms[term];
  if (node.kind != TermKind::Function || node.function != FunctionKind::Select) {
    return lifter.terms.number(1);
  }
  const TermId then = support_of(lifter, node.operands[1]);
  return selected(lifter.terms, node.operands[0], then, support_of(lifter, node.operands[2]));
}

static auto negated(Lifter& lifter, TermId truth) -> TermId {
  const Term node = lifter.terms[truth];
  if (node.kind != TermKind::Function || node.function != FunctionKind::Select) {
    return negation(lifter.terms, truth);
  }
  const TermId then = negated(lifter, node.operands[1]);
  return selected(lifter.terms, node.operands[0], then, negated(lifter, node.operands[2]));
}

/// Whether the variable is changed in one iteration at most: none after a flag is set, which each
/// iteration sets that changes it.
static auto changes_once(Lifter& lifter, const Iterations& iterations, const Update& update)
    -> bool {
  const TermId is_changed = negated(lifter, update.factor);
  return std::any_of(iterations.written.begin(), iterations.written.end(), [&](uint32_t variable) {
    const VariableState& flag = iterations.after[variable];
    if (!type(lifter, kernel::VariableId{variable}).extents.empty() || !flag.scalar.has_value()) {
      return false;
    }
    const std::optional<TermId> sets = set_by(lifter, iterations, variable);
    const TermId carried = carried_value(lifter.terms, carried_by(iterations, variable), {});
    const auto is_never = [&](TermId term) {
      return lifter.terms.as_number(with_value(lifter, term, carried, 1)) == 0;
    };
    const auto sets_it = [&](TermId truth) {
      return lifter.terms.cases().implies(with_value(lifter, truth, carried, 0), *sets);
    };
    return sets && is_never(is_changed) && is_never(update.added) && sets_it(is_changed) &&
           sets_it(support_of(lifter, update.added));
  });
}

/// Whether it is 0 or 1 by its operands.
static auto is_bit(const Lifter& lifter, TermId term) -> bool {
  const Term& node = lifter.terms[term];
  const std::optional<int64_t> number = lifter.terms.as_number(term);
  if (node.kind == TermKind::Operation) {
    return node.op == Op::Subtract && lifter.terms.as_number(node.operands[0]) == 1 &&
           is_bit(lifter, node.operands[1]);
  }
  if (node.kind == TermKind::Function && node.function == FunctionKind::Select) {
    return is_bit(lifter, node.operands[1]) && is_bit(lifter, node.operands[2]);
  }
  return number == 0 || number == 1 ||
         (node.kind == TermKind::Function &&
          (node.function == FunctionKind::Equal || node.function == FunctionKind::Less));
}

/// An array of it along its dimensions, since it is needed in several iterations at once.
auto stored(Lifter& lifter, Iterations& iterations, TermId value, bool is_truth) -> TermId {
  if (lifter.terms.has_carried(value) || lifter.terms.is_known(value) ||
      !lifter.terms.has_functions(value)) {
    return value;
  }
  const auto [found, is_new] = iterations.stored.try_emplace(value);
  if (is_new) {
    const std::vector<DimId> dims = lifter.terms.free_dims(value);
    const auto array = static_cast<uint32_t>(lifter.inputs.arrays.size() + lifter.computed.size());
    lifter.computed.push_back({.name = "iteration",
                               .array = array,
                               .dims = dims,
                               .value = value,
                               .place = lifter.terms.place(value),
                               .is_truth = is_truth && !is_bit(lifter, value)});
    lifter.terms.set_computed(array, value, dims);
    found->second = lifter.terms.element(array, along(dims));
    if (const Term node = lifter.terms[value]; node.kind == TermKind::Operation &&
                                               node.op == Op::Subtract &&
                                               lifter.terms.as_number(node.operands[0]) == 1) {
      iterations.stored.try_emplace(node.operands[1], negation(lifter.terms, found->second));
    }
  }
  return found->second;
}

static auto with_stored(Lifter& lifter, const Iterations& iterations, TermId term) -> TermId {
  return rewritten(lifter.terms, term, [&](TermId id) -> std::optional<TermId> {
    const auto found = iterations.stored.find(id);
    return found == iterations.stored.end() ? std::nullopt : std::optional(found->second);
  });
}

/// The sum or product over the iterations before `here`, or over those behind it.
static auto over_iterations(Lifter& lifter, const Iterations& iterations, Op op, TermId term,
                            Which which, const Index& here) -> std::optional<TermId> {
  const DimId other = lifter.terms.new_dim("iteration", iterations.n);
  const std::optional<TermId> there =
      substituted(lifter.terms, term, {{iterations.dim, index_along(other)}});
  const TermId at = lifter.terms.position(index_along(other));
  const TermId now = lifter.terms.position(here);
  const bool is_before = which == Which::Before;
  const TermId is_one =
      lifter.terms.function(FunctionKind::Less, {is_before ? at : now, is_before ? now : at});
  const TermId neutral = lifter.terms.number(op == Op::Add ? 0 : 1);
  return there ? std::optional(lifter.terms.reduce(op, other,
                                                   selected(lifter.terms, is_one, *there, neutral)))
               : std::nullopt;
}

/// What the iterations before `here` leave, or all of them.
auto joined_choices(Lifter& lifter, Iterations& iterations, uint32_t variable,
                    std::optional<Index> here) -> std::optional<TermId> {
  const TermId before = lifter.env[variable].scalar;
  const TermId carried = carried_value(lifter.terms, carried_by(iterations, variable), {});
  const auto all = [&](Op op, TermId term) -> std::optional<TermId> {
    return here ? over_iterations(lifter, iterations, op, term, Which::Before, *here)
                : std::optional(lifter.terms.reduce(op, iterations.dim, term));
  };
  if (const std::optional<TermId> sets = set_by(lifter, iterations, variable)) {
    const std::optional<TermId> iteration = resolved(lifter, iterations, *sets, std::nullopt);
    if (!iteration || lifter.terms.is_known(*iteration)) {
      return {};
    }
    const std::optional<TermId> never =
        all(Op::Multiply, negation(lifter.terms, stored(lifter, iterations, *iteration, true)));
    return never ? std::optional(negation(
                       lifter.terms, product(lifter.terms, negation(lifter.terms, before), *never)))
                 : std::nullopt;
  }
  const std::optional<Update> update =
      update_of(lifter, iterations.after[variable].scalar, carried);
  if (!update || lifter.terms.is_known(update->factor)) {
    return {};
  }
  const bool is_once = changes_once(lifter, iterations, *update);
  const TermId is_changed = is_once ? negated(lifter, update->factor) : update->factor;
  const std::optional<TermId> factor = resolved(lifter, iterations, is_changed, std::nullopt);
  const std::optional<TermId> added =
      factor ? resolved(lifter, iterations, update->added, std::nullopt) : factor;
  if (!added) {
    return {};
  }
  const bool is_zero = lifter.terms.as_number(before) == 0;
  if (is_once) {
    const std::optional<TermId> total = all(Op::Add, with_stored(lifter, iterations, *added));
    const std::optional<TermId> changed =
        is_zero ? lifter.terms.number(0) : all(Op::Add, with_stored(lifter, iterations, *factor));
    return total && changed
               ? std::optional(sum(lifter.terms, *total,
                                   product(lifter.terms, before, negation(lifter.terms, *changed))))
               : std::nullopt;
  }
  // Each a, times the f of the iterations behind it that count.
  const TermId kept = stored(lifter, iterations, *factor, true);
  const Index along = index_along(iterations.dim);
  TermId counted = kept;
  if (here) {
    const TermId one = lifter.terms.number(1);
    const TermId is_behind = lifter.terms.function(
        FunctionKind::Less, {lifter.terms.position(along), lifter.terms.position(*here)});
    counted = selected(lifter.terms, is_behind, kept, one);
  }
  const std::optional<TermId> behind =
      over_iterations(lifter, iterations, Op::Multiply, counted, Which::Behind, along);
  const std::optional<TermId> total =
      behind ? all(Op::Add, product(lifter.terms, with_stored(lifter, iterations, *added), *behind))
             : behind;
  const std::optional<TermId> first = is_zero ? lifter.terms.number(0) : all(Op::Multiply, kept);
  return total && first
             ? std::optional(sum(lifter.terms, *total, product(lifter.terms, before, *first)))
             : std::nullopt;
}

}  // namespace tacet::lift
