#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/types/operation.h"
#include "compiler/mpc/lower/lowerer.h"
#include "engine/mpc_model/fixed_point.h"
#include "engine/program/mpc/families.h"

/// Element-wise operations and reductions on values: what is known is computed at once.
namespace tacet::mpc_lower {

using engine::Cell;
using engine::ElementKind;

/// The operators of the language are the first instructions, in the same order.
static auto binary_operation(MpcOpcode op) -> std::optional<engine::BinaryOperation> {
  return engine::is_operator(op) && engine::n_operands_of(op) == 2
             ? std::optional(types::binary_operation(static_cast<types::Operator>(op)))
             : std::nullopt;
}

static auto is_comparison(MpcOpcode op) -> bool {
  return op >= MpcOpcode::Lt && op <= MpcOpcode::Neq;
}

/// A number as an affine function of no lane.
static auto as_affine(const Value& value) -> std::optional<Affine> {
  if (value.affine) {
    return value.affine;
  }
  if (value.literal && value.is_scalar() && engine::is_integer(value.element.kind)) {
    return Affine{static_cast<int64_t>(*value.literal)};
  }
  return std::nullopt;
}

/// What a comparison of numbers gives whose difference is between `low` and `high`, if the range
/// decides it.
static auto outcome_of(MpcOpcode comparison, __int128 low, __int128 high) -> std::optional<bool> {
  const auto decided = [](bool holds, bool fails) {
    return holds || fails ? std::optional(holds) : std::nullopt;
  };
  if (comparison == MpcOpcode::Lt) {
    return decided(high < 0, low >= 0);
  }
  if (comparison == MpcOpcode::Leq) {
    return decided(high <= 0, low > 0);
  }
  if (comparison == MpcOpcode::Gt) {
    return decided(low > 0, high <= 0);
  }
  if (comparison == MpcOpcode::Geq) {
    return decided(low >= 0, high < 0);
  }
  const bool is_zero = low == 0 && high == 0;
  const bool is_apart = low > 0 || high < 0;
  return comparison == MpcOpcode::Eq ? decided(is_zero, is_apart) : decided(is_apart, is_zero);
}

/// Sums, differences and multiples of counters, and their comparisons where all lanes agree.
static auto affine_result(Lowerer& lowerer, MpcOpcode op, const Value& left, const Value& right)
    -> std::optional<Value> {
  const std::optional<Affine> a = as_affine(left);
  const std::optional<Affine> b = as_affine(right);
  if (!a || !b || left.element.kind == ElementKind::U64) {
    return std::nullopt;
  }
  if (is_comparison(op)) {
    const std::optional<Affine> difference = sum(*a, *b, -1);
    if (!difference) {
      return std::nullopt;
    }
    const auto [low, high] = range_of(lowerer, *difference);
    const std::optional<bool> outcome = outcome_of(op, low, high);
    return outcome ? std::optional(literal_value(engine::kBool, *outcome ? 1 : 0)) : std::nullopt;
  }
  std::optional<Affine> result;
  if (op == MpcOpcode::Add || op == MpcOpcode::Sub) {
    result = sum(*a, *b, op == MpcOpcode::Add ? 1 : -1);
  } else if (op == MpcOpcode::Mul && (a->is_constant() || b->is_constant())) {
    result = a->is_constant() ? scaled(*b, a->offset) : scaled(*a, b->offset);
  }
  if (!result) {
    return std::nullopt;
  }
  const auto [low, high] = range_of(lowerer, *result);
  const ElementKind kind = left.element.kind;
  if (low < engine::min_integer(kind) || high > static_cast<__int128>(engine::max_integer(kind))) {
    return std::nullopt;
  }
  Value value{.element = left.element};
  if (result->is_constant()) {
    value.literal = static_cast<Cell>(result->offset);
  } else {
    value.affine = std::move(result);
  }
  return value;
}

/// The right operand that leaves the left one as it is; but for `sub`, also with operands swapped.
static auto identity_cell(MpcOpcode op, ElementType element) -> std::optional<Cell> {
  const bool is_integer = engine::is_integer(element.kind);
  if (op == MpcOpcode::Add || op == MpcOpcode::Sub || op == MpcOpcode::Or || op == MpcOpcode::Xor ||
      op == MpcOpcode::Lor) {
    return 0;
  }
  if (op == MpcOpcode::Mul) {
    return engine::one(element);
  }
  if (op == MpcOpcode::And || op == MpcOpcode::Land) {
    return element.kind == ElementKind::Bool ? 1 : engine::wrapped(element.kind, ~Cell{0});
  }
  if (op == MpcOpcode::Min) {
    return is_integer ? static_cast<Cell>(engine::max_integer(element.kind)) : ~Cell{0} >> 1;
  }
  if (op == MpcOpcode::Max) {
    return is_integer ? static_cast<Cell>(engine::min_integer(element.kind)) : Cell{1} << 63;
  }
  return std::nullopt;
}

/// The operand that decides the result alone, on either side.
static auto absorbing_cell(MpcOpcode op, ElementType element) -> std::optional<Cell> {
  if (op == MpcOpcode::Mul || op == MpcOpcode::And || op == MpcOpcode::Land) {
    return 0;
  }
  const bool is_disjunction = op == MpcOpcode::Or || op == MpcOpcode::Lor;
  return is_disjunction && element.kind == ElementKind::Bool ? std::optional<Cell>(1)
                                                             : std::nullopt;
}

/// What is known: of two numbers, and of a number that changes nothing or decides all.
static auto folded(Lowerer& lowerer, MpcOpcode op, const Value& left, const Value& right)
    -> std::optional<Value> {
  const Extents& extents = left.is_scalar() ? right.extents : left.extents;
  const ElementType element = is_comparison(op) ? engine::kBool : left.element;
  const std::optional<engine::BinaryOperation> operation = binary_operation(op);
  if (left.literal && right.literal && operation) {
    const engine::ArithmeticResult result =
        engine::evaluate(*operation, left.element, *left.literal, *right.literal);
    return result.fault == engine::ArithmeticFault::None
               ? std::optional(literal_value(element, result.value, extents))
               : std::nullopt;
  }
  if (std::optional<Value> affine = affine_result(lowerer, op, left, right)) {
    return affine;
  }
  const std::optional<Cell> absorbing = absorbing_cell(op, left.element);
  if (absorbing && (left.literal == absorbing || right.literal == absorbing)) {
    return literal_value(element, *absorbing, extents);
  }
  const std::optional<Cell> identity = identity_cell(op, left.element);
  if (identity && right.literal == identity && left.extents == extents) {
    return left;
  }
  if (identity && left.literal == identity && right.extents == extents && op != MpcOpcode::Sub) {
    return right;
  }
  return std::nullopt;
}

auto binary(Lowerer& lowerer, MpcOpcode op, const Value& left, const Value& right) -> Value {
  if (std::optional<Value> known = folded(lowerer, op, left, right)) {
    return *known;
  }
  return element_wise(lowerer, op, is_comparison(op) ? engine::kBool : left.element, {left, right});
}

auto unary(Lowerer& lowerer, MpcOpcode op, const Value& operand) -> Value {
  if (operand.literal) {
    const auto operation = op == MpcOpcode::Neg   ? engine::UnaryOperation::Negate
                           : op == MpcOpcode::Not ? engine::UnaryOperation::Not
                                                  : engine::UnaryOperation::Complement;
    return literal_value(operand.element,
                         engine::evaluate(operation, operand.element, *operand.literal),
                         operand.extents);
  }
  if (op == MpcOpcode::Neg && operand.affine) {
    return binary(lowerer, MpcOpcode::Sub, literal_value(operand.element, 0), operand);
  }
  return element_wise(lowerer, op, operand.element, {operand});
}

auto cast(Lowerer& lowerer, const Value& operand, ElementType to) -> Value {
  if (operand.element == to) {
    return operand;
  }
  if (operand.literal) {
    return literal_value(to, engine::cast(operand.element, to, *operand.literal), operand.extents);
  }
  if (operand.affine && engine::is_integer(to.kind) && to.kind != ElementKind::U64) {
    const auto [low, high] = range_of(lowerer, *operand.affine);
    if (low >= engine::min_integer(to.kind) &&
        high <= static_cast<__int128>(engine::max_integer(to.kind))) {
      Value value = operand;
      value.element = to;
      return value;
    }
  }
  return element_wise(lowerer, MpcOpcode::Cast, to, {operand});
}

auto select(Lowerer& lowerer, const Value& condition, const Value& then, const Value& otherwise)
    -> Value {
  if (condition.literal) {
    return *condition.literal != 0 ? then : otherwise;
  }
  if (then.reg == otherwise.reg && then.literal == otherwise.literal &&
      then.affine == otherwise.affine && then.extents == otherwise.extents) {
    return then;
  }
  return element_wise(lowerer, MpcOpcode::Select, then.element, {condition, then, otherwise});
}

/// Marks a format whose numbers are too small for what is computed with secrets.
static void refuse_format(Lowerer& lowerer, MpcOpcode op,
                          const std::vector<MpcRegisterId>& operands) {
  bool is_secret = false;
  bool is_fixed = false;
  unsigned fraction = 0;
  for (const MpcRegisterId id : operands) {
    const engine::MpcType& type = lowerer.emitter.type(id);
    is_secret = is_secret || type.is_secret();
    if (type.element.kind == ElementKind::Fxp) {
      is_fixed = true;
      fraction = type.element.fraction_bits;
    }
  }
  if (!is_secret || !is_fixed) {
    return;
  }
  if ((family_of(op) == engine::MpcFamily::FixedFunction || op == MpcOpcode::Div) &&
      !mpc_model::is_supported(
          {.ring_bits = lowerer.program.fixed_ring_bits, .fraction_bits = fraction})) {
    stick(lowerer, lowerer.place,
          fmt::format("a quotient or function of secret `fxp<{}>` numbers", fraction),
          "quotients and functions support 8 to 40 fraction bits");
  }
}

auto element_wise(Lowerer& lowerer, MpcOpcode op, ElementType element, std::vector<Value> operands)
    -> Value {
  Value result{.element = element};
  for (const Value& operand : operands) {
    result.lanes = united(result.lanes, lanes_of(operand));
    if (!operand.is_scalar()) {
      result.extents = operand.extents;
    }
  }
  Extents extents = lane_extents(lowerer, result.lanes);
  extents.insert(extents.end(), result.extents.begin(), result.extents.end());
  std::vector<MpcRegisterId> registers;
  for (const Value& operand : operands) {
    const bool is_one = operand.is_scalar() && lanes_of(operand).empty();
    registers.push_back(is_one ? scalar_register(lowerer, operand)
                               : in_register(lowerer, operand, result.lanes, result.extents));
  }
  // Scalars alone, or with arrays: at least one operand has the result's shape.
  const bool has_shape =
      extents.empty() || std::any_of(registers.begin(), registers.end(), [&](MpcRegisterId id) {
        return lowerer.emitter.type(id).extents == extents;
      });
  if (!has_shape) {
    registers.back() = in_register(lowerer, operands.back(), result.lanes, result.extents);
  }
  refuse_format(lowerer, op, registers);
  result.reg = lowerer.emitter.emit(op, element, std::move(extents), std::move(registers));
  return result;
}

/// Over one of the value's own dimensions.
auto reduced(Lowerer& lowerer, MpcOpcode op, const Value& value, size_t dimension) -> Value {
  const Lanes lanes = lanes_of(value);
  const MpcRegisterId reg = in_register(lowerer, value, lanes, value.extents);
  refuse_format(lowerer, op, {reg});
  Value result{.element = value.element, .extents = value.extents};
  result.extents.erase(result.extents.begin() + static_cast<std::ptrdiff_t>(dimension));
  result.lanes = lanes;
  const size_t axis = lanes.size() + dimension;
  Extents extents = lowerer.emitter.type(reg).extents;
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
  result.reg = lowerer.emitter.emit(op, value.element, std::move(extents), {reg},
                                    {static_cast<int64_t>(axis)});
  return result;
}

auto reduced_lane(Lowerer& lowerer, MpcOpcode op, const Value& value, Lane lane) -> Value {
  const Lanes lanes = united(lanes_of(value), {lane});
  const MpcRegisterId reg = in_register(lowerer, value, lanes, value.extents);
  refuse_format(lowerer, op, {reg});
  const auto axis = std::lower_bound(lanes.begin(), lanes.end(), lane) - lanes.begin();
  Value result{.element = value.element, .extents = value.extents};
  result.lanes = lanes;
  result.lanes.erase(result.lanes.begin() + axis);
  Extents extents = lowerer.emitter.type(reg).extents;
  extents.erase(extents.begin() + axis);
  result.reg = lowerer.emitter.emit(op, value.element, std::move(extents), {reg}, {axis});
  return result;
}

}  // namespace tacet::mpc_lower
