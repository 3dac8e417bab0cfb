#include "compiler/mpc/lower/recurrences.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/independent_iterations.h"

namespace tacet::mpc_lower {

using kernel::ExprId;
using kernel::Kernel;
using kernel::VariableId;
using types::Operator;

namespace {

auto reads(const Kernel& kernel, VariableId variable, ExprId expr) -> bool {
  return kernel::variables_read(kernel, expr).contains(variable);
}

auto is_read_of(const Kernel& kernel, VariableId variable, ExprId expr) -> bool {
  const auto* read = std::get_if<kernel::Read>(&kernel.exprs[expr].node);
  return read != nullptr && read->variable == variable;
}

auto is_bool(const kernel::Type& type) -> bool {
  return type.element == engine::kBool;
}

/// Sums and products; of truth values also what is made of them.
auto is_affine_binary(const Kernel& kernel, VariableId variable, const kernel::Binary& binary,
                      bool of_truths) -> bool {
  const bool is_left = reads(kernel, variable, binary.left);
  const bool is_right = reads(kernel, variable, binary.right);
  const auto both = [&] {
    return is_affine_in(kernel, variable, binary.left) &&
           is_affine_in(kernel, variable, binary.right);
  };
  const auto one = [&] {
    return is_left != is_right &&
           is_affine_in(kernel, variable, is_left ? binary.left : binary.right);
  };
  if (!is_bool(kernel.exprs[binary.left].type)) {
    const bool is_sum = binary.op == Operator::Add || binary.op == Operator::Sub;
    return !of_truths && (is_sum ? both() : binary.op == Operator::Mul && one());
  }
  if (binary.op == Operator::Xor || binary.op == Operator::Eq || binary.op == Operator::Neq) {
    return both();
  }
  const bool is_product = binary.op == Operator::And || binary.op == Operator::Or ||
                          binary.op == Operator::Land || binary.op == Operator::Lor;
  return is_product && one() && !kernel::can_fault(kernel, binary.right);
}

/// A comparison with its operands exchanged.
auto exchanged(Operator comparison) -> Operator {
  return comparison == Operator::Lt    ? Operator::Gt
         : comparison == Operator::Gt  ? Operator::Lt
         : comparison == Operator::Leq ? Operator::Geq
                                       : Operator::Leq;
}

}  // namespace

auto is_affine_in(const Kernel& kernel, VariableId variable, ExprId value) -> bool {
  const kernel::Expr& expr = kernel.exprs[value];
  if (!expr.type.extents.empty()) {
    return false;
  }
  if (!reads(kernel, variable, value) || is_read_of(kernel, variable, value)) {
    return true;
  }
  const bool of_truths = is_bool(expr.type);
  if (const auto* binary = std::get_if<kernel::Binary>(&expr.node)) {
    return is_affine_binary(kernel, variable, *binary, of_truths);
  }
  if (const auto* unary = std::get_if<kernel::Unary>(&expr.node)) {
    return unary->op == (of_truths ? Operator::Not : Operator::Neg) &&
           is_affine_in(kernel, variable, unary->operand);
  }
  if (const auto* select = std::get_if<kernel::Select>(&expr.node)) {
    return !reads(kernel, variable, select->condition) &&
           !kernel::can_fault(kernel, select->then) &&
           !kernel::can_fault(kernel, select->otherwise) &&
           is_affine_in(kernel, variable, select->then) &&
           is_affine_in(kernel, variable, select->otherwise);
  }
  return false;
}

Recurrences::Recurrences(const Kernel& kernel, const kernel::Block& body)
    : kernel_(kernel), body_(body), reads_(body.size()), writes_(body.size()) {
  std::map<VariableId, size_t> n_written;
  for (size_t i = 0; i < body.size(); ++i) {
    kernel::walk_statements(kernel, kernel::Block{body[i]}, [&](kernel::StatementId id) {
      const kernel::Statement& statement = kernel.statements[id];
      kernel::visit_read(kernel, statement, [&](VariableId read) { ++reads_[i][read]; });
      kernel::visit_written(statement, [&](VariableId written) {
        ++n_written[written];
        writes_[i].insert(written);
      });
    });
    if (const auto* assign = std::get_if<kernel::Assign>(&kernel.statements[body[i]].node)) {
      assigned_[assign->variable] = {i, assign->value};
    }
  }
  std::erase_if(assigned_, [&](const auto& entry) {
    return n_written[entry.first] != 1 || !kernel.variables[entry.first].type.extents.empty();
  });
}

auto Recurrences::assigned(VariableId variable) const -> const Assigned* {
  const auto found = assigned_.find(variable);
  return found == assigned_.end() ? nullptr : &found->second;
}

auto Recurrences::reads_between(VariableId variable, size_t begin, size_t end) const -> size_t {
  size_t n = 0;
  for (size_t i = begin; i < end; ++i) {
    const auto found = reads_[i].find(variable);
    n += found == reads_[i].end() ? 0 : found->second;
  }
  return n;
}

auto Recurrences::changes_between(ExprId value, size_t begin, size_t end) const -> bool {
  const std::set<VariableId> read = kernel::variables_read(kernel_, value);
  for (size_t i = begin; i < end; ++i) {
    for (const VariableId written : kernel::variables_written(kernel_, kernel::Block{body_[i]})) {
      if (read.contains(written)) {
        return true;
      }
    }
  }
  return false;
}

auto Recurrences::is_affine_from_before(VariableId variable) const -> bool {
  const Assigned* found = assigned(variable);
  const engine::ElementKind kind = kernel_.variables[variable].type.element.kind;
  return found != nullptr && (engine::is_integer(kind) || kind == engine::ElementKind::Bool) &&
         is_affine_in(kernel_, variable, found->value);
}

auto Recurrences::is_affine(VariableId variable) const -> bool {
  return is_affine_from_before(variable) && reads_between(variable, 0, assigned(variable)->at) == 0;
}

auto Recurrences::must_follow(size_t later, size_t earlier, const std::set<VariableId>& early) const
    -> bool {
  for (const VariableId written : writes_[earlier]) {
    if (reads_[later].contains(written) || writes_[later].contains(written)) {
      return true;
    }
  }
  return std::any_of(writes_[later].begin(), writes_[later].end(), [&](VariableId written) {
    return reads_[earlier].contains(written) && !early.contains(written);
  });
}

auto Recurrences::order_with_first(const std::set<VariableId>& early) const
    -> std::optional<std::vector<size_t>> {
  constexpr size_t kMostStatements = 1000;
  const size_t n = body_.size();
  if (n > kMostStatements) {
    return std::nullopt;
  }
  const auto precedes = [&](size_t a, size_t b) {
    if (a < b) {
      return must_follow(b, a, early);
    }
    // What is read before its assignment in the text is known with it.
    return std::any_of(writes_[a].begin(), writes_[a].end(), [&](VariableId written) {
      return early.contains(written) && reads_[b].contains(written);
    });
  };
  std::vector<std::vector<size_t>> after(n);
  std::vector<size_t> n_before(n);
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < n; ++b) {
      if (a != b && precedes(a, b)) {
        after[a].push_back(b);
        ++n_before[b];
      }
    }
  }
  std::set<size_t> ready;
  for (size_t at = 0; at < n; ++at) {
    if (n_before[at] == 0) {
      ready.insert(at);
    }
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.extract(ready.begin()).value());
    for (const size_t next : after[order.back()]) {
      if (--n_before[next] == 0) {
        ready.insert(next);
      }
    }
  }
  if (order.size() < n) {
    return std::nullopt;
  }
  return order;
}

auto Recurrences::is_read_later(VariableId variable) const -> bool {
  const Assigned* found = assigned(variable);
  return found != nullptr && reads_between(variable, found->at + 1, body_.size()) > 0;
}

auto Recurrences::condition_of(ExprId condition) const
    -> std::pair<ExprId, std::optional<VariableId>> {
  const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[condition].node);
  const Assigned* found = read == nullptr ? nullptr : assigned(read->variable);
  return found == nullptr ? std::pair(condition, std::optional<VariableId>())
                          : std::pair(found->value, std::optional(read->variable));
}

/// The group of a key: all that is selected by the same comparison.
auto Recurrences::selection_by(VariableId key) const -> std::optional<Selection> {
  const Assigned* of_key = assigned(key);
  const auto* choice = std::get_if<kernel::Select>(&kernel_.exprs[of_key->value].node);
  if (choice == nullptr || !is_read_of(kernel_, key, choice->otherwise)) {
    return std::nullopt;
  }
  const ExprId condition = condition_of(choice->condition).first;
  std::vector<ExprId> conjuncts = conjuncts_of(kernel_, condition);
  const auto test = std::find_if(conjuncts.begin(), conjuncts.end(), [&](ExprId each) {
    const auto* binary = std::get_if<kernel::Binary>(&kernel_.exprs[each].node);
    if (binary == nullptr || binary->op < Operator::Lt || binary->op > Operator::Geq) {
      return false;
    }
    const bool is_left = is_read_of(kernel_, key, binary->left);
    return is_left != is_read_of(kernel_, key, binary->right) &&
           is_same_expr(kernel_, is_left ? binary->right : binary->left, choice->then);
  });
  if (test == conjuncts.end() || kernel::can_fault(kernel_, condition)) {
    return std::nullopt;
  }
  const auto& comparison = std::get<kernel::Binary>(kernel_.exprs[*test].node);
  const bool is_right = is_read_of(kernel_, key, comparison.right);
  Selection selection{.key = key,
                      .candidate = is_right ? comparison.left : comparison.right,
                      .comparison = is_right ? comparison.op : exchanged(comparison.op)};
  conjuncts.erase(test);
  selection.conditions = std::move(conjuncts);
  for (const auto& [variable, each] : assigned_) {
    const auto* other = std::get_if<kernel::Select>(&kernel_.exprs[each.value].node);
    if (other == nullptr || !is_read_of(kernel_, variable, other->otherwise)) {
      continue;
    }
    const auto [same, outcome] = condition_of(other->condition);
    const bool is_other_outcome = outcome && selection.outcome && *outcome != *selection.outcome;
    if (is_other_outcome || !is_same_expr(kernel_, same, condition)) {
      continue;
    }
    selection.values.emplace(variable, other->then);
    if (outcome) {
      selection.outcome = outcome;
      selection.by_outcome.insert(variable);
    }
  }
  return selection;
}

/// Does nothing else in the body know of its variables, and is the comparison that of what they
/// held before wherever it stands?
auto Recurrences::is_closed(const Selection& selection) const -> bool {
  const size_t n = body_.size();
  const size_t at_key = assigned(selection.key)->at;
  const size_t n_alone = selection.values.size() - selection.by_outcome.size();
  size_t first = at_key;
  if (selection.outcome) {
    first = assigned(*selection.outcome)->at;
    if (first > at_key || reads_between(*selection.outcome, 0, n) != selection.by_outcome.size()) {
      return false;
    }
  }
  for (const auto& [variable, value] : selection.values) {
    const size_t at = assigned(variable)->at;
    const bool is_key = variable == selection.key;
    const bool is_by_outcome = selection.by_outcome.contains(variable);
    first = std::min(first, at);
    // Each reads itself once, and each comparison the key.
    const size_t n_reads = 1 + (is_key ? n_alone + (selection.outcome ? 1 : 0) : 0);
    const bool is_in_order = is_by_outcome ? at > assigned(*selection.outcome)->at : at <= at_key;
    if (reads_between(variable, 0, n) != n_reads || !is_in_order) {
      return false;
    }
    for (const auto& [other, _] : selection.values) {
      if (reads(kernel_, other, value)) {
        return false;
      }
    }
    if (selection.outcome && reads(kernel_, *selection.outcome, value)) {
      return false;
    }
  }
  std::vector<ExprId> compared = selection.conditions;
  compared.push_back(selection.candidate);
  return std::none_of(compared.begin(), compared.end(), [&](ExprId each) {
    return changes_between(each, first, at_key) ||
           std::any_of(selection.values.begin(), selection.values.end(),
                       [&](const auto& value) { return reads(kernel_, value.first, each); });
  });
}

auto Recurrences::selections() const -> std::vector<Selection> {
  std::vector<Selection> found;
  for (const auto& [variable, _] : assigned_) {
    std::optional<Selection> selection = selection_by(variable);
    if (selection && is_closed(*selection)) {
      found.push_back(*std::move(selection));
    }
  }
  return found;
}

}  // namespace tacet::mpc_lower
