#include <algorithm>
#include <cstdlib>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/independent_iterations.h"

/// What iterations do to arrays: whether they add to elements, or stay with elements of their own.
namespace tacet::mpc_lower {

using kernel::ExprId;
using kernel::VariableId;
using types::Operator;

auto IterationAnalysis::adds_to(const kernel::StoreElement& store, ExprId value, size_t& n) const
    -> bool {
  if (names_element(kernel_, store, value)) {
    ++n;
    return true;
  }
  const auto& node = kernel_.exprs[value].node;
  if (const auto* select = std::get_if<kernel::Select>(&node)) {
    return adds_to(store, select->then, n) && adds_to(store, select->otherwise, n);
  }
  const auto* binary = std::get_if<kernel::Binary>(&node);
  if (binary == nullptr || (binary->op != Operator::Add && binary->op != Operator::Sub)) {
    return false;
  }
  const bool left = reads_of(store.array, binary->left) > 0;
  return adds_to(store, left || binary->op == Operator::Sub ? binary->left : binary->right, n);
}

auto IterationAnalysis::is_summed(VariableId array, const kernel::Block& body) const -> bool {
  size_t n = 0;
  bool fits = true;
  kernel::walk_statements(kernel_, body, [&](kernel::StatementId id) {
    const kernel::Statement& statement = kernel_.statements[id];
    kernel::visit_written(statement, [&](VariableId written) {
      if (written == array) {
        const auto* store = std::get_if<kernel::StoreElement>(&statement.node);
        fits = fits && store != nullptr && adds_to(*store, store->value, n);
      }
    });
  });
  const Reads reads = reads_in(body);
  const auto found = reads.find(array);
  return fits && found != reads.end() && found->second == n;
}

auto IterationAnalysis::form_of(ExprId expr) const -> std::optional<Form> {
  const kernel::Expr& node = kernel_.exprs[expr];
  if (!engine::is_integer(node.type.element.kind) || !node.type.extents.empty()) {
    return std::nullopt;
  }
  if (const auto* literal = std::get_if<kernel::Literal>(&node.node)) {
    return Form{static_cast<int64_t>(literal->cell)};
  }
  if (const auto* read = std::get_if<kernel::Read>(&node.node)) {
    const auto definition = definitions_.find(read->variable);
    if (definition != definitions_.end()) {
      if (std::optional<Form> form = form_of(definition->second)) {
        return form;
      }
    }
    return Form{0, {{read->variable, 1}}};
  }
  if (const auto* conversion = std::get_if<kernel::Cast>(&node.node)) {
    const auto from = kernel_.exprs[conversion->operand].type.element.kind;
    const bool keeps = engine::bit_width(from) <= engine::bit_width(node.type.element.kind);
    return keeps ? form_of(conversion->operand) : std::nullopt;
  }
  const auto* binary = std::get_if<kernel::Binary>(&node.node);
  if (binary == nullptr) {
    return std::nullopt;
  }
  std::optional<Form> left = form_of(binary->left);
  const std::optional<Form> right = left ? form_of(binary->right) : std::nullopt;
  return right ? joined(binary->op, *std::move(left), *right) : std::nullopt;
}

/// Nothing where a number may leave its type, or for other operators.
auto IterationAnalysis::joined(Operator op, Form left, const Form& right) -> std::optional<Form> {
  constexpr int64_t kFactor = int64_t{1} << 31;
  const auto is_small = [](const Form& form) {
    return form.offset > -kFactor && form.offset < kFactor &&
           std::all_of(form.terms.begin(), form.terms.end(), [](const auto& term) {
             return term.second > -kFactor && term.second < kFactor;
           });
  };
  if (!is_small(left) || !is_small(right)) {
    return std::nullopt;
  }
  if (op == Operator::Add || op == Operator::Sub) {
    const int64_t sign = op == Operator::Add ? 1 : -1;
    left.offset += sign * right.offset;
    for (const auto& [variable, factor] : right.terms) {
      if ((left.terms[variable] += sign * factor) == 0) {
        left.terms.erase(variable);
      }
    }
    return left;
  }
  if (op != Operator::Mul || (!left.terms.empty() && !right.terms.empty())) {
    return std::nullopt;
  }
  const Form& form = left.terms.empty() ? right : left;
  const int64_t by = left.terms.empty() ? left.offset : right.offset;
  Form product{form.offset * by};
  for (const auto& [variable, factor] : form.terms) {
    if (factor * by != 0) {
      product.terms[variable] = factor * by;
    }
  }
  return product;
}

auto IterationAnalysis::accesses_to(VariableId array, const kernel::Block& block) const
    -> std::optional<std::vector<Indices>> {
  std::vector<Indices> accesses;
  size_t n_reads = 0;
  bool fits = true;
  const auto visit_reads = [&](ExprId expr) {
    kernel::walk_exprs(kernel_, expr, [&](ExprId inner) {
      const auto* element = std::get_if<kernel::Element>(&kernel_.exprs[inner].node);
      if (element != nullptr && is_read_of(array, element->array)) {
        accesses.push_back(element->indices);
        ++n_reads;
      }
    });
  };
  kernel::walk_statements(kernel_, block, [&](kernel::StatementId id) {
    const kernel::Statement& statement = kernel_.statements[id];
    kernel::visit_exprs(statement, visit_reads);
    kernel::visit_written(statement, [&](VariableId written) {
      if (written == array) {
        const auto* store = std::get_if<kernel::StoreElement>(&statement.node);
        fits = fits && store != nullptr;
        if (store != nullptr) {
          accesses.push_back(store->indices);
        }
      }
    });
  });
  const Reads reads = reads_in(block);
  const auto found = reads.find(array);
  const bool all_are_elements = (found == reads.end() ? 0 : found->second) == n_reads;
  return fits && all_are_elements ? std::optional(std::move(accesses)) : std::nullopt;
}

/// What counters of loops in a block count through, where that is known and not empty.
static auto counted_ranges(const kernel::Kernel& kernel, const kernel::Block& block)
    -> std::map<VariableId, std::pair<int64_t, int64_t>> {
  constexpr int64_t kMost = int64_t{1} << 31;
  std::map<VariableId, std::pair<int64_t, int64_t>> ranges;
  kernel::walk_statements(kernel, block, [&](kernel::StatementId id) {
    const auto* loop = std::get_if<kernel::For>(&kernel.statements[id].node);
    const auto literal_of = [&](ExprId expr) -> std::optional<int64_t> {
      const auto* literal = std::get_if<kernel::Literal>(&kernel.exprs[expr].node);
      return literal == nullptr ? std::nullopt : std::optional(static_cast<int64_t>(literal->cell));
    };
    const auto lower = loop == nullptr ? std::nullopt : literal_of(loop->lower);
    const auto upper = loop == nullptr ? std::nullopt : literal_of(loop->upper);
    if (lower && upper && -kMost < *lower && *lower < *upper && *upper < kMost) {
      ranges[loop->counter] = {*lower, *upper - 1};
    }
  });
  return ranges;
}

auto IterationAnalysis::is_apart_along(size_t dimension, const std::vector<Indices>& accesses,
                                       const kernel::For& loop, int64_t step) const -> bool {
  std::optional<Form> first;
  int64_t low = 0;
  int64_t high = 0;
  const auto inner = counted_ranges(kernel_, loop.body);
  for (const Indices& indices : accesses) {
    std::optional<Form> form =
        dimension < indices.size() ? form_of(indices[dimension]) : std::nullopt;
    if (!form) {
      return false;
    }
    int64_t own_low = form->offset;
    int64_t own_high = form->offset;
    for (const auto& [counter, range] : inner) {
      const auto term = form->terms.find(counter);
      if (term != form->terms.end()) {
        const auto [a, b] = std::minmax({term->second * range.first, term->second * range.second});
        own_low += a;
        own_high += b;
        form->terms.erase(term);
      }
    }
    if (first && first->terms != form->terms) {
      return false;
    }
    low = first ? std::min(low, own_low) : own_low;
    high = first ? std::max(high, own_high) : own_high;
    first = form;
  }
  if (!first) {
    return false;
  }
  const Variables written = kernel::variables_written(kernel_, loop.body);
  const auto factor = first->terms.find(loop.counter);
  const bool is_fixed =
      std::all_of(first->terms.begin(), first->terms.end(),
                  [&](const std::pair<const VariableId, int64_t>& term) {
                    return term.first == loop.counter ||
                           (!written.contains(term.first) &&
                            kernel_.variables[term.first].kind != kernel::VariableKind::Index);
                  });
  return is_fixed && factor != first->terms.end() && high - low < std::abs(factor->second * step);
}

/// There is a dimension whose indices are factor · counter + one rest + offsets that are less than
/// a step apart: iterations stay in slices of their own.
auto IterationAnalysis::is_shared(VariableId array, const kernel::For& loop, int64_t step) const
    -> bool {
  const std::optional<std::vector<Indices>> accesses = accesses_to(array, loop.body);
  if (!accesses) {
    return false;
  }
  const size_t n_dimensions = kernel_.variables[array].type.extents.size();
  for (size_t d = 0; d < n_dimensions; ++d) {
    if (is_apart_along(d, *accesses, loop, step)) {
      return true;
    }
  }
  return false;
}

}  // namespace tacet::mpc_lower
