#include "compiler/device/kernel/walk.h"

#include "compiler/device/kernel/build.h"

namespace tacet::kernel {

using types::Operator;

namespace {

/// Collects what is read. The indices of `for`s hold nothing outside of them, so their names are
/// taken out again at the end; no variable is an index and anything else.
class ReadCollector {
 public:
  explicit ReadCollector(const Kernel& kernel) : kernel_(kernel) {}

  void expr(ExprId root) {
    walk_exprs(kernel_, root, [&](ExprId id) {
      const auto& node = kernel_.exprs[id].node;
      if (const auto* read = std::get_if<Read>(&node)) {
        read_.insert(read->variable);
      } else if (const auto* tabulate = std::get_if<Tabulate>(&node)) {
        bound_.insert(tabulate->index);
      }
    });
  }

  void block(const Block& statements) {
    walk_statements(kernel_, statements, [&](StatementId id) {
      const Statement& statement = kernel_.statements[id];
      visit_exprs(statement, [&](ExprId root) { expr(root); });
      if (const auto* region = std::get_if<SecretRegion>(&statement.node)) {
        for (const SecretRegion::Port& port : region->inputs) {
          read_.insert(port.outer);
        }
        for (const SecretRegion::Port& port : region->outputs) {
          read_.insert(port.inner);
        }
      }
    });
  }

  auto take() -> std::set<VariableId> {
    for (const VariableId index : bound_) {
      read_.erase(index);
    }
    return std::move(read_);
  }

 private:
  const Kernel& kernel_;
  std::set<VariableId> read_;
  std::set<VariableId> bound_;
};

}  // namespace

auto values_assigned_once(const Kernel& kernel) -> std::unordered_map<VariableId, ExprId> {
  std::unordered_map<VariableId, size_t> n_written;
  std::unordered_map<VariableId, ExprId> values;
  walk_statements(kernel, kernel.body, [&](StatementId id) {
    const Statement& statement = kernel.statements[id];
    visit_written(statement, [&](VariableId variable) { ++n_written[variable]; });
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      values[assign->variable] = assign->value;
    }
  });
  std::erase_if(values, [&](const auto& entry) {
    return n_written[entry.first] > 1 || kernel.variables[entry.first].kind != VariableKind::Local;
  });
  return values;
}

auto variables_read(const Kernel& kernel, ExprId expr) -> std::set<VariableId> {
  ReadCollector collector(kernel);
  collector.expr(expr);
  return collector.take();
}

auto variables_read(const Kernel& kernel, const Block& block) -> std::set<VariableId> {
  ReadCollector collector(kernel);
  collector.block(block);
  return collector.take();
}

auto variables_written(const Kernel& kernel, const Block& block) -> std::set<VariableId> {
  std::set<VariableId> written;
  walk_statements(kernel, block, [&](StatementId id) {
    visit_written(kernel.statements[id], [&](VariableId variable) { written.insert(variable); });
  });
  return written;
}

static auto literal_of(const Kernel& kernel, ExprId expr) -> const Literal* {
  return std::get_if<Literal>(&kernel.exprs[expr].node);
}

/// `d if d != 0 else 1`, as divisors are guarded.
static auto is_never_zero(const Kernel& kernel, const Expr& divisor) -> bool {
  const auto* select = std::get_if<Select>(&divisor.node);
  if (select == nullptr) {
    return false;
  }
  const auto* test = std::get_if<Binary>(&kernel.exprs[select->condition].node);
  const Literal* other = literal_of(kernel, select->otherwise);
  const bool is_tested = test != nullptr && test->op == Operator::Neq &&
                         test->left == select->then && literal_of(kernel, test->right) != nullptr &&
                         literal_of(kernel, test->right)->cell == 0;
  return is_tested && other != nullptr && other->cell != 0;
}

/// `k & 63`, as distances are.
static auto is_within_width(const Kernel& kernel, const Expr& distance) -> bool {
  const auto* both = std::get_if<Binary>(&distance.node);
  const Literal* mask = both == nullptr ? nullptr : literal_of(kernel, both->right);
  return mask != nullptr && both->op == Operator::And &&
         mask->cell < engine::bit_width(distance.type.element.kind);
}

static auto is_division(Operator op) -> bool {
  return op == Operator::Div || op == Operator::Mod;
}

auto can_fault(Operator op) -> bool {
  return is_division(op) || (Operator::Shl <= op && op <= Operator::Ashr);
}

/// Can `op` be a fault with this right operand, if it is not total?
static auto can_fault_anywhere(const Kernel& kernel, const Binary& binary) -> bool {
  const bool divides = is_division(binary.op);
  const Expr& right = kernel.exprs[binary.right];
  if ((divides && engine::is_float(right.type.element.kind)) || !can_fault(binary.op)) {
    return false;
  }
  if (divides ? is_never_zero(kernel, right) : is_within_width(kernel, right)) {
    return false;
  }
  const auto* literal = std::get_if<Literal>(&right.node);
  return literal == nullptr ||
         (divides ? literal->cell == 0
                  : literal->cell >= engine::bit_width(right.type.element.kind));
}

static auto can_fault(const Kernel& kernel, const Binary& binary) -> bool {
  return !binary.is_total && can_fault_anywhere(kernel, binary);
}

/// Can there be no integer to draw?
static auto can_fault(const Kernel& kernel, const Draw& draw) -> bool {
  if (draw.function != engine::DrawFunction::Int) {
    return false;
  }
  const Expr& argument = kernel.exprs[draw.arguments[0]];
  const auto* literal = std::get_if<Literal>(&argument.node);
  const bool is_signed = engine::is_signed_integer(argument.type.element.kind);
  return literal == nullptr ||
         (is_signed ? static_cast<int64_t>(literal->cell) < 1 : literal->cell == 0);
}

auto can_fault(const Kernel& kernel, ExprId expr) -> bool {
  bool result = false;
  walk_exprs(kernel, expr, [&](ExprId id) {
    const auto& node = kernel.exprs[id].node;
    const auto* binary = std::get_if<Binary>(&node);
    const auto* draw = std::get_if<Draw>(&node);
    result = result || (binary != nullptr && can_fault(kernel, *binary)) ||
             (draw != nullptr && can_fault(kernel, *draw));
  });
  return result;
}

auto can_fault_anywhere(const Kernel& kernel, ExprId expr) -> bool {
  bool result = can_fault(kernel, expr);
  walk_exprs(kernel, expr, [&](ExprId id) {
    const auto* binary = std::get_if<Binary>(&kernel.exprs[id].node);
    result = result || (binary != nullptr && can_fault_anywhere(kernel, *binary));
  });
  return result;
}

auto draws_secretly(const Kernel& kernel, ExprId expr) -> bool {
  bool result = false;
  walk_exprs(kernel, expr, [&](ExprId id) {
    const auto* draw = std::get_if<Draw>(&kernel.exprs[id].node);
    result = result || (draw != nullptr && draw->is_secret);
  });
  return result;
}

/// Can a store be a fault because of where it goes?
static auto can_miss(const Kernel& kernel, const StoreElement& store) -> bool {
  const std::vector<int64_t>& extents = kernel.variables[store.array].type.extents;
  for (size_t i = 0; i < store.indices.size(); ++i) {
    const Literal* at = literal_of(kernel, store.indices[i]);
    const bool is_inside = at != nullptr && at->cell < static_cast<uint64_t>(extents[i]);
    if ((store.lenient >> i & 1) == 0 && !is_inside) {
      return true;
    }
  }
  return false;
}

/// `depth` counts the loops of the block around a statement.
static void add_effects(const Kernel& kernel, const Block& block, uint32_t depth,
                        Effects& effects) {
  for (const StatementId id : block) {
    const Statement& statement = kernel.statements[id];
    visit_exprs(statement, [&](ExprId expr) {
      effects.can_fault = effects.can_fault || can_fault(kernel, expr);
    });
    const auto& node = statement.node;
    if (const auto* store = std::get_if<StoreElement>(&node)) {
      effects.can_fault = effects.can_fault || can_miss(kernel, *store);
    } else if (const auto* loop = std::get_if<For>(&node)) {
      const Literal* step = loop->step ? literal_of(kernel, *loop->step) : nullptr;
      const bool is_positive = !loop->step || loop->is_lenient ||
                               (step != nullptr && static_cast<int64_t>(step->cell) > 0);
      effects.can_fault = effects.can_fault || !is_positive;
    } else if (const auto* repeat = std::get_if<While>(&node)) {
      effects.may_not_end = effects.may_not_end || !repeat->max;
    } else if (const auto* call = std::get_if<Call>(&node)) {
      effects.calls = effects.calls || !call->is_pure;
    } else if (std::holds_alternative<Reveal>(node)) {
      effects.reveals = true;
    } else if (std::holds_alternative<Return>(node)) {
      effects.returns = true;
    } else if (std::holds_alternative<Break>(node) || std::holds_alternative<Continue>(node)) {
      effects.breaks = effects.breaks || depth == 0;
    }
    visit_blocks(statement, [&](const Block& inner) {
      add_effects(kernel, inner, depth + (is_loop(statement) ? 1 : 0), effects);
    });
  }
}

auto effects_of(const Kernel& kernel, const Block& block) -> Effects {
  Effects effects;
  add_effects(kernel, block, 0, effects);
  return effects;
}

auto tree_size(const Kernel& kernel, ExprId expr, size_t limit) -> size_t {
  size_t n = 1;
  visit_exprs(kernel.exprs[expr], [&](ExprId inner) {
    if (n < limit) {
      n += tree_size(kernel, inner, limit - n);
    }
  });
  return n < limit ? n : limit;
}

}  // namespace tacet::kernel
