#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/kernel/printer.h"
#include "engine/program/common/element_text.h"

namespace tacet::kernel {

using engine::ElementKind;
using types::Operator;
using Level = ExpressionPrinter::Level;

auto type_text(const Type& type) -> std::string {
  std::string element = engine::element_type_name(type.element);
  return type.extents.empty() ? element
                              : fmt::format("[{}; {}]", element, fmt::join(type.extents, ", "));
}

auto print(const Kernel& kernel, ExprId expr) -> std::string {
  return ExpressionPrinter(kernel).text(expr, Level::Conditional, ExpressionPrinter::Expected::Its);
}

auto ExpressionPrinter::text(ExprId id, Level level, Expected expected) -> std::string {
  Piece written = piece(id, expected);
  return written.level < level ? fmt::format("({})", written.text) : std::move(written.text);
}

/// What a literal with a fraction is where nothing says more.
auto ExpressionPrinter::standard_fraction() const -> ElementType {
  const bool has_floats =
      kernel_.device == names::Device::Cpu || kernel_.device == names::Device::Gpu;
  return has_floats ? ElementType{ElementKind::F64, 0}
                    : ElementType{ElementKind::Fxp, engine::kDefaultFractionBits};
}

auto ExpressionPrinter::says_its_type(ExprId id, Expected expected) const -> bool {
  const Expr& expr = kernel_.exprs[id];
  const ElementType element = expr.type.element;
  const auto any = [&](const std::vector<ExprId>& ids) {
    return std::any_of(ids.begin(), ids.end(),
                       [&](ExprId part) { return says_its_type(part, expected); });
  };
  const bool is_chosen = element == engine::kI64 || element == standard_fraction();
  if (element == engine::kBool || (is_chosen && expected != Expected::Another)) {
    return true;
  }
  if (const auto* part = std::get_if<Element>(&expr.node)) {
    return says_its_type(part->array, expected);
  }
  if (const auto* unary = std::get_if<Unary>(&expr.node)) {
    return says_its_type(unary->operand, expected);
  }
  if (const auto* binary = std::get_if<Binary>(&expr.node)) {
    return any({binary->left, binary->right});
  }
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    return any({select->then, select->otherwise});
  }
  if (const auto* array = std::get_if<ArrayLiteral>(&expr.node)) {
    return any(array->elements);
  }
  if (const auto* table = std::get_if<Tabulate>(&expr.node)) {
    return says_its_type(table->body, expected);
  }
  if (const auto* reduce = std::get_if<Reduce>(&expr.node)) {
    return says_its_type(reduce->body, expected);
  }
  if (const auto* rotate = std::get_if<Rotate>(&expr.node)) {
    return says_its_type(rotate->operand, expected);
  }
  if (const auto* apply = std::get_if<Apply>(&expr.node)) {
    return apply->function == engine::Function::SortBy
               ? says_its_type(apply->arguments[1], expected)
               : any(apply->arguments);
  }
  if (const auto* draw = std::get_if<Draw>(&expr.node)) {
    return draw->arguments.empty() || any(draw->arguments);
  }
  return !std::holds_alternative<Literal>(expr.node);
}

auto ExpressionPrinter::expected_of(const std::vector<ExprId>& ids, size_t i,
                                    Expected expected) const -> Expected {
  const bool is_said = std::any_of(ids.begin(), ids.end(),
                                   [&](ExprId id) { return says_its_type(id, Expected::Another); });
  return is_said || i > 0 ? Expected::Its : expected;
}

auto ExpressionPrinter::list(const std::vector<ExprId>& ids, Expected expected) -> std::string {
  std::string written;
  for (size_t i = 0; i < ids.size(); ++i) {
    written += i == 0 ? "" : ", ";
    written += text(ids[i], Level::Conditional, expected_of(ids, i, expected));
  }
  return written;
}

auto ExpressionPrinter::piece(ExprId id, Expected expected) -> Piece {
  const Expr& expr = kernel_.exprs[id];
  if (const auto* number = std::get_if<Literal>(&expr.node)) {
    return literal(*number, expr.type.element, expected);
  }
  if (const auto* read = std::get_if<Read>(&expr.node)) {
    return {kernel_.variables[read->variable].name};
  }
  if (const auto* part = std::get_if<Element>(&expr.node)) {
    return element(*part, expected);
  }
  if (const auto* unary = std::get_if<Unary>(&expr.node)) {
    // `--x` is written `-(-x)`.
    const std::string_view sign = unary->op == Operator::Neg   ? "-"
                                  : unary->op == Operator::Not ? "!"
                                                               : "~";
    return {fmt::format("{}{}", sign, text(unary->operand, Level::Postfix, expected)),
            Level::Unary};
  }
  if (const auto* operation = std::get_if<Binary>(&expr.node)) {
    return binary(*operation, expected);
  }
  if (const auto* choice = std::get_if<Select>(&expr.node)) {
    return select(*choice, expected);
  }
  if (const auto* cast = std::get_if<Cast>(&expr.node)) {
    return {fmt::format("{} as {}", text(cast->operand, Level::Cast, Expected::Another),
                        type_text(expr.type)),
            Level::Cast};
  }
  if (const auto* array = std::get_if<ArrayLiteral>(&expr.node)) {
    return {fmt::format("[{}]", list(array->elements, expected))};
  }
  if (const auto* table = std::get_if<Tabulate>(&expr.node)) {
    return {fmt::format("for {}: {} {{ {} }}", kernel_.variables[table->index].name,
                        expr.type.extents[0], text(table->body, Level::Conditional, expected))};
  }
  if (const auto* reduce = std::get_if<Reduce>(&expr.node)) {
    return reduction(*reduce, expected);
  }
  if (const auto* rotate = std::get_if<Rotate>(&expr.node)) {
    return {fmt::format("rotate({}, {})", text(rotate->operand, Level::Conditional, expected),
                        text(rotate->by, Level::Conditional, Expected::Nothing))};
  }
  if (const auto* draw = std::get_if<Draw>(&expr.node)) {
    return {fmt::format("{}({})", engine::draw_function_name(draw->function),
                        draw->function == engine::DrawFunction::Permutation
                            ? std::to_string(expr.type.extents[0])
                            : list(draw->arguments, expected))};
  }
  return {function(std::get<Apply>(expr.node), expr.type, expected)};
}

auto ExpressionPrinter::element(const Element& node, Expected expected) -> Piece {
  std::string written = text(node.array, Level::Postfix, expected);
  for (const ExprId index : node.indices) {
    written += fmt::format("[{}]", text(index, Level::Any, Expected::Nothing));
  }
  return {std::move(written)};
}

auto ExpressionPrinter::select(const Select& node, Expected expected) -> Piece {
  const std::vector<ExprId> sides = {node.then, node.otherwise};
  return {
      fmt::format("{} if {} else {}", text(node.then, Level::Any, expected_of(sides, 0, expected)),
                  text(node.condition, Level::Any, Expected::Its),
                  text(node.otherwise, Level::Conditional, expected_of(sides, 1, expected))),
      Level::Conditional};
}

auto ExpressionPrinter::reduction(const Reduce& node, Expected expected) -> Piece {
  const bool is_sum = node.op == Operator::Add;
  const std::string body = text(node.body, Level::Conditional, expected);
  return {node.dimension == 0
              ? fmt::format("{}({})", is_sum ? "sum" : "product", body)
              : fmt::format("reduce({}, {}, {})", is_sum ? "+" : "*", node.dimension, body)};
}

auto ExpressionPrinter::function(const Apply& apply, const Type& type, Expected expected)
    -> std::string {
  const std::string_view name = engine::function_name(apply.function);
  if (apply.function == engine::Function::SortBy) {
    return fmt::format("{}({}, {})", name,
                       text(apply.arguments[0], Level::Conditional, Expected::Another),
                       text(apply.arguments[1], Level::Conditional, expected));
  }
  if (apply.function == engine::Function::TopK) {
    return fmt::format("{}({}, {})", name, text(apply.arguments[0], Level::Conditional, expected),
                       type.extents[0]);
  }
  return fmt::format("{}({})", name, list(apply.arguments, expected));
}

static auto level_of(Operator op) -> Level {
  switch (op) {
    case Operator::Or:
      return Level::BitOr;
    case Operator::Xor:
      return Level::BitXor;
    case Operator::And:
      return Level::BitAnd;
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
      return Level::Shift;
    case Operator::Lor:
      return Level::LogicalOr;
    case Operator::Land:
      return Level::LogicalAnd;
    case Operator::Add:
    case Operator::Sub:
      return Level::Additive;
    case Operator::Mul:
    case Operator::Div:
    case Operator::Mod:
      return Level::Multiplicative;
    case Operator::Lt:
    case Operator::Leq:
    case Operator::Gt:
    case Operator::Geq:
    case Operator::Eq:
    case Operator::Neq:
      return Level::Comparison;
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      return Level::Unary;
  }
  return Level::Conditional;
}

static auto operator_text(Operator op) -> std::string_view {
  return syntax::kind_name(types::scheme_of(op).token);
}

static auto next(Level level) -> Level {
  return static_cast<Level>(static_cast<uint8_t>(level) + 1);
}

/// An operand of `op`. Around and inside of bit operators, whose precedence not everybody knows,
/// and of comparisons, parentheses are always written.
auto ExpressionPrinter::operand(ExprId id, Level level, Operator op, Expected expected)
    -> std::string {
  const auto* inner = std::get_if<Binary>(&kernel_.exprs[id].node);
  const Level around = level_of(op);
  const bool is_unclear = [&] {
    if (inner == nullptr) {
      return false;
    }
    const Level inside = level_of(inner->op);
    return around <= Level::Shift || inside <= Level::Shift ||
           (around == Level::Comparison && inside == Level::Comparison);
  }();
  return text(id, is_unclear ? Level::Cast : level, expected);
}

auto ExpressionPrinter::binary(const Binary& node, Expected expected) -> Piece {
  if (is_logical(node.op) && !node.is_oblivious && type(node.left).extents.empty()) {
    const std::string left = text(node.left, Level::Any, Expected::Its);
    return {
        node.op == Operator::Land
            ? fmt::format("{} if {} else false", text(node.right, Level::Any, Expected::Its), left)
            : fmt::format("true if {} else {}", left,
                          text(node.right, Level::Conditional, Expected::Its)),
        Level::Conditional};
  }
  const std::vector<ExprId> sides = {node.left, node.right};
  const Expected of_sides = is_comparison(node.op) ? Expected::Nothing : expected;
  const Level level = level_of(node.op);
  return {
      fmt::format("{} {} {}", operand(node.left, level, node.op, expected_of(sides, 0, of_sides)),
                  operator_text(node.op),
                  operand(node.right, next(level), node.op, expected_of(sides, 1, of_sides))),
      level};
}

/// A decimal without an exponent, which the language has not.
static auto float_text(double value) -> std::string {
  std::string text = fmt::format("{:.1100f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

auto ExpressionPrinter::literal(const Literal& node, ElementType type, Expected expected) const
    -> Piece {
  const bool is_float = engine::is_float(type.kind);
  const double number = type.kind == ElementKind::F32 ? double{engine::f32_of_cell(node.cell)}
                                                      : engine::f64_of_cell(node.cell);
  if (is_float && number - number != 0) {  // an infinity, or none
    const std::string_view top = number != number ? "0.0" : number < 0 ? "-1.0" : "1.0";
    const std::string quotient = fmt::format("{} / 0.0", top);
    return type.kind == ElementKind::F64 || expected == Expected::Its
               ? Piece{quotient, Level::Multiplicative}
               : Piece{fmt::format("({}) as f32", quotient), Level::Cast};
  }
  std::string text = engine::element_text(type, node.cell);
  if (is_float && text.find('e') != std::string::npos) {
    text = float_text(number);
  }
  const bool is_chosen = type == engine::kI64 || type == standard_fraction();
  const bool is_known = type == engine::kBool || expected == Expected::Its ||
                        (is_chosen && expected == Expected::Nothing);
  if (is_known) {
    return {text, text.starts_with('-') ? Level::Unary : Level::Postfix};
  }
  if (type.kind == ElementKind::Fxp) {  // a cast would round it to the standard fraction first
    return {fmt::format("let c: {} = {} in c", engine::element_type_name(type), text),
            Level::Conditional};
  }
  return {fmt::format("{} as {}", text, engine::element_type_name(type)), Level::Cast};
}

}  // namespace tacet::kernel
