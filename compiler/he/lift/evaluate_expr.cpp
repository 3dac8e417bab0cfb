#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/width.h"
#include "compiler/device/kernel/build.h"
#include "compiler/he/lift/lifter.h"

/// Expressions of kernels as terms, by name: each request is for an element of their value.
namespace tacet::lift {

using array::FunctionKind;
using Op = array::Operator;
using types::Operator;

auto width_of(engine::ElementKind kind) -> array::Width {
  return engine::is_integer(kind) ? array::Width{static_cast<uint8_t>(engine::bit_width(kind)),
                                                 engine::is_signed_integer(kind)}
                                  : array::Width{};
}

static auto value(Lifter& lifter, const kernel::Literal& literal, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Read& read, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Element& element, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Unary& unary, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Binary& binary, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto arithmetic(Lifter& lifter, types::Operator op, engine::ElementType type, TermId left,
                       TermId right, FileRange place) -> TermId;
static auto shifted(Lifter& lifter, types::Operator op, array::Width width, TermId left,
                    TermId right, FileRange place) -> TermId;
static auto value(Lifter& lifter, const kernel::Select& select, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Cast& cast, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::ArrayLiteral& literal, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Tabulate& tabulate, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Reduce& reduce, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Rotate& rotate, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;
static auto value(Lifter& lifter, const kernel::Apply& apply, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId;

auto value(Lifter& lifter, kernel::ExprId expr, const std::vector<Index>& at) -> TermId {
  if (lifter.stuck) {
    return lifter.terms.number(0);
  }
  const kernel::Expr& node = lifter.kernel.exprs[expr];
  lifter.terms.set_place(node.place);
  if (lifter.has_draws) {
    if (const std::optional<TermId> known = drawn(lifter, expr, at)) {
      return *known;
    }
    const bool is_draw = std::holds_alternative<kernel::Draw>(node.node);
    if (engine::is_fractional(node.type.element.kind) && !is_draw &&
        !array::is_real(lifter.inputs)) {
      return refuse_fraction(lifter, node.place);
    }
  }
  return std::visit([&](const auto& inner) { return value(lifter, inner, expr, at); }, node.node);
}

/// A scalar goes with every element.
auto operand(Lifter& lifter, kernel::ExprId expr, const std::vector<Index>& at) -> TermId {
  return value(lifter, expr,
               lifter.kernel.exprs[expr].type.extents.empty() ? std::vector<Index>() : at);
}

auto index_of(Lifter& lifter, TermId term, engine::ElementKind kind) -> std::optional<Index> {
  std::optional<Index> found = as_index(lifter.terms, term);
  const array::Width width = width_of(kind);
  if (!found || array::fits(lifter.terms.range(term), width)) {
    return found;
  }
  return is_constant(*found) ? std::optional(constant_index(array::wrapped(width, found->offset)))
                             : std::nullopt;
}

static auto refuse_index(Lifter& lifter, kernel::ExprId expr, TermId term) -> std::optional<Index> {
  if (!lifter.stuck) {
    const FileRange place = lifter.kernel.exprs[expr].place;
    const engine::ElementType type = lifter.kernel.exprs[expr].type.element;
    as_index(lifter.terms, term)
        ? stick(lifter, place,
                fmt::format("index may be outside `{}`", engine::element_type_name(type)),
                "compute the index in `i64`", DiagnosticCode::T6002)
        : stick(lifter, place, "no layout supports this index",
                "an index is a sum of constants and multiples of loop counters, or the remainder "
                "of such a sum",
                DiagnosticCode::T6002);
  }
  return std::nullopt;
}

/// A number of the text that no secret says; wrapped to its type.
static auto index(Lifter& lifter, kernel::ExprId expr) -> std::optional<Index> {
  const TermId term = value(lifter, expr, {});
  const std::optional<Index> found =
      index_of(lifter, term, lifter.kernel.exprs[expr].type.element.kind);
  return found ? found : refuse_index(lifter, expr, term);
}

auto address(Lifter& lifter, kernel::ExprId expr, int64_t extent) -> std::optional<Index> {
  const TermId term = value(lifter, expr, {});
  const engine::ElementKind kind = lifter.kernel.exprs[expr].type.element.kind;
  if (const std::optional<Index> found = index_of(lifter, term, kind)) {
    return found;
  }
  // What is outside of the type is far outside of the array when it is wrapped.
  const array::Width width = width_of(kind);
  const Interval range = lifter.terms.range(term);
  const Interval type = array::range_of(width);
  const int64_t half = width.bits >= 32 ? int64_t{1} << 31 : int64_t{1} << (width.bits - 1);
  const bool wraps_outside = range.low >= type.low - half && range.high <= type.high &&
                             (range.low >= type.low || type.high - half >= extent) &&
                             !width.is_signed;
  const std::optional<Index> as_it_is = as_index(lifter.terms, term);
  return as_it_is && wraps_outside ? as_it_is : refuse_index(lifter, expr, term);
}

static auto value(Lifter& lifter, const kernel::Literal& literal, kernel::ExprId expr,
                  const std::vector<Index>& /*at*/) -> TermId {
  if (const auto fraction = lifter.fractions.find(literal.cell);
      fraction != lifter.fractions.end() &&
      lifter.kernel.exprs[expr].type.element.fraction_bits != 0) {
    return lifter.terms.element(fraction->second, {});
  }
  const int64_t unit = int64_t{1} << lifter.kernel.exprs[expr].type.element.fraction_bits;
  return lifter.terms.number(static_cast<int64_t>(literal.cell) / unit);
}

static auto value(Lifter& lifter, const kernel::Read& read, kernel::ExprId /*expr*/,
                  const std::vector<Index>& at) -> TermId {
  return type(lifter, read.variable).extents.empty() ? state(lifter, read.variable).scalar
                                                     : read_at(lifter, read.variable, at);
}

static auto value(Lifter& lifter, const kernel::Element& element, kernel::ExprId /*expr*/,
                  const std::vector<Index>& at) -> TermId {
  std::vector<Index> indices;
  const std::vector<int64_t>& extents = lifter.kernel.exprs[element.array].type.extents;
  for (kernel::ExprId id : element.indices) {
    const std::optional<Index> found = address(lifter, id, extents[indices.size()]);
    if (!found) {
      return lifter.terms.number(0);
    }
    indices.push_back(*found);
  }
  indices.insert(indices.end(), at.begin(), at.end());
  return value(lifter, element.array, indices);
}

static auto value(Lifter& lifter, const kernel::Unary& unary, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  const TermId operand = value(lifter, unary.operand, at);
  const engine::ElementKind kind = lifter.kernel.exprs[expr].type.element.kind;
  if (unary.op == Operator::Neg) {
    return lifter.terms.operation(Op::Subtract, lifter.terms.number(0), operand);
  }
  if (unary.op == Operator::Not) {
    return negation(lifter.terms, operand);
  }
  if (unary.op == Operator::Invert) {
    const int64_t all =
        engine::is_signed_integer(kind) ? -1 : static_cast<int64_t>(engine::max_integer(kind));
    return lifter.terms.operation(Op::Subtract, lifter.terms.number(all), operand);
  }
  return stick(lifter, lifter.kernel.exprs[expr].place, "this operator", "");
}

static auto value(Lifter& lifter, const kernel::Binary& binary, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  const TermId left = operand(lifter, binary.left, at);
  const auto* divisor = std::get_if<kernel::Literal>(&lifter.kernel.exprs[binary.right].node);
  if (divisor != nullptr && binary.op == Operator::Div &&
      lifter.kernel.exprs[expr].type.element.fraction_bits != 0) {
    if (const auto found = lifter.reciprocals.find(divisor->cell);
        found != lifter.reciprocals.end()) {
      lifter.terms.set_place(lifter.kernel.exprs[expr].place);
      return product(lifter.terms, left, lifter.terms.element(found->second, {}));
    }
  }
  const TermId right = operand(lifter, binary.right, at);
  lifter.terms.set_place(lifter.kernel.exprs[expr].place);
  return arithmetic(lifter, binary.op, lifter.kernel.exprs[binary.left].type.element, left, right,
                    lifter.kernel.exprs[expr].place);
}

static auto arithmetic(Lifter& lifter, Operator op, engine::ElementType type, TermId left,
                       TermId right, FileRange place) -> TermId {
  const array::Width width = width_of(type.kind);
  const auto function = [&](FunctionKind kind) {
    return lifter.terms.function(kind, {left, right}, width);
  };
  const auto less = [&](TermId a, TermId b) {
    return lifter.terms.function(FunctionKind::Less, {a, b}, width);
  };
  const bool is_bool = type.kind == engine::ElementKind::Bool;
  const bool is_of_ring = op == Operator::Add || op == Operator::Sub || op == Operator::Mul;
  if (type.fraction_bits != 0 && !is_of_ring) {
    return real_operation(lifter, op, left, right, place);
  }
  switch (op) {
    case Operator::Add:
      return sum(lifter.terms, left, right);
    case Operator::Sub:
      return lifter.terms.operation(Op::Subtract, left, right);
    case Operator::Mul:
      return product(lifter.terms, left, right);
    case Operator::Div:
      return function(FunctionKind::Divide);
    case Operator::Mod:
      return function(FunctionKind::Remainder);
    case Operator::Lt:
      return less(left, right);
    case Operator::Gt:
      return less(right, left);
    case Operator::Leq:
      return negation(lifter.terms, less(right, left));
    case Operator::Geq:
      return negation(lifter.terms, less(left, right));
    case Operator::Eq:
      return function(FunctionKind::Equal);
    case Operator::Neq:
      return negation(lifter.terms, function(FunctionKind::Equal));
    case Operator::And:
      return is_bool ? selected(lifter.terms, left, right, lifter.terms.number(0))
                     : function(FunctionKind::BitAnd);
    case Operator::Or:
      return is_bool ? selected(lifter.terms, left, lifter.terms.number(1), right)
                     : function(FunctionKind::BitOr);
    case Operator::Xor:
      return function(FunctionKind::BitXor);
    case Operator::Land:
      return selected(lifter.terms, left, right, lifter.terms.number(0));
    case Operator::Lor:
      return selected(lifter.terms, left, lifter.terms.number(1), right);
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
      return shifted(lifter, op, width, left, right, place);
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      break;
  }
  return stick(lifter, place, "this operator", "");
}

/// By a known number of bits, which what is total takes modulo the width.
static auto shifted(Lifter& lifter, Operator op, array::Width width, TermId left, TermId right,
                    FileRange place) -> TermId {
  const std::optional<int64_t> known = lifter.terms.as_number(right);
  if (!known) {
    return stick(lifter, place, "a shift by an unknown distance",
                 "select among the possible distances");
  }
  const int64_t by = *known & (width.bits - 1);
  if (op == Operator::Shl) {
    return product(lifter.terms, left,
                   lifter.terms.number(static_cast<int64_t>(uint64_t{1} << by)));
  }
  // `>>>` repeats the top bit of what has no sign, too.
  const array::Width shifted{width.bits, width.is_signed || op == Operator::Ashr};
  if (by == 63) {
    const TermId has_top_bit = lifter.terms.function(
        FunctionKind::Less, {left, lifter.terms.number(0)}, array::Width{64, true});
    return shifted.is_signed
               ? lifter.terms.operation(Op::Subtract, lifter.terms.number(0), has_top_bit)
               : has_top_bit;
  }
  return by == 0 ? left
                 : lifter.terms.function(FunctionKind::FloorDivide,
                                         {left, lifter.terms.number(int64_t{1} << by)}, shifted);
}

static auto value(Lifter& lifter, const kernel::Select& select, kernel::ExprId /*expr*/,
                  const std::vector<Index>& at) -> TermId {
  const TermId condition = value(lifter, select.condition, {});
  if (const std::optional<int64_t> known = lifter.terms.as_number(condition)) {
    return operand(lifter, *known != 0 ? select.then : select.otherwise, at);
  }
  const TermId then = operand(lifter, select.then, at);
  return selected(lifter.terms, condition, then, operand(lifter, select.otherwise, at));
}

/// Numbers are right modulo the width of their type, so they are as they are in a type that is not
/// wider; one that is has the number that the narrower type held.
static auto value(Lifter& lifter, const kernel::Cast& cast, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  const TermId operand = value(lifter, cast.operand, at);
  const engine::ElementType source = lifter.kernel.exprs[cast.operand].type.element;
  const engine::ElementType target = lifter.kernel.exprs[expr].type.element;
  const FileRange place = lifter.kernel.exprs[expr].place;
  const array::Width width = width_of(source.kind);
  if (source.kind == engine::ElementKind::Fxp || target.kind == engine::ElementKind::Fxp) {
    if (target.kind != engine::ElementKind::Fxp ||
        (source.kind == target.kind && source != target)) {
      return stick(lifter, place, "this conversion of fixed-point numbers",
                   "an integer can be converted to `fxp`; encrypted values cannot be truncated");
    }
    const bool may_wrap = width.bits != 64 && !array::fits(lifter.terms.range(operand), width);
    return may_wrap ? stick(lifter, place,
                            fmt::format("a conversion to `fxp` of a value that may be outside `{}`",
                                        engine::element_type_name(source)),
                            "convert the operands to a wider type, or bound the parameters "
                            "with `in LO..HI`")
                    : operand;
  }
  if (target.kind == engine::ElementKind::Bool) {
    return source == target ? operand
                            : negation(lifter.terms, lifter.terms.function(
                                                         FunctionKind::Equal,
                                                         {operand, lifter.terms.number(0)}, width));
  }
  const bool is_wider = width.bits != 0 && engine::bit_width(target.kind) > width.bits;
  return is_wider ? wrapped(lifter.terms, operand, width) : operand;
}

static auto value(Lifter& lifter, const kernel::ArrayLiteral& literal, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  if (const auto known = lifter.literal_arrays.find(expr); known != lifter.literal_arrays.end()) {
    return lifter.terms.element(known->second, at);
  }
  const std::vector<Index> rest(at.begin() + 1, at.end());
  if (is_constant(at.front())) {
    const int64_t which = at.front().offset;
    const bool is_there = which >= 0 && which < static_cast<int64_t>(literal.elements.size());
    return is_there ? value(lifter, literal.elements[static_cast<size_t>(which)], rest)
                    : lifter.terms.number(0);
  }
  TermId result = lifter.terms.number(0);
  for (size_t i = 0; i < literal.elements.size(); ++i) {
    const TermId is_here =
        is_same(lifter.terms, at.front(), constant_index(static_cast<int64_t>(i)));
    result = sum(lifter.terms, result,
                 selected(lifter.terms, is_here, value(lifter, literal.elements[i], rest),
                          lifter.terms.number(0)));
  }
  return result;
}

static auto value(Lifter& lifter, const kernel::Tabulate& tabulate, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  const std::vector<Index> rest(at.begin() + 1, at.end());
  VariableState& variable = state(lifter, tabulate.index);
  const TermId before = variable.scalar;
  variable.scalar = lifter.terms.position(at.front());
  const TermId result = value(lifter, tabulate.body, rest);
  state(lifter, tabulate.index).scalar = before;
  const int64_t extent = lifter.kernel.exprs[expr].type.extents.front();
  return selected(lifter.terms, is_within(lifter.terms, at.front(), extent), result,
                  lifter.terms.number(0));
}

static auto value(Lifter& lifter, const kernel::Reduce& reduce, kernel::ExprId /*expr*/,
                  const std::vector<Index>& at) -> TermId {
  const int64_t extent = lifter.kernel.exprs[reduce.body].type.extents.at(reduce.dimension);
  const DimId dim = lifter.terms.new_dim("k", extent);
  std::vector<Index> inner = at;
  inner.insert(inner.begin() + reduce.dimension, index_along(dim));
  const TermId body = value(lifter, reduce.body, inner);
  return lifter.terms.reduce(reduce.op == Operator::Mul ? Op::Multiply : Op::Add, dim, body);
}

static auto value(Lifter& lifter, const kernel::Rotate& rotate, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  const std::optional<Index> by = index(lifter, rotate.by);
  const std::optional<Index> turned = by ? sum(at.front(), *by) : std::nullopt;
  const int64_t extent = lifter.kernel.exprs[expr].type.extents.front();
  const std::optional<Index> first =
      turned ? modulo(*turned, extent, lifter.terms.dims()) : std::nullopt;
  if (!first) {
    return stick(lifter, lifter.kernel.exprs[expr].place,
                 "rotating an array that is already rotated",
                 "rotate once, by the sum of the distances");
  }
  std::vector<Index> all(at.begin() + 1, at.end());
  all.insert(all.begin(), *first);
  return value(lifter, rotate.operand, all);
}

/// Comparisons give the lesser and the greater; nothing else can be had from sums and products.
static auto value(Lifter& lifter, const kernel::Apply& apply, kernel::ExprId expr,
                  const std::vector<Index>& at) -> TermId {
  using engine::Function;
  const FileRange place = lifter.kernel.exprs[expr].place;
  const engine::ElementType type = lifter.kernel.exprs[apply.arguments[0]].type.element;
  const bool is_choice = apply.function == Function::Min || apply.function == Function::Max;
  if (array::is_real(lifter.inputs) && apply.arguments.size() <= 2) {
    if (const std::optional<TermId> result = real_function(lifter, apply, at)) {
      return *result;
    }
  }
  if (apply.function == Function::Abs) {
    const TermId number = operand(lifter, apply.arguments[0], at);
    const TermId zero = lifter.terms.number(0);
    const TermId negative = lifter.terms.operation(Op::Subtract, zero, number);
    return selected(lifter.terms, arithmetic(lifter, Operator::Lt, type, number, zero, place),
                    negative, number);
  }
  if (is_choice && apply.arguments.size() == 2) {
    const TermId first = operand(lifter, apply.arguments[0], at);
    const TermId second = operand(lifter, apply.arguments[1], at);
    const TermId is_second = apply.function == Function::Min
                                 ? arithmetic(lifter, Operator::Lt, type, second, first, place)
                                 : arithmetic(lifter, Operator::Lt, type, first, second, place);
    return selected(lifter.terms, is_second, second, first);
  }
  if (is_choice) {
    return extreme_of_array(lifter, apply, at);
  }
  if (engine::function_kind(apply.function) == engine::FunctionKind::Order &&
      type.fraction_bits == 0) {
    return ordered(lifter, apply, expr, at);
  }
  return stick(
      lifter, place, fmt::format("`{}`", engine::function_name(apply.function)),
      type.fraction_bits != 0 &&
              engine::function_kind(apply.function) == engine::FunctionKind::Order
          ? "the order of encrypted reals is not exact under CKKS; without `--scheme ckks` "
            "the function runs bit by bit and sorts exactly, as `fn(mpc)` does; `min(a)` "
            "and `max(a)` give the extremes"
          : "ciphertexts support only sums and products; use `fn(mpc)` for this "
            "function");
}

}  // namespace tacet::lift
