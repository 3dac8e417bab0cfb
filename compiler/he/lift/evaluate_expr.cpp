#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/width.h"
#include "compiler/device/kernel/build.h"
#include "compiler/he/lift/lifter.h"

/// Expressions of kernels as terms, by name: what is asked for is an element of their value.
namespace tacet::lift {

using array::FunctionKind;
using Op = array::Operator;
using types::Operator;

auto width_of(engine::ElementKind kind) -> array::Width {
  return engine::is_integer(kind) ? array::Width{static_cast<uint8_t>(engine::bit_width(kind)),
                                                 engine::is_signed_integer(kind)}
                                  : array::Width{};
}

auto Lifter::value(kernel::ExprId expr, const std::vector<Index>& at) -> TermId {
  if (stuck_) {
    return terms_.number(0);
  }
  const kernel::Expr& node = kernel_.exprs[expr];
  terms_.set_place(node.place);
  if (has_draws_) {
    if (const std::optional<TermId> known = drawn(expr, at)) {
      return *known;
    }
    const bool is_draw = std::holds_alternative<kernel::Draw>(node.node);
    if (engine::is_fractional(node.type.element.kind) && !is_draw && !array::is_real(inputs_)) {
      return refuse_fraction(node.place);
    }
  }
  return std::visit([&](const auto& inner) { return value(inner, expr, at); }, node.node);
}

/// A scalar goes with every element.
auto Lifter::operand(kernel::ExprId expr, const std::vector<Index>& at) -> TermId {
  return value(expr, kernel_.exprs[expr].type.extents.empty() ? std::vector<Index>() : at);
}

auto Lifter::index_of(TermId term, engine::ElementKind kind) -> std::optional<Index> {
  std::optional<Index> found = terms_.as_index(term);
  const array::Width width = width_of(kind);
  if (!found || array::fits(terms_.range(term), width)) {
    return found;
  }
  return is_constant(*found) ? std::optional(constant_index(array::wrapped(width, found->offset)))
                             : std::nullopt;
}

auto Lifter::refuse_index(kernel::ExprId expr, TermId term) -> std::optional<Index> {
  if (!stuck_) {
    const FileRange place = kernel_.exprs[expr].place;
    const engine::ElementType type = kernel_.exprs[expr].type.element;
    terms_.as_index(term)
        ? stick(place, fmt::format("index may be outside `{}`", engine::element_type_name(type)),
                "compute the index in `i64`", DiagnosticCode::T6002)
        : stick(place, "no layout supports this index",
                "an index is a sum of constants and multiples of loop counters, or the remainder "
                "of such a sum",
                DiagnosticCode::T6002);
  }
  return std::nullopt;
}

auto Lifter::index(kernel::ExprId expr) -> std::optional<Index> {
  const TermId term = value(expr, {});
  const std::optional<Index> found = index_of(term, kernel_.exprs[expr].type.element.kind);
  return found ? found : refuse_index(expr, term);
}

auto Lifter::address(kernel::ExprId expr, int64_t extent) -> std::optional<Index> {
  const TermId term = value(expr, {});
  const engine::ElementKind kind = kernel_.exprs[expr].type.element.kind;
  if (const std::optional<Index> found = index_of(term, kind)) {
    return found;
  }
  // What is outside of the type is far outside of the array when it is wrapped.
  const array::Width width = width_of(kind);
  const Interval range = terms_.range(term);
  const Interval type = array::range_of(width);
  const int64_t half = width.bits >= 32 ? int64_t{1} << 31 : int64_t{1} << (width.bits - 1);
  const bool wraps_outside = range.low >= type.low - half && range.high <= type.high &&
                             (range.low >= type.low || type.high - half >= extent) &&
                             !width.is_signed;
  const std::optional<Index> as_it_is = terms_.as_index(term);
  return as_it_is && wraps_outside ? as_it_is : refuse_index(expr, term);
}

auto Lifter::value(const kernel::Literal& literal, kernel::ExprId expr,
                   const std::vector<Index>& /*at*/) -> TermId {
  if (const auto fraction = fractions_.find(literal.cell);
      fraction != fractions_.end() && kernel_.exprs[expr].type.element.fraction_bits != 0) {
    return terms_.element(fraction->second, {});
  }
  const int64_t unit = int64_t{1} << kernel_.exprs[expr].type.element.fraction_bits;
  return terms_.number(static_cast<int64_t>(literal.cell) / unit);
}

auto Lifter::value(const kernel::Read& read, kernel::ExprId /*expr*/, const std::vector<Index>& at)
    -> TermId {
  return type(read.variable).extents.empty() ? state(read.variable).scalar
                                             : this->read(read.variable, at);
}

auto Lifter::value(const kernel::Element& element, kernel::ExprId /*expr*/,
                   const std::vector<Index>& at) -> TermId {
  std::vector<Index> indices;
  const std::vector<int64_t>& extents = kernel_.exprs[element.array].type.extents;
  for (kernel::ExprId id : element.indices) {
    const std::optional<Index> found = address(id, extents[indices.size()]);
    if (!found) {
      return terms_.number(0);
    }
    indices.push_back(*found);
  }
  indices.insert(indices.end(), at.begin(), at.end());
  return value(element.array, indices);
}

auto Lifter::value(const kernel::Unary& unary, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const TermId operand = value(unary.operand, at);
  const engine::ElementKind kind = kernel_.exprs[expr].type.element.kind;
  if (unary.op == Operator::Neg) {
    return terms_.operation(Op::Subtract, terms_.number(0), operand);
  }
  if (unary.op == Operator::Not) {
    return terms_.negation(operand);
  }
  if (unary.op == Operator::Invert) {
    const int64_t all =
        engine::is_signed_integer(kind) ? -1 : static_cast<int64_t>(engine::max_integer(kind));
    return terms_.operation(Op::Subtract, terms_.number(all), operand);
  }
  return stick(kernel_.exprs[expr].place, "this operator", "");
}

auto Lifter::value(const kernel::Binary& binary, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const TermId left = operand(binary.left, at);
  const auto* divisor = std::get_if<kernel::Literal>(&kernel_.exprs[binary.right].node);
  if (divisor != nullptr && binary.op == Operator::Div &&
      kernel_.exprs[expr].type.element.fraction_bits != 0) {
    if (const auto found = reciprocals_.find(divisor->cell); found != reciprocals_.end()) {
      terms_.set_place(kernel_.exprs[expr].place);
      return terms_.product(left, terms_.element(found->second, {}));
    }
  }
  const TermId right = operand(binary.right, at);
  terms_.set_place(kernel_.exprs[expr].place);
  return arithmetic(binary.op, kernel_.exprs[binary.left].type.element, left, right,
                    kernel_.exprs[expr].place);
}

static constexpr std::string_view kOperatorsOfFixed =
    "encrypted `fxp` values support only sums, differences and products; use `fn(mpc)` for other "
    "operators";

/// What `fxp` does not have under encryption; empty for the operators that it has.
static auto lacking_operation(Operator op) -> std::string_view {
  if (op == Operator::Add || op == Operator::Sub || op == Operator::Mul) {
    return "";
  }
  return op == Operator::Div || op == Operator::Mod ? "division of fixed-point numbers"
                                                    : "comparison of fixed-point numbers";
}

auto Lifter::arithmetic(Operator op, engine::ElementType type, TermId left, TermId right,
                        FileRange place) -> TermId {
  const array::Width width = width_of(type.kind);
  const auto function = [&](FunctionKind kind) {
    return terms_.function(kind, {left, right}, width);
  };
  const auto less = [&](TermId a, TermId b) {
    return terms_.function(FunctionKind::Less, {a, b}, width);
  };
  const bool is_bool = type.kind == engine::ElementKind::Bool;
  const std::string_view lacking = type.fraction_bits != 0 ? lacking_operation(op) : "";
  if (!lacking.empty()) {
    return stick(place, lacking, kOperatorsOfFixed);
  }
  switch (op) {
    case Operator::Add:
      return terms_.sum(left, right);
    case Operator::Sub:
      return terms_.operation(Op::Subtract, left, right);
    case Operator::Mul:
      return terms_.product(left, right);
    case Operator::Div:
      return function(FunctionKind::Divide);
    case Operator::Mod:
      return function(FunctionKind::Remainder);
    case Operator::Lt:
      return less(left, right);
    case Operator::Gt:
      return less(right, left);
    case Operator::Leq:
      return terms_.negation(less(right, left));
    case Operator::Geq:
      return terms_.negation(less(left, right));
    case Operator::Eq:
      return function(FunctionKind::Equal);
    case Operator::Neq:
      return terms_.negation(function(FunctionKind::Equal));
    case Operator::And:
      return is_bool ? terms_.select(left, right, terms_.number(0))
                     : function(FunctionKind::BitAnd);
    case Operator::Or:
      return is_bool ? terms_.select(left, terms_.number(1), right) : function(FunctionKind::BitOr);
    case Operator::Xor:
      return function(FunctionKind::BitXor);
    case Operator::Land:
      return terms_.select(left, right, terms_.number(0));
    case Operator::Lor:
      return terms_.select(left, terms_.number(1), right);
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
      return shifted(op, width, left, right, place);
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      break;
  }
  return stick(place, "this operator", "");
}

/// By a known number of bits, which what is total takes modulo the width.
auto Lifter::shifted(Operator op, array::Width width, TermId left, TermId right, FileRange place)
    -> TermId {
  const std::optional<int64_t> known = terms_.as_number(right);
  if (!known) {
    return stick(place, "a shift by an unknown distance", "select among the possible distances");
  }
  const int64_t by = *known & (width.bits - 1);
  if (op == Operator::Shl) {
    return terms_.product(left, terms_.number(static_cast<int64_t>(uint64_t{1} << by)));
  }
  // `>>>` repeats the top bit of what has no sign, too.
  const array::Width shifted{width.bits, width.is_signed || op == Operator::Ashr};
  if (by == 63) {
    const TermId has_top_bit =
        terms_.function(FunctionKind::Less, {left, terms_.number(0)}, array::Width{64, true});
    return shifted.is_signed ? terms_.operation(Op::Subtract, terms_.number(0), has_top_bit)
                             : has_top_bit;
  }
  return by == 0 ? left
                 : terms_.function(FunctionKind::FloorDivide,
                                   {left, terms_.number(int64_t{1} << by)}, shifted);
}

auto Lifter::value(const kernel::Select& select, kernel::ExprId /*expr*/,
                   const std::vector<Index>& at) -> TermId {
  const TermId condition = value(select.condition, {});
  if (const std::optional<int64_t> known = terms_.as_number(condition)) {
    return operand(*known != 0 ? select.then : select.otherwise, at);
  }
  const TermId then = operand(select.then, at);
  return terms_.select(condition, then, operand(select.otherwise, at));
}

/// Numbers are right modulo the width of their type, so they are as they are in a type that is not
/// wider; one that is has the number that the narrower type held.
auto Lifter::value(const kernel::Cast& cast, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const TermId operand = value(cast.operand, at);
  const engine::ElementType source = kernel_.exprs[cast.operand].type.element;
  const engine::ElementType target = kernel_.exprs[expr].type.element;
  const FileRange place = kernel_.exprs[expr].place;
  const array::Width width = width_of(source.kind);
  if (source.kind == engine::ElementKind::Fxp || target.kind == engine::ElementKind::Fxp) {
    if (target.kind != engine::ElementKind::Fxp ||
        (source.kind == target.kind && source != target)) {
      return stick(place, "this conversion of fixed-point numbers",
                   "an integer can be converted to `fxp`; encrypted values cannot be truncated");
    }
    const bool may_wrap = width.bits != 64 && !array::fits(terms_.range(operand), width);
    return may_wrap ? stick(place,
                            fmt::format("a conversion to `fxp` of a value that may be outside `{}`",
                                        engine::element_type_name(source)),
                            "convert the operands to a wider type, or bound the parameters "
                            "with `in LO..HI`")
                    : operand;
  }
  if (target.kind == engine::ElementKind::Bool) {
    return source == target ? operand
                            : terms_.negation(terms_.function(FunctionKind::Equal,
                                                              {operand, terms_.number(0)}, width));
  }
  const bool is_wider = width.bits != 0 && engine::bit_width(target.kind) > width.bits;
  return is_wider ? terms_.wrapped(operand, width) : operand;
}

auto Lifter::value(const kernel::ArrayLiteral& literal, kernel::ExprId /*expr*/,
                   const std::vector<Index>& at) -> TermId {
  const std::vector<Index> rest(at.begin() + 1, at.end());
  if (is_constant(at.front())) {
    const int64_t which = at.front().offset;
    const bool is_there = which >= 0 && which < static_cast<int64_t>(literal.elements.size());
    return is_there ? value(literal.elements[static_cast<size_t>(which)], rest) : terms_.number(0);
  }
  TermId result = terms_.number(0);
  for (size_t i = 0; i < literal.elements.size(); ++i) {
    const TermId is_here = terms_.is_same(at.front(), constant_index(static_cast<int64_t>(i)));
    result = terms_.sum(result,
                        terms_.select(is_here, value(literal.elements[i], rest), terms_.number(0)));
  }
  return result;
}

auto Lifter::value(const kernel::Tabulate& tabulate, kernel::ExprId expr,
                   const std::vector<Index>& at) -> TermId {
  const std::vector<Index> rest(at.begin() + 1, at.end());
  VariableState& variable = state(tabulate.index);
  const TermId before = variable.scalar;
  variable.scalar = terms_.position(at.front());
  const TermId result = value(tabulate.body, rest);
  state(tabulate.index).scalar = before;
  const int64_t extent = kernel_.exprs[expr].type.extents.front();
  return terms_.select(terms_.is_inside(at.front(), extent), result, terms_.number(0));
}

auto Lifter::value(const kernel::Reduce& reduce, kernel::ExprId /*expr*/,
                   const std::vector<Index>& at) -> TermId {
  const int64_t extent = kernel_.exprs[reduce.body].type.extents.at(reduce.dimension);
  const DimId dim = terms_.new_dim("k", extent);
  std::vector<Index> inner = at;
  inner.insert(inner.begin() + reduce.dimension, index_along(dim));
  const TermId body = value(reduce.body, inner);
  return terms_.reduce(reduce.op == Operator::Mul ? Op::Multiply : Op::Add, dim, body);
}

auto Lifter::value(const kernel::Rotate& rotate, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const std::optional<Index> by = index(rotate.by);
  const std::optional<Index> turned = by ? sum(at.front(), *by) : std::nullopt;
  const int64_t extent = kernel_.exprs[expr].type.extents.front();
  const std::optional<Index> first = turned ? modulo(*turned, extent, terms_.dims()) : std::nullopt;
  if (!first) {
    return stick(kernel_.exprs[expr].place, "rotating an array that is already rotated",
                 "rotate once, by the sum of the distances");
  }
  std::vector<Index> all(at.begin() + 1, at.end());
  all.insert(all.begin(), *first);
  return value(rotate.operand, all);
}

/// Comparisons give the lesser and the greater; nothing else can be had from sums and products.
auto Lifter::value(const kernel::Apply& apply, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  using engine::Function;
  const FileRange place = kernel_.exprs[expr].place;
  const engine::ElementType type = kernel_.exprs[apply.arguments[0]].type.element;
  const bool is_choice = apply.function == Function::Min || apply.function == Function::Max;
  if (apply.function == Function::Abs) {
    const TermId number = operand(apply.arguments[0], at);
    const TermId zero = terms_.number(0);
    const TermId negative = terms_.operation(Op::Subtract, zero, number);
    return terms_.select(arithmetic(Operator::Lt, type, number, zero, place), negative, number);
  }
  if (is_choice && apply.arguments.size() == 2) {
    const TermId first = operand(apply.arguments[0], at);
    const TermId second = operand(apply.arguments[1], at);
    const TermId is_second = apply.function == Function::Min
                                 ? arithmetic(Operator::Lt, type, second, first, place)
                                 : arithmetic(Operator::Lt, type, first, second, place);
    return terms_.select(is_second, second, first);
  }
  if (is_choice && type.fraction_bits == 0) {
    return extreme_of_array(apply, at);
  }
  if (engine::function_kind(apply.function) == engine::FunctionKind::Order &&
      type.fraction_bits == 0) {
    return ordered(apply, expr, at);
  }
  return stick(place, fmt::format("`{}`", engine::function_name(apply.function)),
               "ciphertexts support only sums and products; use `fn(mpc)` for this function");
}

}  // namespace tacet::lift
