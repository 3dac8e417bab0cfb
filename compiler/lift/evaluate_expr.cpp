#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/build.h"
#include "compiler/lift/lifter.h"

/// Expressions of kernels as terms, by name: what is asked for is an element of their value.
namespace tacet::lift {

using array::FunctionKind;
using Op = array::Operator;
using types::Operator;

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

auto Lifter::index(kernel::ExprId expr) -> std::optional<Index> {
  const TermId term = value(expr, {});
  std::optional<Index> found = terms_.as_index(term);
  if (!found && !stuck_) {
    stick(kernel_.exprs[expr].place, "index that no layout follows",
          "an index is a sum of multiples of loop counters and constants, or the remainder of one",
          DiagnosticCode::T6002);
  }
  return found;
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
  for (kernel::ExprId id : element.indices) {
    const std::optional<Index> found = index(id);
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
  switch (unary.op) {
    case Operator::Neg:
      return terms_.operation(Op::Subtract, terms_.number(0), operand);
    case Operator::Not:
      return terms_.negation(operand);
    case Operator::Invert: {
      const int64_t all =
          engine::is_signed_integer(kind) ? -1 : static_cast<int64_t>(engine::max_integer(kind));
      return terms_.operation(Op::Subtract, terms_.number(all), operand);
    }
    default:
      return stick(kernel_.exprs[expr].place, "this operator", "");
  }
}

auto Lifter::value(const kernel::Binary& binary, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const TermId left = operand(binary.left, at);
  const TermId right = operand(binary.right, at);
  terms_.set_place(kernel_.exprs[expr].place);
  return arithmetic(binary.op, kernel_.exprs[binary.left].type.element, left, right,
                    kernel_.exprs[expr].place);
}

auto Lifter::arithmetic(Operator op, engine::ElementType type, TermId left, TermId right,
                        FileRange place) -> TermId {
  const auto function = [&](FunctionKind kind) { return terms_.function(kind, {left, right}); };
  const auto less = [&](TermId a, TermId b) { return terms_.function(FunctionKind::Less, {a, b}); };
  const bool is_bool = type.kind == engine::ElementKind::Bool;
  if (type.fraction_bits != 0 && op != Operator::Add && op != Operator::Sub &&
      op != Operator::Mul) {
    const bool divides = op == Operator::Div || op == Operator::Mod;
    return stick(
        place, divides ? "divisions of fixed-point numbers" : "comparisons of fixed-point numbers",
        "what is encrypted as `fxp` has sums, differences and products; `fn(mpc)` has all "
        "operators");
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
      return shifted(op, left, right, place);
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      break;
  }
  return stick(place, "this operator", "");
}

/// By so many bits as are known, or by each number of bits that there may be.
auto Lifter::shifted(Operator op, TermId left, TermId right, FileRange place) -> TermId {
  const std::optional<int64_t> by = terms_.as_number(right);
  if (!by || *by < 0 || *by > 62) {
    return stick(place, "shifts by a number of bits that is not known",
                 "choose among the numbers of bits that there may be");
  }
  const TermId power = terms_.number(int64_t{1} << *by);
  return op == Operator::Shl ? terms_.product(left, power)
                             : terms_.function(FunctionKind::FloorDivide, {left, power});
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

/// A conversion to a type that holds fewer numbers wraps; `Modulo` of what is in range is nothing.
auto Lifter::value(const kernel::Cast& cast, kernel::ExprId expr, const std::vector<Index>& at)
    -> TermId {
  const TermId operand = value(cast.operand, at);
  const engine::ElementKind from = kernel_.exprs[cast.operand].type.element.kind;
  const engine::ElementKind to = kernel_.exprs[expr].type.element.kind;
  if (from == engine::ElementKind::Fxp || to == engine::ElementKind::Fxp) {
    const bool keeps_value = to == engine::ElementKind::Fxp && from != engine::ElementKind::Bool &&
                             (from != to || kernel_.exprs[cast.operand].type.element ==
                                                kernel_.exprs[expr].type.element);
    return keeps_value ? operand
                       : stick(kernel_.exprs[expr].place, "this conversion of fixed-point numbers",
                               "an integer can become `fxp`; what is encrypted cannot be cut");
  }
  if (to == engine::ElementKind::Bool) {
    return from == to
               ? operand
               : terms_.negation(terms_.function(FunctionKind::Equal, {operand, terms_.number(0)}));
  }
  const bool is_wider = from == engine::ElementKind::Bool || engine::bit_width(to) >= 63 ||
                        (engine::min_integer(from) >= engine::min_integer(to) &&
                         engine::max_integer(from) <= engine::max_integer(to));
  if (is_wider) {
    return operand;
  }
  const TermId low = terms_.number(engine::min_integer(to));
  const TermId size = terms_.number(int64_t{1} << engine::bit_width(to));
  const TermId rest =
      terms_.function(FunctionKind::Modulo, {terms_.operation(Op::Subtract, operand, low), size});
  return terms_.sum(rest, low);
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
    return stick(kernel_.exprs[expr].place, "rotations of what is rotated already",
                 "rotate once, by the sum");
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
               "ciphertexts have sums and products; `fn(mpc)` has this function");
}

}  // namespace tacet::lift
