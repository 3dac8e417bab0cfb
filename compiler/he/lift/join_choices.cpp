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

auto Lifter::update_of(TermId term, TermId carried) -> std::optional<Update> {
  if (term == carried) {
    return Update{terms_.number(1), terms_.number(0)};
  }
  if (!contains(term, carried)) {
    return Update{terms_.number(0), term};
  }
  const Term node = terms_[term];
  if (node.kind == TermKind::Function && node.function == FunctionKind::Select &&
      !contains(node.operands[0], carried)) {
    const std::optional<Update> then = update_of(node.operands[1], carried);
    const std::optional<Update> otherwise = then ? update_of(node.operands[2], carried) : then;
    if (!otherwise) {
      return {};
    }
    return Update{terms_.select(node.operands[0], then->factor, otherwise->factor),
                  terms_.select(node.operands[0], then->added, otherwise->added)};
  }
  const bool is_sum = node.kind == TermKind::Operation && node.op != Op::Multiply;
  const bool is_left = is_sum && contains(node.operands[0], carried);
  if (!is_sum || contains(node.operands[is_left ? 1 : 0], carried) ||
      (node.op == Op::Subtract && !is_left)) {
    return {};
  }
  std::optional<Update> inner = update_of(node.operands[is_left ? 0 : 1], carried);
  if (inner) {
    inner->added = terms_.operation(node.op, inner->added, node.operands[is_left ? 1 : 0]);
  }
  return inner;
}

auto Lifter::with_value(TermId term, TermId carried, int64_t value) -> TermId {
  return terms_.with_carried(
      term, [&](TermId each) { return each == carried ? terms_.number(value) : each; });
}

/// What sets a flag that stays set; it may have other variables in it.
auto Lifter::set_by(const Iterations& iterations, uint32_t variable) -> std::optional<TermId> {
  const engine::ElementType element = type(kernel::VariableId{variable}).element;
  const TermId carried = terms_.carried(carried_by(iterations, variable), {});
  const TermId after = iterations.after[variable].scalar;
  if (element.kind != engine::ElementKind::Bool || !contains(after, carried) ||
      terms_.as_number(with_value(after, carried, 1)) != 1) {
    return {};
  }
  return with_value(after, carried, 0);
}

/// A truth value that is 0 only where the term is.
auto Lifter::support_of(TermId term) -> TermId {
  if (const std::optional<int64_t> number = terms_.as_number(term)) {
    return terms_.number(*number != 0 ? 1 : 0);
  }
  const Term node = terms_[term];
  if (node.kind != TermKind::Function || node.function != FunctionKind::Select) {
    return terms_.number(1);
  }
  const TermId then = support_of(node.operands[1]);
  return terms_.select(node.operands[0], then, support_of(node.operands[2]));
}

auto Lifter::negated(TermId truth) -> TermId {
  const Term node = terms_[truth];
  if (node.kind != TermKind::Function || node.function != FunctionKind::Select) {
    return terms_.negation(truth);
  }
  const TermId then = negated(node.operands[1]);
  return terms_.select(node.operands[0], then, negated(node.operands[2]));
}

/// Whether the variable is changed in one iteration at most: none after a flag is set, which each
/// iteration sets that changes it.
auto Lifter::changes_once(const Iterations& iterations, const Update& update) -> bool {
  const TermId is_changed = negated(update.factor);
  return std::any_of(iterations.written.begin(), iterations.written.end(), [&](uint32_t variable) {
    const VariableState& flag = iterations.after[variable];
    if (!type(kernel::VariableId{variable}).extents.empty() || !flag.scalar.has_value()) {
      return false;
    }
    const std::optional<TermId> sets = set_by(iterations, variable);
    const TermId carried = terms_.carried(carried_by(iterations, variable), {});
    const auto is_never = [&](TermId term) {
      return terms_.as_number(with_value(term, carried, 1)) == 0;
    };
    const auto sets_it = [&](TermId truth) {
      return terms_.cases().implies(with_value(truth, carried, 0), *sets);
    };
    return sets && is_never(is_changed) && is_never(update.added) && sets_it(is_changed) &&
           sets_it(support_of(update.added));
  });
}

/// Whether it is 0 or 1 by what it is made of.
auto Lifter::is_bit(TermId term) const -> bool {
  const Term& node = terms_[term];
  const std::optional<int64_t> number = terms_.as_number(term);
  if (node.kind == TermKind::Operation) {
    return node.op == Op::Subtract && terms_.as_number(node.operands[0]) == 1 &&
           is_bit(node.operands[1]);
  }
  if (node.kind == TermKind::Function && node.function == FunctionKind::Select) {
    return is_bit(node.operands[1]) && is_bit(node.operands[2]);
  }
  return number == 0 || number == 1 ||
         (node.kind == TermKind::Function &&
          (node.function == FunctionKind::Equal || node.function == FunctionKind::Less));
}

/// An array of it along its dimensions, since it is asked for in several iterations at once.
auto Lifter::stored(Iterations& iterations, TermId value, bool is_truth) -> TermId {
  if (terms_.has_carried(value) || terms_.is_known(value) || !terms_.has_functions(value)) {
    return value;
  }
  const auto [found, is_new] = iterations.stored.try_emplace(value);
  if (is_new) {
    const std::vector<DimId> dims = terms_.free_dims(value);
    const auto array = static_cast<uint32_t>(inputs_.arrays.size() + computed_.size());
    computed_.push_back({.name = "turn",
                         .array = array,
                         .dims = dims,
                         .value = value,
                         .place = terms_.place(value),
                         .is_truth = is_truth && !is_bit(value)});
    terms_.set_computed(array, value, dims);
    found->second = terms_.element(array, along(dims));
    if (const Term node = terms_[value]; node.kind == TermKind::Operation &&
                                         node.op == Op::Subtract &&
                                         terms_.as_number(node.operands[0]) == 1) {
      iterations.stored.try_emplace(node.operands[1], terms_.negation(found->second));
    }
  }
  return found->second;
}

auto Lifter::with_stored(const Iterations& iterations, TermId term) -> TermId {
  return terms_.rewritten(term, [&](TermId id) -> std::optional<TermId> {
    const auto found = iterations.stored.find(id);
    return found == iterations.stored.end() ? std::nullopt : std::optional(found->second);
  });
}

/// The sum or product over the iterations before `here`, or over those behind it.
auto Lifter::over_iterations(const Iterations& iterations, Op op, TermId term, Which which,
                             const Index& here) -> std::optional<TermId> {
  const DimId other = terms_.new_dim("turn", iterations.n);
  const std::optional<TermId> there =
      terms_.substituted(term, {{iterations.dim, index_along(other)}});
  const TermId at = terms_.position(index_along(other));
  const TermId now = terms_.position(here);
  const bool is_before = which == Which::Before;
  const TermId is_one =
      terms_.function(FunctionKind::Less, {is_before ? at : now, is_before ? now : at});
  const TermId neutral = terms_.number(op == Op::Add ? 0 : 1);
  return there ? std::optional(terms_.reduce(op, other, terms_.select(is_one, *there, neutral)))
               : std::nullopt;
}

/// What the iterations before `here` leave, or all of them.
auto Lifter::joined_choices(Iterations& iterations, uint32_t variable, std::optional<Index> here)
    -> std::optional<TermId> {
  const TermId before = env_[variable].scalar;
  const TermId carried = terms_.carried(carried_by(iterations, variable), {});
  const auto all = [&](Op op, TermId term) -> std::optional<TermId> {
    return here ? over_iterations(iterations, op, term, Which::Before, *here)
                : std::optional(terms_.reduce(op, iterations.dim, term));
  };
  if (const std::optional<TermId> sets = set_by(iterations, variable)) {
    const std::optional<TermId> iteration = resolved(iterations, *sets, std::nullopt);
    if (!iteration || terms_.is_known(*iteration)) {
      return {};
    }
    const std::optional<TermId> never =
        all(Op::Multiply, terms_.negation(stored(iterations, *iteration, true)));
    return never ? std::optional(terms_.negation(terms_.product(terms_.negation(before), *never)))
                 : std::nullopt;
  }
  const std::optional<Update> update = update_of(iterations.after[variable].scalar, carried);
  if (!update || terms_.is_known(update->factor)) {
    return {};
  }
  const bool is_once = changes_once(iterations, *update);
  const TermId is_changed = is_once ? negated(update->factor) : update->factor;
  const std::optional<TermId> factor = resolved(iterations, is_changed, std::nullopt);
  const std::optional<TermId> added =
      factor ? resolved(iterations, update->added, std::nullopt) : factor;
  if (!added) {
    return {};
  }
  const bool is_zero = terms_.as_number(before) == 0;
  if (is_once) {
    const std::optional<TermId> total = all(Op::Add, with_stored(iterations, *added));
    const std::optional<TermId> changed =
        is_zero ? terms_.number(0) : all(Op::Add, with_stored(iterations, *factor));
    return total && changed ? std::optional(terms_.sum(
                                  *total, terms_.product(before, terms_.negation(*changed))))
                            : std::nullopt;
  }
  // Each a, times the f of the iterations behind it that count.
  const TermId kept = stored(iterations, *factor, true);
  const Index along = index_along(iterations.dim);
  const TermId counted =
      here ? terms_.select(terms_.function(FunctionKind::Less,
                                           {terms_.position(along), terms_.position(*here)}),
                           kept, terms_.number(1))
           : kept;
  const std::optional<TermId> behind =
      over_iterations(iterations, Op::Multiply, counted, Which::Behind, along);
  const std::optional<TermId> total =
      behind ? all(Op::Add, terms_.product(with_stored(iterations, *added), *behind)) : behind;
  const std::optional<TermId> first = is_zero ? terms_.number(0) : all(Op::Multiply, kept);
  return total && first ? std::optional(terms_.sum(*total, terms_.product(before, *first)))
                        : std::nullopt;
}

}  // namespace tacet::lift
