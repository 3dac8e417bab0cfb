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

static auto value_of(Lowerer& lowerer, const kernel::Literal& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Read& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Element& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Unary& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Binary& node, kernel::ExprId expr) -> Value;
static auto total(Lowerer& lowerer, MpcOpcode op, const Value& left, const Value& right,
                  kernel::ExprId expr) -> Value;
static auto unfailing(Lowerer& lowerer, MpcOpcode op, const Value& right) -> Value;
static auto guarded_value(Lowerer& lowerer, const Value& condition, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Select& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Cast& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::ArrayLiteral& node, kernel::ExprId expr)
    -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Tabulate& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Reduce& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Rotate& node, kernel::ExprId expr) -> Value;
static auto value_of(Lowerer& lowerer, const kernel::Apply& node, kernel::ExprId expr) -> Value;
static auto ordered(Lowerer& lowerer, const kernel::Apply& node, kernel::ExprId expr,
                    const Value& first) -> Value;

auto value_of(Lowerer& lowerer, kernel::ExprId expr) -> Value {
  const kernel::Expr& node = lowerer.kernel.exprs[expr];
  if (lowerer.stuck) {
    return zero(node.type);
  }
  // The cost of an operand is at the operand, not at its user.
  const uint32_t line = lowerer.emitter.line();
  if (node.place != FileRange{}) {
    set_place(lowerer, node.place);
  }
  Value result =
      std::visit([&](const auto& inner) { return value_of(lowerer, inner, expr); }, node.node);
  lowerer.emitter.set_line(line);
  return result;
}

static auto value_of(Lowerer& lowerer, const kernel::Literal& node, kernel::ExprId expr) -> Value {
  return literal_value(lowerer.kernel.exprs[expr].type.element, node.cell);
}

auto held_by(const Lowerer& lowerer, kernel::VariableId variable) -> Value {
  const std::optional<Value>& value = lowerer.env[variable.index];
  return value ? *value : zero(type_of(lowerer, variable));
}

static auto value_of(Lowerer& lowerer, const kernel::Read& node, kernel::ExprId) -> Value {
  return held_by(lowerer, node.variable);
}

static auto value_of(Lowerer& lowerer, const kernel::Element& node, kernel::ExprId) -> Value {
  const Value array = value_of(lowerer, node.array);
  std::vector<Value> indices;
  for (const kernel::ExprId index : node.indices) {
    indices.push_back(value_of(lowerer, index));
  }
  return lowerer.stuck ? zero(lowerer.kernel.exprs[node.array].type)
                       : element(lowerer, array, std::move(indices));
}

static auto value_of(Lowerer& lowerer, const kernel::Unary& node, kernel::ExprId) -> Value {
  return unary(lowerer, opcode_of(node.op), value_of(lowerer, node.operand));
}

static auto value_of(Lowerer& lowerer, const kernel::Binary& node, kernel::ExprId expr) -> Value {
  const bool is_logical = node.op == Operator::Land || node.op == Operator::Lor;
  const Value left = value_of(lowerer, node.left);
  // What is not needed must not fail.
  const bool is_lazy =
      is_logical && !node.is_oblivious && kernel::can_fault(lowerer.kernel, node.right);
  const bool is_and = node.op == Operator::Land;
  if (is_lazy && left.literal && (*left.literal != 0) != is_and) {
    return left;
  }
  const Value right =
      is_lazy ? guarded_value(lowerer, is_and ? left : negated(lowerer, left), node.right)
              : value_of(lowerer, node.right);
  // Behind `&` and `&&` the machine sees the same on truth values.
  const bool is_bool =
      lowerer.kernel.exprs[node.left].type.element.kind == engine::ElementKind::Bool;
  MpcOpcode op = opcode_of(node.op);
  if (is_bool && (op == MpcOpcode::And || op == MpcOpcode::Or)) {
    op = op == MpcOpcode::And ? MpcOpcode::Land : MpcOpcode::Lor;
  }
  if (lowerer.stuck) {
    return zero(lowerer.kernel.exprs[expr].type);
  }
  return node.is_total ? total(lowerer, op, left, right, node.right)
                       : binary(lowerer, op, left, unfailing(lowerer, op, right));
}

/// The operation without its faults (`engine::total`).
static auto total(Lowerer& lowerer, MpcOpcode op, const Value& left, const Value& right,
                  kernel::ExprId expr) -> Value {
  const bool is_division = op == MpcOpcode::Div || op == MpcOpcode::Mod;
  if (!is_division) {
    // The machine takes a secret distance modulo the width.
    const engine::Cell most = engine::bit_width(right.element.kind) - 1;
    const bool is_within =
        is_secret_in(lowerer, right) || (right.literal && *right.literal <= most);
    return binary(lowerer, op, left,
                  is_within
                      ? right
                      : binary(lowerer, MpcOpcode::And, right, literal_value(right.element, most)));
  }
  if (lowerer.ranges.is_nonzero(expr) || (right.literal && *right.literal != 0)) {
    return binary(lowerer, op, left, right);
  }
  const Value zero = literal_value(right.element, 0);
  const Value is_zero = binary(lowerer, MpcOpcode::Eq, right, zero);
  const Value divisor =
      is_secret_in(lowerer, right)
          ? right
          : select(lowerer, is_zero, literal_value(right.element, engine::one(right.element)),
                   right);
  return select(lowerer, is_zero, op == MpcOpcode::Div ? zero : left,
                binary(lowerer, op, left, divisor));
}

/// An operand with which the operation does not fail where its result is of no use.
static auto unfailing(Lowerer& lowerer, MpcOpcode op, const Value& right) -> Value {
  const bool is_division = op == MpcOpcode::Div || op == MpcOpcode::Mod;
  const bool is_shift = op >= MpcOpcode::Shl && op <= MpcOpcode::Ashr;
  if ((!is_division && !is_shift) || is_secret_in(lowerer, right)) {
    return right;
  }
  Value result = right;
  const Value harmless = literal_value(right.element, is_division ? engine::one(right.element) : 0);
  for (const std::optional<Value>& condition : {lowerer.guard, lowerer.mask}) {
    if (condition) {
      result = select(lowerer, *condition, result, harmless);
    }
  }
  return result;
}

/// The expression, where only the lanes count in which a public condition holds.
static auto guarded_value(Lowerer& lowerer, const Value& condition, kernel::ExprId expr) -> Value {
  if (lowerer.stuck || is_secret_in(lowerer, condition) ||
      !kernel::can_fault(lowerer.kernel, expr)) {
    return value_of(lowerer, expr);
  }
  const std::optional<Value> before = lowerer.guard;
  lowerer.guard = before ? binary(lowerer, MpcOpcode::Land, *before, condition) : condition;
  Value result = value_of(lowerer, expr);
  lowerer.guard = before;
  return result;
}

/// Only what is chosen is computed, where that is known when the program runs: the branches of an
/// `if`, with a register for the value.
static auto choice(Lowerer& lowerer, const Value& condition, kernel::ExprId then,
                   kernel::ExprId otherwise) -> Value {
  const MpcRegisterId test = condition.reg;
  const size_t at = lowerer.emitter.n_code();
  Value arms[2];
  size_t ends[2] = {};
  lowerer.emitter.control(MpcOpcode::If, {test});
  arms[0] = value_of(lowerer, then);
  ends[0] = lowerer.emitter.n_code();
  lowerer.emitter.control(MpcOpcode::Else);
  arms[1] = value_of(lowerer, otherwise);
  ends[1] = lowerer.emitter.n_code();
  lowerer.emitter.control(MpcOpcode::End);
  if (lowerer.stuck) {
    return zero(lowerer.kernel.exprs[then].type);
  }
  Carried carried{.shape =
                      widened(widened(zero(lowerer.kernel.exprs[then].type), arms[0]), arms[1])};
  const Value& shape = carried.shape;
  Extents extents = lane_extents(lowerer, shape.lanes);
  extents.insert(extents.end(), shape.extents.begin(), shape.extents.end());
  const bool secret = is_secret_in(lowerer, arms[0]) || is_secret_in(lowerer, arms[1]);
  const engine::MpcType type{secret ? MpcVisibility::Secret : MpcVisibility::Public, shape.element,
                             extents};
  const MpcRegisterId result = lowerer.emitter.new_register("chosen", type);
  // What the arms give is written at their ends, the last one first so that places stay.
  for (size_t k = 2; k-- > 0;) {
    const size_t begin = lowerer.emitter.n_code();
    lowerer.emitter.begin_tail();
    const MpcRegisterId reg = in_register(lowerer, arms[k], shape.lanes, shape.extents);
    lowerer.emitter.assign(result, MpcOpcode::Copy, {reg});
    lowerer.emitter.end_tail(begin, ends[k]);
  }
  lowerer.emitter.insert(at, {{.op = MpcOpcode::Constant, .result = result, .numbers = {0}}});
  Value value = shape;
  value.literal.reset();
  value.affine.reset();
  value.reg = result;
  return value;
}

/// `a if a < b else b` is the minimum.
static auto extremum(Lowerer& lowerer, const kernel::Select& node) -> std::optional<Value> {
  const std::optional<Extremum> found = find_extremum(lowerer.kernel, node);
  if (!found) {
    return std::nullopt;
  }
  const Value then = value_of(lowerer, found->then);
  const Value otherwise = value_of(lowerer, found->otherwise);
  if (lowerer.stuck) {
    return then;
  }
  Value result =
      binary(lowerer, found->is_minimum ? MpcOpcode::Min : MpcOpcode::Max, then, otherwise);
  std::optional<Value> condition;
  for (const kernel::ExprId expr : found->conditions) {
    const Value each = value_of(lowerer, expr);
    condition =
        !condition || lowerer.stuck ? each : binary(lowerer, MpcOpcode::Land, *condition, each);
  }
  return condition && !lowerer.stuck ? select(lowerer, *condition, result, otherwise) : result;
}

static auto value_of(Lowerer& lowerer, const kernel::Select& node, kernel::ExprId) -> Value {
  if (std::optional<Value> found = extremum(lowerer, node)) {
    return *found;
  }
  const Value condition = value_of(lowerer, node.condition);
  const bool may_fault = kernel::can_fault(lowerer.kernel, node.then) ||
                         kernel::can_fault(lowerer.kernel, node.otherwise);
  // Both operands of an oblivious choice are evaluated, so a fault of either is a fault.
  const bool has_both_faults = node.is_oblivious && may_fault;
  if (condition.literal && !has_both_faults) {
    return value_of(lowerer, *condition.literal != 0 ? node.then : node.otherwise);
  }
  const bool is_public = !is_secret_in(lowerer, condition) && !has_both_faults;
  const auto is_large = [&](kernel::ExprId expr) {
    return kernel::tree_size(lowerer.kernel, expr, 8) >= 8;
  };
  if (is_public && lanes_of(condition).empty() &&
      (may_fault || is_large(node.then) || is_large(node.otherwise))) {
    return choice(lowerer, condition, node.then, node.otherwise);
  }
  const Value then =
      is_public ? guarded_value(lowerer, condition, node.then) : value_of(lowerer, node.then);
  const Value otherwise = may_fault && is_public
                              ? guarded_value(lowerer, negated(lowerer, condition), node.otherwise)
                              : value_of(lowerer, node.otherwise);
  return lowerer.stuck ? then : select(lowerer, condition, then, otherwise);
}

static auto value_of(Lowerer& lowerer, const kernel::Cast& node, kernel::ExprId expr) -> Value {
  const Value operand = value_of(lowerer, node.operand);
  return lowerer.stuck ? zero(lowerer.kernel.exprs[expr].type)
                       : cast(lowerer, operand, lowerer.kernel.exprs[expr].type.element);
}

static auto value_of(Lowerer& lowerer, const kernel::ArrayLiteral& node, kernel::ExprId expr)
    -> Value {
  const kernel::Type& type = lowerer.kernel.exprs[expr].type;
  std::vector<Value> parts;
  Lanes lanes;
  bool is_known = true;
  for (const kernel::ExprId element : node.elements) {
    parts.push_back(value_of(lowerer, element));
    lanes = united(lanes, lanes_of(parts.back()));
    is_known = is_known && parts.back().literal && parts.back().is_scalar();
  }
  if (lowerer.stuck || parts.empty()) {
    return zero(type);
  }
  Value result{.element = type.element, .extents = type.extents};
  if (is_known) {
    std::vector<int64_t> cells;
    for (const Value& part : parts) {
      cells.push_back(static_cast<int64_t>(*part.literal));
    }
    result.reg = lowerer.emitter.emit(MpcOpcode::Constant, type.element, type.extents, {}, cells);
    return result;
  }
  // One behind the other with the lanes inside, which then go in front.
  const Extents inner(type.extents.begin() + 1, type.extents.end());
  std::vector<MpcRegisterId> registers;
  for (const Value& part : parts) {
    registers.push_back(in_register(lowerer, part, lanes, inner));
  }
  Extents joined = {static_cast<int64_t>(parts.size())};
  const Extents of_lanes = lane_extents(lowerer, lanes);
  joined.insert(joined.end(), of_lanes.begin(), of_lanes.end());
  joined.insert(joined.end(), inner.begin(), inner.end());
  const MpcRegisterId reg =
      lowerer.emitter.emit(MpcOpcode::Concat, type.element, joined, std::move(registers));
  Extents strides = strides_of(joined);
  std::rotate(strides.begin(), strides.begin() + 1,
              strides.begin() + 1 + static_cast<std::ptrdiff_t>(lanes.size()));
  Extents shape = of_lanes;
  shape.insert(shape.end(), type.extents.begin(), type.extents.end());
  result.reg = view(lowerer, reg, 0, std::move(strides), shape);
  result.lanes = lanes;
  return result;
}

static auto value_of(Lowerer& lowerer, const kernel::Tabulate& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = lowerer.kernel.exprs[expr].type;
  const Lane lane = static_cast<Lane>(lowerer.lanes.size());
  lowerer.lanes.push_back({.extent = type.extents.front()});
  Value index{.element = type_of(lowerer, node.index).element};
  index.affine = Affine{0, {{lane, 1}}};
  if (type.extents.front() == 1) {
    index = literal_value(index.element, 0);
  }
  lowerer.env[node.index.index] = index;
  const Value body = value_of(lowerer, node.body);
  lowerer.env[node.index.index].reset();
  const Value result = lowerer.stuck ? zero(type) : tabulated(lowerer, body, lane);
  lowerer.lanes.pop_back();
  return result;
}

static auto value_of(Lowerer& lowerer, const kernel::Reduce& node, kernel::ExprId expr) -> Value {
  const Value body = value_of(lowerer, node.body);
  if (lowerer.stuck) {
    return zero(lowerer.kernel.exprs[expr].type);
  }
  return reduced(lowerer, node.op == Operator::Mul ? MpcOpcode::Product : MpcOpcode::Sum, body,
                 node.dimension);
}

/// Element i is element (i + by) mod n, for a public distance.
static auto value_of(Lowerer& lowerer, const kernel::Rotate& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = lowerer.kernel.exprs[expr].type;
  const Value operand = value_of(lowerer, node.operand);
  Value by = value_of(lowerer, node.by);
  if (lowerer.stuck || is_secret_in(lowerer, by)) {
    stick(lowerer, lowerer.kernel.exprs[expr].place, "a secret rotation distance");
    return zero(type);
  }
  const int64_t n = type.extents.front();
  const Lane lane = static_cast<Lane>(lowerer.lanes.size());
  lowerer.lanes.push_back({.extent = n});
  Value index{.element = engine::kI64};
  index.affine = Affine{0, {{lane, 1}}};
  const auto remainder = [&](const Value& of) {
    return binary(lowerer, MpcOpcode::Mod, of,
                  literal_value(of.element, static_cast<engine::Cell>(n)));
  };
  // Widths that do not hold n are brought to one that does.
  by = engine::bit_width(by.element.kind) == 64 ? by : cast(lowerer, by, engine::kI64);
  by = cast(lowerer, remainder(by), engine::kI64);
  const Value at = remainder(
      binary(lowerer, MpcOpcode::Add, binary(lowerer, MpcOpcode::Add, index, by), integer(n)));
  const Value result = tabulated(lowerer, element(lowerer, operand, {at}), lane);
  lowerer.lanes.pop_back();
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
    case Function::Erf:
      return MpcOpcode::Erf;
    case Function::Sin:
      return MpcOpcode::Sin;
    case Function::Cos:
      return MpcOpcode::Cos;
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

static auto value_of(Lowerer& lowerer, const kernel::Apply& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = lowerer.kernel.exprs[expr].type;
  const Value first = value_of(lowerer, node.arguments[0]);
  if (lowerer.stuck) {
    return zero(type);
  }
  const bool is_one = node.arguments.size() == 1;
  switch (engine::function_kind(node.function)) {
    case engine::FunctionKind::Fixed:
    case engine::FunctionKind::Number:
      return element_wise(lowerer, opcode_of(node.function, false), first.element, {first});
    case engine::FunctionKind::Choice: {
      if (is_one) {
        return reduced(lowerer, opcode_of(node.function, true), first, 0);
      }
      const Value second = value_of(lowerer, node.arguments[1]);
      return lowerer.stuck ? first
                           : binary(lowerer, opcode_of(node.function, false), first, second);
    }
    case engine::FunctionKind::Order:
      break;
  }
  return ordered(lowerer, node, expr, first);
}

/// Each lane is sorted on its own; the machine does them side by side.
static auto ordered(Lowerer& lowerer, const kernel::Apply& node, kernel::ExprId expr,
                    const Value& first) -> Value {
  constexpr int64_t kMostLanes = 4096;
  const kernel::Type& type = lowerer.kernel.exprs[expr].type;
  std::vector<Value> arguments = {first};
  if (node.arguments.size() > 1) {
    arguments.push_back(value_of(lowerer, node.arguments[1]));
  }
  Lanes lanes;
  for (const Value& argument : arguments) {
    lanes = united(lanes, lanes_of(argument));
  }
  const int64_t n_lanes = count_of(lane_extents(lowerer, lanes));
  if (lowerer.stuck || n_lanes > kMostLanes) {
    stick(lowerer, lowerer.kernel.exprs[expr].place, "too many arrays to sort in parallel");
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
      const MpcRegisterId all = in_register(lowerer, argument, lanes, argument.extents);
      operands.push_back(view(lowerer, all, lane * count_of(argument.extents),
                              strides_of(argument.extents), argument.extents));
    }
    sorted.push_back(lowerer.emitter.emit(opcode_of(node.function, false), type.element,
                                          type.extents, std::move(operands), numbers));
  }
  Value result{.element = type.element, .extents = type.extents};
  result.lanes = lanes;
  result.reg = sorted.front();
  if (!lanes.empty()) {
    Extents shape = lane_extents(lowerer, lanes);
    shape.insert(shape.end(), type.extents.begin(), type.extents.end());
    result.reg = lowerer.emitter.emit(MpcOpcode::Concat, type.element, shape, std::move(sorted));
  }
  return result;
}

auto added(Lowerer& lowerer, kernel::ExprId expr, const kernel::StoreElement& store) -> Value {
  if (names_element(lowerer.kernel, store, expr)) {
    return zero(lowerer.kernel.exprs[expr].type);
  }
  const auto& node = lowerer.kernel.exprs[expr].node;
  if (const auto* choice = std::get_if<kernel::Select>(&node)) {
    const Value condition = value_of(lowerer, choice->condition);
    const Value then = added(lowerer, choice->then, store);
    const Value otherwise = added(lowerer, choice->otherwise, store);
    return lowerer.stuck ? then : select(lowerer, condition, then, otherwise);
  }
  const auto& operation = std::get<kernel::Binary>(node);
  bool is_left = false;
  kernel::walk_exprs(lowerer.kernel, operation.left, [&](kernel::ExprId inner) {
    is_left = is_left || names_element(lowerer.kernel, store, inner);
  });
  const Value base = added(lowerer, is_left ? operation.left : operation.right, store);
  const Value other = value_of(lowerer, is_left ? operation.right : operation.left);
  return lowerer.stuck ? base : binary(lowerer, opcode_of(operation.op), base, other);
}

}  // namespace tacet::mpc_lower
