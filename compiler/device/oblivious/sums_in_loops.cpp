// Variables that depend on themselves: what the iterations of loops add to them at most.

#include <algorithm>
#include <iterator>

#include "base/overloads.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/range_arithmetic.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

/// `min(a, b)` or `max(a, b)`: one of both.
static auto is_choice(const Apply& apply) -> bool {
  return apply.arguments.size() == 2 &&
         (apply.function == engine::Function::Min || apply.function == engine::Function::Max);
}

auto Ranges::read_by(VariableId variable) -> const std::set<VariableId>& {
  const auto [found, is_new] = read_.try_emplace(variable);
  const auto sources = sources_.find(variable);
  if (is_new && sources != sources_.end()) {
    for (const Assigned& assigned : sources->second.values) {
      found->second.merge(variables_read(kernel_, assigned.value));
    }
  }
  return found->second;
}

/// Those that it depends on and that depend on it; empty if it does not depend on itself.
auto Ranges::cycle_of(VariableId variable) -> std::set<VariableId> {
  const auto reached_from = [&](VariableId start) {
    std::set<VariableId> reached;
    std::vector<VariableId> open = {start};
    while (!open.empty()) {
      const VariableId next = open.back();
      open.pop_back();
      for (const VariableId read : read_by(next)) {
        if (reached.insert(read).second) {
          open.push_back(read);
        }
      }
    }
    return reached;
  };
  const std::set<VariableId> reached = reached_from(variable);
  std::set<VariableId> cycle;
  if (reached.contains(variable)) {
    std::copy_if(reached.begin(), reached.end(), std::inserter(cycle, cycle.end()),
                 [&](VariableId other) { return reached_from(other).contains(variable); });
  }
  return cycle;
}

auto Ranges::mentions(ExprId expr, const std::set<VariableId>& cycle) const -> bool {
  const std::set<VariableId> read = variables_read(kernel_, expr);
  return std::any_of(read.begin(), read.end(),
                     [&](VariableId variable) { return cycle.contains(variable); });
}

/// What is put into an array element by element is seen as if all elements had it: a sum that is
/// added to one of them is added to the greatest, or to none.
auto Ranges::change_by(ExprId id, const std::set<VariableId>& cycle) -> Change {
  if (!mentions(id, cycle)) {
    return {.start = of(id)};
  }
  const Expr& expr = kernel_.exprs[id];
  const auto added = [](Change change, const Range& range) {
    change.start = change.start ? std::optional(plus(*change.start, range)) : std::nullopt;
    change.added = change.added ? std::optional(plus(*change.added, range)) : std::nullopt;
    return change;
  };
  const auto one_of = [&](ExprId a, ExprId b) -> Change {
    const Change first = change_by(a, cycle);
    const Change second = change_by(b, cycle);
    return {hull(first.start, second.start), hull(first.added, second.added)};
  };
  if (std::holds_alternative<Read>(expr.node)) {
    return {.added = Range{}};
  }
  if (const auto* element = std::get_if<Element>(&expr.node)) {
    return mentions(element->array, cycle) ? change_by(element->array, cycle)
                                           : Change{.start = of(id)};
  }
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    return one_of(select->then, select->otherwise);
  }
  if (const auto* cast = std::get_if<Cast>(&expr.node)) {
    return is_exact(kernel_.exprs[cast->operand].type.element) ? change_by(cast->operand, cycle)
                                                               : Change{.start = of(id)};
  }
  if (const auto* tabulate = std::get_if<Tabulate>(&expr.node)) {
    return change_by(tabulate->body, cycle);
  }
  if (const auto* apply = std::get_if<Apply>(&expr.node); apply != nullptr && is_choice(*apply)) {
    return one_of(apply->arguments[0], apply->arguments[1]);
  }
  if (const auto* binary = std::get_if<Binary>(&expr.node)) {
    const bool is_right = mentions(binary->right, cycle);
    if (binary->op == Operator::Add && is_right != mentions(binary->left, cycle)) {
      return added(change_by(is_right ? binary->right : binary->left, cycle),
                   of(is_right ? binary->left : binary->right));
    }
    if (binary->op == Operator::Sub && !is_right) {
      const Range range = of(binary->right);
      return added(change_by(binary->left, cycle), {-range.upper, -range.lower});
    }
  }
  return {.start = of(id)};  // whatever the variables are
}

/// The range of an expression if the variables of the cycle are in `assumed`; nothing if what
/// `change_by` adds may wrap.
auto Ranges::exact(ExprId id, const std::set<VariableId>& cycle, const Range& assumed)
    -> std::optional<Range> {
  if (!mentions(id, cycle)) {
    return of(id);
  }
  const Expr& expr = kernel_.exprs[id];
  const auto inner = [&](ExprId operand) { return exact(operand, cycle, assumed); };
  const auto both = [&](ExprId a, ExprId b) -> std::optional<Range> {
    const std::optional<Range> first = inner(a);
    const std::optional<Range> second = inner(b);
    return first && second ? std::optional(hull(*first, *second)) : std::nullopt;
  };
  const std::optional<Range> range = std::visit(
      Overloads{
          [&](const Read&) -> std::optional<Range> { return assumed; },
          [&](const Element& element) {
            return mentions(element.array, cycle) ? inner(element.array) : of(id);
          },
          [&](const Select& select) { return both(select.then, select.otherwise); },
          [&](const Cast& cast) {
            return is_exact(kernel_.exprs[cast.operand].type.element) ? inner(cast.operand)
                                                                      : of(id);
          },
          [&](const Tabulate& tabulate) { return inner(tabulate.body); },
          [&](const Apply& apply) {
            return is_choice(apply) ? both(apply.arguments[0], apply.arguments[1]) : of(id);
          },
          [&](const Binary& binary) -> std::optional<Range> {
            if (binary.op != Operator::Add && binary.op != Operator::Sub) {
              return of(id);
            }
            const std::optional<Range> left = inner(binary.left);
            const std::optional<Range> right = inner(binary.right);
            if (!left || !right) {
              return std::nullopt;
            }
            return binary.op == Operator::Add
                       ? plus(*left, *right)
                       : Range{left->lower - right->upper, left->upper - right->lower};
          },
          [&](const auto&) -> std::optional<Range> { return of(id); },
      },
      expr.node);
  return range && range->is_within(range_of_type(expr.type.element)) ? range : std::nullopt;
}

auto Ranges::iterations_of(const std::vector<StatementId>& loops) -> std::optional<__int128> {
  __int128 product = 1;
  for (const StatementId id : loops) {
    const Statement& statement = kernel_.statements[id];
    std::optional<__int128> n;
    const auto limit = [&](__int128 most) {
      n = std::max<__int128>(0, n ? std::min(*n, most) : most);
    };
    if (const auto* counted = std::get_if<For>(&statement.node)) {
      limit(of(counted->upper).upper - of(counted->lower).lower);
      if (counted->max) {
        limit(of(*counted->max).upper);
      }
    } else if (const auto* conditional = std::get_if<While>(&statement.node)) {
      if (conditional->max) {
        limit(of(*conditional->max).upper);
      }
    }
    // A body that is tested last runs once.
    if (!n || *n >= kMostAdditions || product * std::max<__int128>(*n, 1) >= kMostAdditions) {
      return std::nullopt;
    }
    product *= std::max<__int128>(*n, 1);
  }
  return product;
}

/// If variables that depend on each other grow by known amounts only: all that is ever added to any
/// of them. What one is comes from a start by additions of which each has happened once.
auto Ranges::of_sums(VariableId id) -> std::optional<Range> {
  const std::set<VariableId> cycle = cycle_of(id);
  const bool is_followed =
      !cycle.empty() && std::all_of(cycle.begin(), cycle.end(), [&](VariableId member) {
        const auto sources = sources_.find(member);
        return is_exact(kernel_.variables[member].type.element) && sources != sources_.end() &&
               sources->second.is_known && sources->second.loops.empty();
      });
  if (!is_followed) {
    return std::nullopt;
  }
  std::vector<VariableId> guessed;
  for (const VariableId member : cycle) {
    const Range type = range_of_type(kernel_.variables[member].type.element);
    if (ranges_.try_emplace(member, type).second) {
      guessed.push_back(member);
    }
  }
  const std::optional<Range> range = sum_of(cycle);
  for (const VariableId member : range ? std::vector(cycle.begin(), cycle.end()) : guessed) {
    if (range) {
      ranges_[member] = *range;
    } else {
      ranges_.erase(member);
    }
  }
  return range;
}

auto Ranges::sum_of(const std::set<VariableId>& cycle) -> std::optional<Range> {
  Range start;  // what nothing was assigned to, and elements out of bounds, are 0
  Range added;
  for (const VariableId member : cycle) {
    if (const auto& bound = kernel_.variables[member].bound) {
      start = hull(start, Range{bound->lower, bound->upper - 1});
    }
    for (const Assigned& assigned : sources_.at(member).values) {
      const Change change = change_by(assigned.value, cycle);
      const std::optional<__int128> n = iterations_of(assigned.loops);
      if (!n) {
        return std::nullopt;
      }
      start = hull(start, change.start.value_or(start));
      added = plus(added, scaled(hull(change.added.value_or(Range{}), Range{}), *n));
    }
  }
  const Range range = plus(start, added);
  for (const VariableId member : cycle) {
    for (const Assigned& assigned : sources_.at(member).values) {
      if (!exact(assigned.value, cycle, range)) {
        return std::nullopt;
      }
    }
    if (!range.is_within(range_of_type(kernel_.variables[member].type.element))) {
      return std::nullopt;
    }
  }
  return range;
}

}  // namespace tacet::oblivious
