#include "compiler/mpc/lower/independent_iterations.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"

namespace tacet::mpc_lower {

using kernel::ExprId;
using kernel::VariableId;
using types::Operator;

auto neutral_cell(IterationEffect effect, engine::ElementType element) -> engine::Cell {
  const bool is_integer = engine::is_integer(element.kind);
  switch (effect) {
    case IterationEffect::Product:
      return engine::one(element);
    case IterationEffect::And:
      return 1;
    case IterationEffect::Min:
      return is_integer ? engine::max_integer(element.kind) : ~uint64_t{0} >> 1;
    case IterationEffect::Max:
      return is_integer ? static_cast<engine::Cell>(engine::min_integer(element.kind))
                        : uint64_t{1} << 63;
    case IterationEffect::Sum:
    case IterationEffect::Or:
    case IterationEffect::Xor:
    case IterationEffect::Shared:
    case IterationEffect::Summed:
    case IterationEffect::Last:
    case IterationEffect::Carried:
    case IterationEffect::CarriedForAll:
    case IterationEffect::Selected:
      break;
  }
  return 0;
}

auto is_same_expr(const kernel::Kernel& kernel, ExprId left, ExprId right) -> bool {
  if (left == right) {
    return true;
  }
  const kernel::Expr& a = kernel.exprs[left];
  const kernel::Expr& b = kernel.exprs[right];
  if (a.node.index() != b.node.index() || a.type != b.type) {
    return false;
  }
  std::vector<ExprId> parts_of_a;
  std::vector<ExprId> parts_of_b;
  kernel::visit_exprs(a, [&](ExprId part) { parts_of_a.push_back(part); });
  kernel::visit_exprs(b, [&](ExprId part) { parts_of_b.push_back(part); });
  // With equal parts the nodes are equal if they are so after the parts were exchanged.
  kernel::Expr copy = a;
  size_t next = 0;
  if (parts_of_a.size() != parts_of_b.size()) {
    return false;
  }
  kernel::visit_exprs(copy, [&](ExprId& part) { part = parts_of_b[next++]; });
  return copy.node == b.node &&
         std::equal(parts_of_a.begin(), parts_of_a.end(), parts_of_b.begin(),
                    [&](ExprId x, ExprId y) { return is_same_expr(kernel, x, y); });
}

auto names_element(const kernel::Kernel& kernel, const kernel::StoreElement& store, ExprId expr)
    -> bool {
  const auto* element = std::get_if<kernel::Element>(&kernel.exprs[expr].node);
  if (element == nullptr || element->indices.size() != store.indices.size()) {
    return false;
  }
  const auto* read = std::get_if<kernel::Read>(&kernel.exprs[element->array].node);
  return read != nullptr && read->variable == store.array &&
         std::equal(store.indices.begin(), store.indices.end(), element->indices.begin(),
                    [&](ExprId a, ExprId b) { return is_same_expr(kernel, a, b); });
}

IterationAnalysis::IterationAnalysis(const kernel::Kernel& kernel)
    : kernel_(kernel),
      reads_(reads_in(kernel.body)),
      definitions_(kernel::values_assigned_once(kernel)) {}

auto IterationAnalysis::reads_in(const kernel::Block& block) const -> Reads {
  Reads reads;
  kernel::walk_statements(kernel_, block, [&](kernel::StatementId id) {
    kernel::visit_read(kernel_, kernel_.statements[id],
                       [&](VariableId variable) { ++reads[variable]; });
  });
  return reads;
}

auto IterationAnalysis::reads_of(VariableId variable, ExprId expr) const -> size_t {
  size_t n = 0;
  kernel::walk_exprs(kernel_, expr,
                     [&](ExprId inner) { n += is_read_of(variable, inner) ? 1 : 0; });
  return n;
}

auto IterationAnalysis::is_read_of(VariableId variable, ExprId expr) const -> bool {
  const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[expr].node);
  return read != nullptr && read->variable == variable;
}

auto IterationAnalysis::is_read_outside(VariableId variable, const kernel::Block& block) const
    -> bool {
  const auto total = reads_.find(variable);
  if (total == reads_.end()) {
    return false;
  }
  const Reads inside = reads_in(block);
  const auto found = inside.find(variable);
  return found == inside.end() || found->second < total->second;
}

auto IterationAnalysis::size_of(const kernel::Block& block) const -> size_t {
  size_t n = 0;
  kernel::walk_statements(kernel_, block, [&](kernel::StatementId id) {
    ++n;
    kernel::visit_exprs(kernel_.statements[id], [&](ExprId expr) {
      kernel::walk_exprs(kernel_, expr, [&](ExprId) { ++n; });
    });
  });
  return n;
}

// ---- what is assigned before it is read ----

void IterationAnalysis::read(ExprId expr, Flow& flow) const {
  for (const VariableId variable : kernel::variables_read(kernel_, expr)) {
    if (!flow.assigned.contains(variable)) {
      flow.exposed.insert(variable);
    }
  }
}

static auto common(const std::set<VariableId>& left, const std::set<VariableId>& right)
    -> std::set<VariableId> {
  std::set<VariableId> both;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::inserter(both, both.end()));
  return both;
}

void IterationAnalysis::flow(const kernel::If& branch, Flow& flow) const {
  Flow then = flow;
  this->flow(branch.then, then);
  Flow otherwise = std::move(flow);
  otherwise.exposed = then.exposed;
  otherwise.at_exits = then.at_exits;
  this->flow(branch.otherwise, otherwise);
  flow.exposed = otherwise.exposed;
  flow.at_exits = otherwise.at_exits;
  flow.is_left = then.is_left && otherwise.is_left;
  flow.assigned = then.is_left        ? otherwise.assigned
                  : otherwise.is_left ? then.assigned
                                      : common(then.assigned, otherwise.assigned);
}

void IterationAnalysis::flow(const kernel::SecretRegion& region, Flow& flow) const {
  for (const auto& port : region.inputs) {
    if (!flow.assigned.contains(port.outer)) {
      flow.exposed.insert(port.outer);
    }
    flow.assigned.insert(port.inner);
  }
  this->flow(region.body, flow);
  for (const auto& port : region.outputs) {
    flow.assigned.insert(port.outer);
  }
}

/// It may make no iteration, and its exits are its own.
void IterationAnalysis::flow_through_loop(const kernel::Statement& loop, Flow& flow) const {
  const Flow before = flow;
  if (const auto* counted = std::get_if<kernel::For>(&loop.node)) {
    flow.assigned.insert(counted->counter);
  }
  kernel::visit_blocks(loop, [&](const kernel::Block& body) { this->flow(body, flow); });
  flow.assigned = before.assigned;
  flow.is_left = false;
  flow.at_exits = before.at_exits;
}

void IterationAnalysis::flow(const kernel::Statement& statement, Flow& flow) const {
  kernel::visit_exprs(statement, [&](ExprId expr) { read(expr, flow); });
  if (const auto* branch = std::get_if<kernel::If>(&statement.node)) {
    this->flow(*branch, flow);
    return;
  }
  if (std::holds_alternative<kernel::Break>(statement.node) ||
      std::holds_alternative<kernel::Continue>(statement.node)) {
    flow.at_exits = flow.at_exits ? common(*flow.at_exits, flow.assigned) : flow.assigned;
    flow.is_left = true;
    return;
  }
  if (std::holds_alternative<kernel::Return>(statement.node)) {
    flow.is_left = true;
    return;
  }
  if (const auto* region = std::get_if<kernel::SecretRegion>(&statement.node)) {
    this->flow(*region, flow);
    return;
  }
  if (const auto* store = std::get_if<kernel::StoreElement>(&statement.node)) {
    if (!flow.assigned.contains(store->array)) {
      flow.exposed.insert(store->array);
    }
    return;
  }
  if (kernel::is_loop(statement)) {
    flow_through_loop(statement, flow);
    return;
  }
  kernel::visit_written(statement, [&](VariableId variable) { flow.assigned.insert(variable); });
}

void IterationAnalysis::flow(const kernel::Block& block, Flow& flow) const {
  for (const kernel::StatementId id : block) {
    if (flow.is_left) {
      return;
    }
    this->flow(kernel_.statements[id], flow);
  }
}

auto IterationAnalysis::assigned(const kernel::Block& block) const -> std::set<VariableId> {
  Flow flow;
  this->flow(block, flow);
  if (flow.is_left) {
    return flow.at_exits.value_or(Variables());
  }
  return flow.at_exits ? common(*flow.at_exits, flow.assigned) : flow.assigned;
}

auto IterationAnalysis::exposed(const kernel::Block& block) const -> std::set<VariableId> {
  Flow flow;
  this->flow(block, flow);
  return flow.exposed;
}

// ---- reductions ----

static void add_conjuncts(const kernel::Kernel& kernel, ExprId condition,
                          std::vector<ExprId>& conjuncts) {
  const kernel::Expr& expr = kernel.exprs[condition];
  const auto* both = std::get_if<kernel::Binary>(&expr.node);
  const bool is_and = both != nullptr && expr.type.element == engine::kBool &&
                      (both->op == Operator::Land || both->op == Operator::And);
  if (!is_and) {
    conjuncts.push_back(condition);
    return;
  }
  add_conjuncts(kernel, both->left, conjuncts);
  add_conjuncts(kernel, both->right, conjuncts);
}

auto conjuncts_of(const kernel::Kernel& kernel, ExprId condition) -> std::vector<ExprId> {
  std::vector<ExprId> conjuncts;
  add_conjuncts(kernel, condition, conjuncts);
  return conjuncts;
}

auto find_extremum(const kernel::Kernel& kernel, const kernel::Select& select)
    -> std::optional<Extremum> {
  std::vector<ExprId> conjuncts = conjuncts_of(kernel, select.condition);
  for (size_t i = 0; i < conjuncts.size(); ++i) {
    const auto* test = std::get_if<kernel::Binary>(&kernel.exprs[conjuncts[i]].node);
    if (test == nullptr || test->op < Operator::Lt || test->op > Operator::Geq ||
        kernel::can_fault(kernel, conjuncts[i])) {
      continue;
    }
    const bool keeps = is_same_expr(kernel, test->left, select.then) &&
                       is_same_expr(kernel, test->right, select.otherwise);
    const bool swaps = is_same_expr(kernel, test->right, select.then) &&
                       is_same_expr(kernel, test->left, select.otherwise);
    if (keeps || swaps) {
      const bool is_less = test->op == Operator::Lt || test->op == Operator::Leq;
      conjuncts.erase(conjuncts.begin() + static_cast<std::ptrdiff_t>(i));
      return Extremum{keeps == is_less, select.then, select.otherwise, std::move(conjuncts)};
    }
  }
  return std::nullopt;
}

auto IterationAnalysis::extremum(VariableId variable, const kernel::Select& select, size_t& n) const
    -> std::optional<IterationEffect> {
  const std::optional<Extremum> found = find_extremum(kernel_, select);
  if (!found) {
    return std::nullopt;
  }
  // Under conditions it is the variable that stays.
  const bool is_kept = is_read_of(variable, found->otherwise);
  const bool is_other = is_read_of(variable, found->then);
  if (is_kept == is_other || (is_other && !found->conditions.empty())) {
    return std::nullopt;
  }
  n += 2;
  return found->is_minimum ? IterationEffect::Min : IterationEffect::Max;
}

/// What happens to a variable that is joined with something else by `op`.
static auto effect_of(Operator op, bool is_bool) -> std::optional<IterationEffect> {
  if (is_bool) {
    return op == Operator::And || op == Operator::Land ? std::optional(IterationEffect::And)
           : op == Operator::Or || op == Operator::Lor ? std::optional(IterationEffect::Or)
           : op == Operator::Xor                       ? std::optional(IterationEffect::Xor)
                                                       : std::nullopt;
  }
  return op == Operator::Add || op == Operator::Sub ? std::optional(IterationEffect::Sum)
         : op == Operator::Mul                      ? std::optional(IterationEffect::Product)
                                                    : std::nullopt;
}

auto IterationAnalysis::reduction(VariableId variable, ExprId value, size_t& n) const
    -> std::optional<IterationEffect> {
  const kernel::Expr& expr = kernel_.exprs[value];
  if (const auto* select = std::get_if<kernel::Select>(&expr.node)) {
    if (const auto found = extremum(variable, *select, n)) {
      return found;
    }
    const bool keeps = is_read_of(variable, select->then);
    const bool keeps_other = is_read_of(variable, select->otherwise);
    if (keeps == keeps_other) {
      return std::nullopt;
    }
    ++n;
    return reduction(variable, keeps ? select->otherwise : select->then, n);
  }
  if (const auto* apply = std::get_if<kernel::Apply>(&expr.node)) {
    const bool is_choice =
        engine::function_kind(apply->function) == engine::FunctionKind::Choice &&
        apply->arguments.size() == 2 &&
        is_read_of(variable, apply->arguments[0]) != is_read_of(variable, apply->arguments[1]);
    n += is_choice ? 1 : 0;
    return !is_choice                                 ? std::nullopt
           : apply->function == engine::Function::Min ? std::optional(IterationEffect::Min)
                                                      : std::optional(IterationEffect::Max);
  }
  const auto* binary = std::get_if<kernel::Binary>(&expr.node);
  if (binary == nullptr) {
    return std::nullopt;
  }
  const std::optional<IterationEffect> effect =
      effect_of(binary->op, expr.type.element.kind == engine::ElementKind::Bool);
  if (!effect) {
    return std::nullopt;
  }
  const bool left = reads_of(variable, binary->left) > 0;
  const bool right = reads_of(variable, binary->right) > 0;
  if (left == right || (right && binary->op == Operator::Sub)) {
    return std::nullopt;
  }
  const ExprId inner = left ? binary->left : binary->right;
  if (is_read_of(variable, inner)) {
    ++n;
    return effect;
  }
  const std::optional<IterationEffect> within = reduction(variable, inner, n);
  return within == effect ? effect : std::nullopt;
}

auto IterationAnalysis::reduction(VariableId variable, const kernel::Block& body) const
    -> std::optional<IterationEffect> {
  std::optional<IterationEffect> effect;
  size_t n = 0;
  bool fits = true;
  kernel::walk_statements(kernel_, body, [&](kernel::StatementId id) {
    const kernel::Statement& statement = kernel_.statements[id];
    kernel::visit_written(statement, [&](VariableId written) {
      if (written != variable) {
        return;
      }
      const auto* assign = std::get_if<kernel::Assign>(&statement.node);
      const auto found = assign == nullptr ? std::nullopt : reduction(variable, assign->value, n);
      fits = fits && found && (!effect || *effect == *found);
      effect = found;
    });
  });
  const Reads reads = reads_in(body);
  const auto found = reads.find(variable);
  return fits && found != reads.end() && found->second == n ? effect : std::nullopt;
}

auto IterationAnalysis::effect_on(VariableId variable, const kernel::For& loop, int64_t step,
                                  const Flow& flow) const -> std::optional<IterationEffect> {
  if (!flow.exposed.contains(variable) && flow.assigned.contains(variable)) {
    return IterationEffect::Last;
  }
  if (const auto effect = reduction(variable, loop.body)) {
    return effect;
  }
  if (kernel_.variables[variable].type.extents.empty()) {
    return std::nullopt;
  }
  if (is_shared(variable, loop, step)) {
    return IterationEffect::Shared;
  }
  const bool is_number = kernel_.variables[variable].type.element.kind != engine::ElementKind::Bool;
  return is_number && is_summed(variable, loop.body) ? std::optional(IterationEffect::Summed)
                                                     : std::nullopt;
}

auto IterationAnalysis::of(const kernel::For& loop, int64_t step) const
    -> std::optional<IndependentIterations> {
  const kernel::Effects effects = kernel::effects_of(kernel_, loop.body);
  if (effects.calls || effects.returns || effects.breaks || effects.may_not_end) {
    return std::nullopt;
  }
  Flow flow;
  this->flow(loop.body, flow);
  IndependentIterations iterations;
  std::optional<Recurrences> recurrences;
  for (const VariableId variable : kernel::variables_written(kernel_, loop.body)) {
    const bool is_seen = flow.exposed.contains(variable) || is_read_outside(variable, loop.body);
    if (!is_seen || variable == loop.counter) {
      continue;
    }
    auto effect = effect_on(variable, loop, step, flow);
    if (!effect) {
      if (!recurrences) {
        recurrences.emplace(kernel_, loop.body);
        iterations.selections = selections_in(loop.body);
      }
      if (iterations.selection_of(variable) != nullptr) {
        effect = IterationEffect::Selected;
      } else if (recurrences->is_affine(variable)) {
        effect = recurrences->is_read_later(variable) ? IterationEffect::CarriedForAll
                                                      : IterationEffect::Carried;
      } else if (recurrences->is_affine_from_before(variable)) {
        effect = IterationEffect::CarriedForAll;
        iterations.early.emplace(variable, recurrences->assignment_of(variable));
      } else {
        return std::nullopt;
      }
    }
    iterations.effects.emplace(variable, *effect);
  }
  if (!iterations.early.empty()) {
    Variables early;
    for (const auto& [variable, _] : iterations.early) {
      early.insert(variable);
    }
    const auto order = recurrences->order_with_first(early);
    if (!order) {
      return std::nullopt;
    }
    iterations.order = *order;
  }
  // Others of a selection may be reductions by themselves.
  for (const Selection& selection : iterations.selections) {
    for (const auto& [variable, _] : selection.values) {
      iterations.effects[variable] = IterationEffect::Selected;
    }
  }
  return iterations;
}

auto IterationAnalysis::selections_in(const kernel::Block& body) const -> std::vector<Selection> {
  std::vector<Selection> selections = Recurrences(kernel_, body).selections();
  std::erase_if(selections, [&](const Selection& selection) {
    return selection.outcome && is_read_outside(*selection.outcome, body);
  });
  return selections;
}

}  // namespace tacet::mpc_lower
