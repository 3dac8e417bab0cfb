#include "tests/conformance/random_expression.h"

#include <fmt/format.h>

namespace tacet::conformance {
namespace {

using Kind = ExpressionKind;

auto number(int64_t value) -> Expression {
  return {.kind = Kind::Number, .number = value};
}

auto make(Kind kind, std::vector<Expression> operands) -> Expression {
  return {.kind = kind, .operands = std::move(operands)};
}

auto is_condition(const Expression& expression) -> bool {
  return expression.kind >= Kind::Less;
}

auto random_condition(std::mt19937_64& random, int depth) -> Expression {
  const Kind kinds[] = {Kind::Less, Kind::LessEqual, Kind::Greater, Kind::Equal};
  return make(kinds[random() % 4],
              {random_expression(random, depth - 1), random_expression(random, depth - 1)});
}

/// `min`, `max` or `abs` as a choice.
auto as_select(const Expression& e) -> Expression {
  const Expression& a = e.operands[0];
  if (e.kind == Kind::Absolute) {
    return make(Kind::Select,
                {make(Kind::Less, {a, number(0)}), make(Kind::Subtract, {number(0), a}), a});
  }
  const Expression& b = e.operands[1];
  const bool is_minimum = e.kind == Kind::Minimum;
  return make(Kind::Select, {make(Kind::Less, {is_minimum ? b : a, is_minimum ? a : b}), b, a});
}

/// One rewriting at the root, if the one that was drawn fits.
auto rewritten_here(Expression e, std::mt19937_64& random) -> Expression {
  const uint64_t rule = random() % 8;
  if (is_condition(e)) {
    if (e.kind == Kind::Less) {
      return rule < 4 ? make(Kind::Greater, {e.operands[1], e.operands[0]})
                      : make(Kind::Not, {make(Kind::LessEqual, {e.operands[1], e.operands[0]})});
    }
    return e.kind == Kind::Equal ? make(Kind::Equal, {e.operands[1], e.operands[0]})
                                 : make(Kind::Not, {make(Kind::Not, {e})});
  }
  if (rule == 0) {
    return make(Kind::Add, {e, number(0)});
  }
  if (rule == 1) {
    const Expression more = random_expression(random, 1);
    return make(Kind::Subtract, {make(Kind::Add, {more, e}), more});
  }
  switch (e.kind) {
    case Kind::Add:
    case Kind::Multiply: {
      const Expression& right = e.operands[1];
      if (rule < 4 && right.kind == e.kind) {  // to the other side
        return make(e.kind, {make(e.kind, {e.operands[0], right.operands[0]}), right.operands[1]});
      }
      if (e.kind == Kind::Multiply && right.kind == Kind::Add) {
        return make(Kind::Add, {make(Kind::Multiply, {e.operands[0], right.operands[0]}),
                                make(Kind::Multiply, {right.operands[1], e.operands[0]})});
      }
      return make(e.kind, {right, e.operands[0]});
    }
    case Kind::Subtract:
      return make(Kind::Add, {make(Kind::Multiply, {number(-1), e.operands[1]}), e.operands[0]});
    case Kind::Select:
      if (rule < 5) {
        return make(Kind::Select, {make(Kind::Not, {e.operands[0]}), e.operands[2], e.operands[1]});
      }
      return make(Kind::Add,
                  {e.operands[2],
                   make(Kind::Multiply, {make(Kind::Select, {e.operands[0], number(1), number(0)}),
                                         make(Kind::Subtract, {e.operands[1], e.operands[2]})})});
    case Kind::Minimum:
    case Kind::Maximum:
    case Kind::Absolute:
      return as_select(e);
    case Kind::SumOfA:
      return make(Kind::Add, {{.kind = Kind::Variable, .number = 5},
                              make(Kind::Add, {{.kind = Kind::Variable, .number = 3},
                                               {.kind = Kind::Variable, .number = 4}})});
    case Kind::Number:
    case Kind::Variable:
    case Kind::Less:
    case Kind::LessEqual:
    case Kind::Greater:
    case Kind::Equal:
    case Kind::Not:
      return e;
  }
  return e;
}

void gather(Expression& expression, std::vector<Expression*>& places) {
  places.push_back(&expression);
  for (Expression& operand : expression.operands) {
    gather(operand, places);
  }
}

}  // namespace

auto random_expression(std::mt19937_64& random, int depth) -> Expression {
  if (depth <= 0 || random() % 8 == 0) {
    switch (random() % 6) {
      case 0:
        return number(static_cast<int64_t>(random() % 9) - 4);
      case 1:
        return {.kind = Kind::SumOfA};
      default:
        return {.kind = Kind::Variable, .number = static_cast<int64_t>(random() % kVariables)};
    }
  }
  const uint64_t kind = random() % 11;
  if (kind == 10) {
    return make(Kind::Absolute, {random_expression(random, depth - 1)});
  }
  if (kind == 9) {
    return make(random() % 2 == 0 ? Kind::Minimum : Kind::Maximum,
                {random_expression(random, depth - 1), random_expression(random, depth - 1)});
  }
  if (kind == 0) {
    return make(Kind::Select,
                {random_condition(random, depth), random_expression(random, depth - 1),
                 random_expression(random, depth - 1)});
  }
  return make(kind < 4   ? Kind::Add
              : kind < 6 ? Kind::Subtract
                         : Kind::Multiply,
              {random_expression(random, depth - 1), random_expression(random, depth - 1)});
}

auto rewritten(const Expression& expression, std::mt19937_64& random) -> Expression {
  Expression result = expression;
  for (Expression& operand : result.operands) {
    operand = rewritten(operand, random);
  }
  return random() % 3 == 0 ? result : rewritten_here(std::move(result), random);
}

auto without_functions(const Expression& expression) -> Expression {
  Expression result = expression;
  for (Expression& operand : result.operands) {
    operand = without_functions(operand);
  }
  const bool is_function =
      result.kind == Kind::Minimum || result.kind == Kind::Maximum || result.kind == Kind::Absolute;
  return is_function ? as_select(result) : result;
}

auto mutated(const Expression& expression, std::mt19937_64& random) -> Expression {
  Expression result = expression;
  std::vector<Expression*> places;
  gather(result, places);
  Expression& place = *places[random() % places.size()];
  switch (place.kind) {
    case Kind::Number:
      place.number += random() % 2 == 0 ? 1 : -1;
      break;
    case Kind::Variable:
      place.number = (place.number + 1 + static_cast<int64_t>(random() % (kVariables - 1))) %
                     static_cast<int64_t>(kVariables);
      break;
    case Kind::SumOfA:
      place = {.kind = Kind::Variable, .number = 3};
      break;
    case Kind::Add:
      place.kind = random() % 2 == 0 ? Kind::Subtract : Kind::Multiply;
      break;
    case Kind::Subtract:
    case Kind::Multiply:
      place.kind = Kind::Add;
      break;
    case Kind::Select:
      std::swap(place.operands[1], place.operands[2]);
      break;
    case Kind::Minimum:
      place.kind = Kind::Maximum;
      break;
    case Kind::Maximum:
      place.kind = Kind::Minimum;
      break;
    case Kind::Absolute:
      place = Expression(place.operands[0]);
      break;
    case Kind::Less:
      place.kind = Kind::LessEqual;
      break;
    case Kind::LessEqual:
    case Kind::Greater:
      place.kind = Kind::Less;
      break;
    case Kind::Equal:
      place.kind = Kind::LessEqual;
      break;
    case Kind::Not:
      place = Expression(place.operands[0]);
      break;
  }
  return result;
}

auto text_of(const Expression& e) -> std::string {
  const auto operand = [&](size_t i) { return text_of(e.operands[i]); };
  const auto binary = [&](std::string_view op) {
    return fmt::format("({} {} {})", operand(0), op, operand(1));
  };
  constexpr std::string_view kNames[kVariables] = {"x", "y", "z", "a[0]", "a[1]", "a[2]"};
  switch (e.kind) {
    case Kind::Number:
      return e.number < 0 ? fmt::format("(0 - {})", -e.number) : fmt::format("{}", e.number);
    case Kind::Variable:
      return std::string(kNames[static_cast<size_t>(e.number)]);
    case Kind::SumOfA:
      return "sum(a)";
    case Kind::Add:
      return binary("+");
    case Kind::Subtract:
      return binary("-");
    case Kind::Multiply:
      return binary("*");
    case Kind::Select:
      return fmt::format("({} if {} else {})", operand(1), operand(0), operand(2));
    case Kind::Minimum:
      return fmt::format("min({}, {})", operand(0), operand(1));
    case Kind::Maximum:
      return fmt::format("max({}, {})", operand(0), operand(1));
    case Kind::Absolute:
      return fmt::format("abs({})", operand(0));
    case Kind::Less:
      return binary("<");
    case Kind::LessEqual:
      return binary("<=");
    case Kind::Greater:
      return binary(">");
    case Kind::Equal:
      return binary("==");
    case Kind::Not:
      return fmt::format("(!{})", operand(0));
  }
  return {};
}

auto value_of(const Expression& e, const Inputs& inputs) -> uint64_t {
  const auto operand = [&](size_t i) { return value_of(e.operands[i], inputs); };
  const auto as_signed = [&](size_t i) { return static_cast<int64_t>(operand(i)); };
  switch (e.kind) {
    case Kind::Number:
      return static_cast<uint64_t>(e.number);
    case Kind::Variable:
      return static_cast<uint64_t>(inputs[static_cast<size_t>(e.number)]);
    case Kind::SumOfA:
      return static_cast<uint64_t>(inputs[3]) + static_cast<uint64_t>(inputs[4]) +
             static_cast<uint64_t>(inputs[5]);
    case Kind::Add:
      return operand(0) + operand(1);
    case Kind::Subtract:
      return operand(0) - operand(1);
    case Kind::Multiply:
      return operand(0) * operand(1);
    case Kind::Select:
      return operand(0) != 0 ? operand(1) : operand(2);
    case Kind::Minimum:
      return as_signed(1) < as_signed(0) ? operand(1) : operand(0);
    case Kind::Maximum:
      return as_signed(0) < as_signed(1) ? operand(1) : operand(0);
    case Kind::Absolute:
      return as_signed(0) < 0 ? 0 - operand(0) : operand(0);
    case Kind::Less:
      return as_signed(0) < as_signed(1) ? 1 : 0;
    case Kind::LessEqual:
      return as_signed(0) <= as_signed(1) ? 1 : 0;
    case Kind::Greater:
      return as_signed(0) > as_signed(1) ? 1 : 0;
    case Kind::Equal:
      return operand(0) == operand(1) ? 1 : 0;
    case Kind::Not:
      return operand(0) == 0 ? 1 : 0;
  }
  return 0;
}

}  // namespace tacet::conformance
