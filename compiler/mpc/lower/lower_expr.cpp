#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lowerer.h"

/// Expressions of kernels as values.
namespace tacet::mpc_lower {

using types::Operator;

/// The operators of the language are the first instructions, in the same order.
static auto opcode_of(Operator op) -> MpcOpcode {
  return static_cast<MpcOpcode>(op);
}
static_assert(static_cast<int>(Operator::Add) == static_cast<int>(MpcOpcode::Add) &&
              static_cast<int>(Operator::Xor) == static_cast<int>(MpcOpcode::Xor) &&
              static_cast<int>(Operator::Invert) == static_cast<int>(MpcOpcode::Invert));

auto Lowerer::value(kernel::ExprId expr) -> Value {
  const kernel::Expr& node = kernel_.exprs[expr];
  if (stuck_) {
    return zero(node.type);
  }
  // What an operand takes is at the operand, not at what it is an operand of.
  const uint32_t line = emitter_.line();
  if (node.place != FileRange{}) {
    set_place(node.place);
  }
  Value result = std::visit([&](const auto& inner) { return value(inner, expr); }, node.node);
  emitter_.set_line(line);
  return result;
}

auto Lowerer::value(const kernel::Literal& node, kernel::ExprId expr) -> Value {
  return literal_value(kernel_.exprs[expr].type.element, node.cell);
}

auto Lowerer::held(kernel::VariableId variable) const -> Value {
  const std::optional<Value>& value = env_[variable.index];
  return value ? *value : zero(type(variable));
}

auto Lowerer::value(const kernel::Read& node, kernel::ExprId) -> Value {
  return held(node.variable);
}

auto Lowerer::value(const kernel::Element& node, kernel::ExprId) -> Value {
  const Value array = value(node.array);
  std::vector<Value> indices;
  for (const kernel::ExprId index : node.indices) {
    indices.push_back(value(index));
  }
  return stuck_ ? zero(kernel_.exprs[node.array].type) : element(array, std::move(indices));
}

auto Lowerer::value(const kernel::Unary& node, kernel::ExprId) -> Value {
  return unary(opcode_of(node.op), value(node.operand));
}

auto Lowerer::value(const kernel::Binary& node, kernel::ExprId expr) -> Value {
  const bool is_logical = node.op == Operator::Land || node.op == Operator::Lor;
  const Value left = value(node.left);
  // What is not needed must not fail.
  const bool is_lazy = is_logical && !node.is_oblivious && kernel::can_fault(kernel_, node.right);
  const bool is_and = node.op == Operator::Land;
  if (is_lazy && left.literal && (*left.literal != 0) != is_and) {
    return left;
  }
  const Value right =
      is_lazy ? guarded_value(is_and ? left : negated(left), node.right) : value(node.right);
  // Behind `&` and `&&` the machine sees the same on truth values.
  const bool is_bool = kernel_.exprs[node.left].type.element.kind == engine::ElementKind::Bool;
  MpcOpcode op = opcode_of(node.op);
  if (is_bool && (op == MpcOpcode::And || op == MpcOpcode::Or)) {
    op = op == MpcOpcode::And ? MpcOpcode::Land : MpcOpcode::Lor;
  }
  if (stuck_) {
    return zero(kernel_.exprs[expr].type);
  }
  return node.is_total ? total(op, left, right, node.right)
                       : binary(op, left, unfailing(op, right));
}

/// The operation without its faults (`engine::total`).
auto Lowerer::total(MpcOpcode op, const Value& left, const Value& right, kernel::ExprId expr)
    -> Value {
  const bool is_division = op == MpcOpcode::Div || op == MpcOpcode::Mod;
  if (!is_division) {
    // The machine takes a secret distance modulo the width.
    const engine::Cell most = engine::bit_width(right.element.kind) - 1;
    const bool is_within = is_secret(right) || (right.literal && *right.literal <= most);
    return binary(
        op, left,
        is_within ? right : binary(MpcOpcode::And, right, literal_value(right.element, most)));
  }
  if (ranges_.is_nonzero(expr) || (right.literal && *right.literal != 0)) {
    return binary(op, left, right);
  }
  const Value zero = literal_value(right.element, 0);
  const Value is_zero = binary(MpcOpcode::Eq, right, zero);
  const Value divisor =
      is_secret(right)
          ? right
          : select(is_zero, literal_value(right.element, engine::one(right.element)), right);
  return select(is_zero, op == MpcOpcode::Div ? zero : left, binary(op, left, divisor));
}

/// An operand with which the operation does not fail where its result is of no use.
auto Lowerer::unfailing(MpcOpcode op, const Value& right) -> Value {
  const bool is_division = op == MpcOpcode::Div || op == MpcOpcode::Mod;
  const bool is_shift = op >= MpcOpcode::Shl && op <= MpcOpcode::Ashr;
  if ((!is_division && !is_shift) || is_secret(right)) {
    return right;
  }
  Value result = right;
  const Value harmless = literal_value(right.element, is_division ? engine::one(right.element) : 0);
  for (const std::optional<Value>& condition : {guard_, mask_}) {
    if (condition) {
      result = select(*condition, result, harmless);
    }
  }
  return result;
}

/// The expression, where only the lanes count in which a public condition holds.
auto Lowerer::guarded_value(const Value& condition, kernel::ExprId expr) -> Value {
  if (stuck_ || is_secret(condition) || !kernel::can_fault(kernel_, expr)) {
    return value(expr);
  }
  const std::optional<Value> before = guard_;
  guard_ = before ? binary(MpcOpcode::Land, *before, condition) : condition;
  Value result = value(expr);
  guard_ = before;
  return result;
}

/// Only what is chosen is computed, where that is known when the program runs: the branches of an
/// `if`, with a register for the value.
auto Lowerer::choice(const Value& condition, kernel::ExprId then, kernel::ExprId otherwise)
    -> Value {
  const MpcRegisterId test = condition.reg;
  const size_t at = emitter_.n_code();
  Value arms[2];
  size_t ends[2] = {};
  emitter_.control(MpcOpcode::If, {test});
  arms[0] = value(then);
  ends[0] = emitter_.n_code();
  emitter_.control(MpcOpcode::Else);
  arms[1] = value(otherwise);
  ends[1] = emitter_.n_code();
  emitter_.control(MpcOpcode::End);
  if (stuck_) {
    return zero(kernel_.exprs[then].type);
  }
  Carried carried{.shape = widened(widened(zero(kernel_.exprs[then].type), arms[0]), arms[1])};
  const Value& shape = carried.shape;
  Extents extents = lane_extents(shape.lanes);
  extents.insert(extents.end(), shape.extents.begin(), shape.extents.end());
  const bool secret = is_secret(arms[0]) || is_secret(arms[1]);
  const engine::MpcType type{secret ? MpcVisibility::Secret : MpcVisibility::Public, shape.element,
                             extents};
  const MpcRegisterId result = emitter_.new_register("chosen", type);
  // What the arms give is written at their ends, the last one first so that places stay.
  for (size_t k = 2; k-- > 0;) {
    const size_t begin = emitter_.n_code();
    emitter_.begin_tail();
    const MpcRegisterId reg = in_register(arms[k], shape.lanes, shape.extents);
    emitter_.assign(result, MpcOpcode::Copy, {reg});
    emitter_.end_tail(begin, ends[k]);
  }
  emitter_.insert(at, {{.op = MpcOpcode::Constant, .result = result, .numbers = {0}}});
  Value value = shape;
  value.literal.reset();
  value.affine.reset();
  value.reg = result;
  return value;
}

/// `a if a < b else b` is the minimum.
auto Lowerer::extremum(const kernel::Select& node) -> std::optional<Value> {
  const std::optional<Extremum> found = find_extremum(kernel_, node);
  if (!found) {
    return std::nullopt;
  }
  const Value then = value(found->then);
  const Value otherwise = value(found->otherwise);
  if (stuck_) {
    return then;
  }
  Value result = binary(found->is_minimum ? MpcOpcode::Min : MpcOpcode::Max, then, otherwise);
  std::optional<Value> condition;
  for (const kernel::ExprId expr : found->conditions) {
    const Value each = value(expr);
    condition = !condition || stuck_ ? each : binary(MpcOpcode::Land, *condition, each);
  }
  return condition && !stuck_ ? select(*condition, result, otherwise) : result;
}

auto Lowerer::value(const kernel::Select& node, kernel::ExprId) -> Value {
  if (std::optional<Value> found = extremum(node)) {
    return *found;
  }
  const Value condition = value(node.condition);
  const bool may_fault =
      kernel::can_fault(kernel_, node.then) || kernel::can_fault(kernel_, node.otherwise);
  // Both operands of an oblivious choice are evaluated, so a fault of either is a fault.
  const bool has_both_faults = node.is_oblivious && may_fault;
  if (condition.literal && !has_both_faults) {
    return value(*condition.literal != 0 ? node.then : node.otherwise);
  }
  const bool is_public = !is_secret(condition) && !has_both_faults;
  const auto is_large = [&](kernel::ExprId expr) {
    return kernel::tree_size(kernel_, expr, 8) >= 8;
  };
  if (is_public && lanes_of(condition).empty() &&
      (may_fault || is_large(node.then) || is_large(node.otherwise))) {
    return choice(condition, node.then, node.otherwise);
  }
  const Value then = is_public ? guarded_value(condition, node.then) : value(node.then);
  const Value otherwise = may_fault && is_public ? guarded_value(negated(condition), node.otherwise)
                                                 : value(node.otherwise);
  return stuck_ ? then : select(condition, then, otherwise);
}

auto Lowerer::value(const kernel::Cast& node, kernel::ExprId expr) -> Value {
  const Value operand = value(node.operand);
  return stuck_ ? zero(kernel_.exprs[expr].type) : cast(operand, kernel_.exprs[expr].type.element);
}

auto Lowerer::value(const kernel::ArrayLiteral& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = kernel_.exprs[expr].type;
  std::vector<Value> parts;
  Lanes lanes;
  bool is_known = true;
  for (const kernel::ExprId element : node.elements) {
    parts.push_back(value(element));
    lanes = united(lanes, lanes_of(parts.back()));
    is_known = is_known && parts.back().literal && parts.back().is_scalar();
  }
  if (stuck_ || parts.empty()) {
    return zero(type);
  }
  Value result{.element = type.element, .extents = type.extents};
  if (is_known) {
    std::vector<int64_t> cells;
    for (const Value& part : parts) {
      cells.push_back(static_cast<int64_t>(*part.literal));
    }
    result.reg = emitter_.emit(MpcOpcode::Constant, type.element, type.extents, {}, cells);
    return result;
  }
  // One behind the other with the lanes inside, which then go in front.
  const Extents inner(type.extents.begin() + 1, type.extents.end());
  std::vector<MpcRegisterId> registers;
  for (const Value& part : parts) {
    registers.push_back(in_register(part, lanes, inner));
  }
  Extents joined = {static_cast<int64_t>(parts.size())};
  const Extents of_lanes = lane_extents(lanes);
  joined.insert(joined.end(), of_lanes.begin(), of_lanes.end());
  joined.insert(joined.end(), inner.begin(), inner.end());
  const MpcRegisterId reg =
      emitter_.emit(MpcOpcode::Concat, type.element, joined, std::move(registers));
  Extents strides = strides_of(joined);
  std::rotate(strides.begin(), strides.begin() + 1,
              strides.begin() + 1 + static_cast<std::ptrdiff_t>(lanes.size()));
  Extents shape = of_lanes;
  shape.insert(shape.end(), type.extents.begin(), type.extents.end());
  result.reg = view(reg, 0, std::move(strides), shape);
  result.lanes = lanes;
  return result;
}

auto Lowerer::value(const kernel::Tabulate& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = kernel_.exprs[expr].type;
  const Lane lane = static_cast<Lane>(lanes_.size());
  lanes_.push_back({.extent = type.extents.front()});
  Value index{.element = this->type(node.index).element};
  index.affine = Affine{0, {{lane, 1}}};
  if (type.extents.front() == 1) {
    index = literal_value(index.element, 0);
  }
  env_[node.index.index] = index;
  const Value body = value(node.body);
  env_[node.index.index].reset();
  const Value result = stuck_ ? zero(type) : tabulated(body, lane);
  lanes_.pop_back();
  return result;
}

auto Lowerer::value(const kernel::Reduce& node, kernel::ExprId expr) -> Value {
  const Value body = value(node.body);
  if (stuck_) {
    return zero(kernel_.exprs[expr].type);
  }
  return reduced(node.op == Operator::Mul ? MpcOpcode::Product : MpcOpcode::Sum, body,
                 node.dimension);
}

/// Element i is element (i + by) mod n, for a public distance.
auto Lowerer::value(const kernel::Rotate& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = kernel_.exprs[expr].type;
  const Value operand = value(node.operand);
  Value by = value(node.by);
  if (stuck_ || is_secret(by)) {
    stick(kernel_.exprs[expr].place, "a secret rotation distance");
    return zero(type);
  }
  const int64_t n = type.extents.front();
  const Lane lane = static_cast<Lane>(lanes_.size());
  lanes_.push_back({.extent = n});
  Value index{.element = engine::kI64};
  index.affine = Affine{0, {{lane, 1}}};
  const auto remainder = [&](const Value& of) {
    return binary(MpcOpcode::Mod, of, literal_value(of.element, static_cast<engine::Cell>(n)));
  };
  // Widths that do not hold n are brought to one that does.
  by = engine::bit_width(by.element.kind) == 64 ? by : cast(by, engine::kI64);
  by = cast(remainder(by), engine::kI64);
  const Value at = remainder(binary(MpcOpcode::Add, binary(MpcOpcode::Add, index, by), integer(n)));
  const Value result = tabulated(element(operand, {at}), lane);
  lanes_.pop_back();
  return result;
}

static auto opcode_of(engine::Function function, bool is_reduction) -> MpcOpcode {
  using engine::Function;
  switch (function) {
    case Function::Sqrt:
      return MpcOpcode::Sqrt;
    case Function::Rsqrt:
      return MpcOpcode::Rsqrt;
    case Function::Reciprocal:
      return MpcOpcode::Reciprocal;
    case Function::Exp:
      return MpcOpcode::Exp;
    case Function::Log:
      return MpcOpcode::Log;
    case Function::Sigmoid:
      return MpcOpcode::Sigmoid;
    case Function::Tanh:
      return MpcOpcode::Tanh;
    case Function::Abs:
      return MpcOpcode::Abs;
    case Function::Min:
      return is_reduction ? MpcOpcode::ReduceMin : MpcOpcode::Min;
    case Function::Max:
      return is_reduction ? MpcOpcode::ReduceMax : MpcOpcode::Max;
    case Function::Sort:
      return MpcOpcode::Sort;
    case Function::SortBy:
      return MpcOpcode::SortBy;
    case Function::TopK:
      return MpcOpcode::TopK;
  }
  return MpcOpcode::Abs;
}

auto Lowerer::value(const kernel::Apply& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = kernel_.exprs[expr].type;
  const Value first = value(node.arguments[0]);
  if (stuck_) {
    return zero(type);
  }
  const bool is_one = node.arguments.size() == 1;
  switch (engine::function_kind(node.function)) {
    case engine::FunctionKind::Fixed:
    case engine::FunctionKind::Number:
      return element_wise(opcode_of(node.function, false), first.element, {first});
    case engine::FunctionKind::Choice: {
      if (is_one) {
        return reduced(opcode_of(node.function, true), first, 0);
      }
      const Value second = value(node.arguments[1]);
      return stuck_ ? first : binary(opcode_of(node.function, false), first, second);
    }
    case engine::FunctionKind::Order:
      break;
  }
  return ordered(node, expr, first);
}

/// Each lane is sorted on its own; the machine does them side by side.
auto Lowerer::ordered(const kernel::Apply& node, kernel::ExprId expr, const Value& first) -> Value {
  constexpr int64_t kMostLanes = 4096;
  const kernel::Type& type = kernel_.exprs[expr].type;
  std::vector<Value> arguments = {first};
  if (node.arguments.size() > 1) {
    arguments.push_back(value(node.arguments[1]));
  }
  Lanes lanes;
  for (const Value& argument : arguments) {
    lanes = united(lanes, lanes_of(argument));
  }
  const int64_t n_lanes = count_of(lane_extents(lanes));
  if (stuck_ || n_lanes > kMostLanes) {
    stick(kernel_.exprs[expr].place, "too many arrays to sort in parallel");
    return zero(type);
  }
  std::vector<int64_t> numbers;
  if (node.function == engine::Function::TopK) {
    numbers.push_back(type.extents.front());
  }
  std::vector<MpcRegisterId> sorted;
  for (int64_t lane = 0; lane < n_lanes; ++lane) {
    std::vector<MpcRegisterId> operands;
    for (const Value& argument : arguments) {
      const MpcRegisterId all = in_register(argument, lanes, argument.extents);
      operands.push_back(view(all, lane * count_of(argument.extents), strides_of(argument.extents),
                              argument.extents));
    }
    sorted.push_back(emitter_.emit(opcode_of(node.function, false), type.element, type.extents,
                                   std::move(operands), numbers));
  }
  Value result{.element = type.element, .extents = type.extents};
  result.lanes = lanes;
  result.reg = sorted.front();
  if (!lanes.empty()) {
    Extents shape = lane_extents(lanes);
    shape.insert(shape.end(), type.extents.begin(), type.extents.end());
    result.reg = emitter_.emit(MpcOpcode::Concat, type.element, shape, std::move(sorted));
  }
  return result;
}

auto Lowerer::added(kernel::ExprId expr, const kernel::StoreElement& store) -> Value {
  if (names_element(kernel_, store, expr)) {
    return zero(kernel_.exprs[expr].type);
  }
  const auto& node = kernel_.exprs[expr].node;
  if (const auto* choice = std::get_if<kernel::Select>(&node)) {
    const Value condition = value(choice->condition);
    const Value then = added(choice->then, store);
    const Value otherwise = added(choice->otherwise, store);
    return stuck_ ? then : select(condition, then, otherwise);
  }
  const auto& operation = std::get<kernel::Binary>(node);
  bool is_left = false;
  kernel::walk_exprs(kernel_, operation.left, [&](kernel::ExprId inner) {
    is_left = is_left || names_element(kernel_, store, inner);
  });
  const Value base = added(is_left ? operation.left : operation.right, store);
  const Value other = value(is_left ? operation.right : operation.left);
  return stuck_ ? base : binary(opcode_of(operation.op), base, other);
}

}  // namespace tacet::mpc_lower
