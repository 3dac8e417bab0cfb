#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/operators/elementwise.h"

namespace tacet::importer {

namespace {

using Binary = std::function<double(double, double)>;
using Written = Result<std::string> (*)(const Node&, const ElementOperand&, const ElementOperand&);

/// A constant that `fxp` cannot hold is not written at all.
auto check_number(const Node& node, const ElementOperand& operand) -> Status {
  constexpr double kLargest = 35184372088832.0;  // 2^45
  if (operand.number && !(std::abs(*operand.number) < kLargest)) {
    return error_at(node, fmt::format("the constant {} is outside of `fxp`, which is below 2^45",
                                      *operand.number));
  }
  return std::monostate{};
}

auto written_sum(const Node&, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  return fmt::format("{} + {}", a.text, b.text);
}

auto written_difference(const Node&, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  return fmt::format("{} - {}", a.text, b.text);
}

auto written_product(const Node&, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  // A small constant loses digits that its reciprocal has.
  constexpr double kSmall = 1.0 / 16;
  for (const auto& [factor, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const double number = std::abs(factor->number.value_or(1));
    if (number < kSmall && number != 0) {
      return fmt::format("{} / {}", other->text, literal(1 / *factor->number, Elements::Real));
    }
  }
  return fmt::format("{} * {}", a.text, b.text);
}

auto written_quotient(const Node& node, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  if (b.number && *b.number == 0) {
    return error_at(node, "divides by 0");
  }
  if (a.elements == Elements::Integer && b.elements == Elements::Integer) {
    return error_at(node, "division of secret integers is not supported; `Cast` them to reals");
  }
  // A small divisor loses digits that its reciprocal has.
  constexpr double kSmall = 1.0 / 16;
  if (b.number && std::abs(*b.number) < kSmall) {
    return fmt::format("{} * {}", a.text, literal(1 / *b.number, Elements::Real));
  }
  return fmt::format("{} / {}", a.text, b.text);
}

auto written_power(const Node& node, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  constexpr double kMost = 16;
  if (b.number && *b.number == 0.5) {
    return fmt::format("sqrt({})", a.text);
  }
  if (b.number && *b.number == -0.5) {
    return fmt::format("rsqrt({})", a.text);
  }
  if (b.number && *b.number == -1) {
    return fmt::format("reciprocal({})", a.text);
  }
  if (b.number && *b.number == std::floor(*b.number) && *b.number >= 1 && *b.number <= kMost) {
    std::string text = a.text;
    for (int i = 1; i < static_cast<int>(*b.number); ++i) {
      text += " * " + a.text;
    }
    return text;
  }
  return error_at(node,
                  "powers are supported for the exponents -1, -0.5, 0.5 and 1 to 16; others "
                  "are `Exp` of a multiple of `Log`");
}

auto written_least(const Node&, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  return fmt::format("min({}, {})", a.text, b.text);
}

auto written_greatest(const Node&, const ElementOperand& a, const ElementOperand& b)
    -> Result<std::string> {
  return fmt::format("max({}, {})", a.text, b.text);
}

auto written_prelu(const Node&, const ElementOperand& x, const ElementOperand& slope)
    -> Result<std::string> {
  return fmt::format("max({0}, 0.0) + {1} * min({0}, 0.0)", x.text, slope.text);
}

/// Integers if all operands are.
auto elements_of_all(const std::vector<Elements>& all) -> Elements {
  const bool is_integer =
      std::all_of(all.begin(), all.end(), [](Elements e) { return e != Elements::Real; });
  return is_integer ? Elements::Integer : Elements::Real;
}

auto evaluate_binary(const Call& call, const Binary& compute, bool is_quotient) -> Tensors {
  std::vector<Elements> all;
  for (const Tensor* input : call.inputs) {
    all.push_back(input != nullptr ? input->elements : Elements::Real);
  }
  const Elements elements = elements_of_all(all);
  const bool truncates = is_quotient && elements == Elements::Integer;
  return evaluate_elementwise(
      call,
      [&](const std::vector<double>& operands) {
        double value = operands[0];
        for (size_t i = 1; i < operands.size(); ++i) {
          value = compute(value, operands[i]);
        }
        return truncates ? std::trunc(value) : value;
      },
      elements);
}

auto lower_binary(Lowering& lowering, const Node& node, Written write) -> Status {
  std::vector<Elements> all;
  for (const std::string& input : node.inputs) {
    all.push_back(elements_of(lowering, input));
    if (all.back() == Elements::Boolean) {
      return error_at(node, "an operand is a truth value; the nearest operator is `Cast`");
    }
  }
  return lower_elementwise(lowering, node, node.inputs, elements_of_all(all),
                           [&](const std::vector<ElementOperand>& operands) -> Result<std::string> {
                             ElementOperand joined = operands[0];
                             for (size_t i = 0; i < operands.size(); ++i) {
                               if (Status fits = check_number(node, operands[i]); !fits) {
                                 return fits.error();
                               }
                               if (i == 0) {
                                 continue;
                               }
                               Result<std::string> text = write(node, joined, operands[i]);
                               if (!text) {
                                 return text.error();
                               }
                               joined = {*text, std::nullopt, joined.elements};
                             }
                             return joined.text;
                           });
}

/// A number times itself, and powers: functions of one number, which samples may bound.
auto lower_power_or_product(Lowering& lowering, const Node& node, Written write) -> Status {
  const ElementOperand x{"{0}", std::nullopt, Elements::Real};
  const bool is_square = node.op == "Mul" && node.inputs[0] == node.inputs[1];
  const Tensor* exponent = constant_of(lowering, node.inputs[1]);
  const bool is_power = node.op == "Pow" && exponent != nullptr && exponent->values.size() == 1;
  if (node.inputs.size() != 2 || (!is_square && !is_power)) {
    return lower_binary(lowering, node, write);
  }
  const ElementOperand other =
      is_square ? x : ElementOperand{"", exponent->values.front(), Elements::Real};
  Result<std::string> text = write(node, x, other);
  return text ? lower_function(lowering, node, *text, false) : Status(text.error());
}

auto binary_operator(std::string_view name, size_t n_inputs, const Binary& compute, Written write)
    -> Operator {
  const bool is_quotient = name == "Div";
  const bool may_be_function = name == "Mul" || name == "Pow";
  Lower lower = [=](Lowering& lowering, const Node& node) {
    return may_be_function ? lower_power_or_product(lowering, node, write)
                           : lower_binary(lowering, node, write);
  };
  return {"", name, n_inputs,
          [=](const Call& call) { return evaluate_binary(call, compute, is_quotient); },
          write == nullptr ? Lower() : lower};
}

auto evaluate_mean(const Call& call) -> Tensors {
  return evaluate_elementwise(
      call,
      [](const std::vector<double>& operands) {
        double sum = 0;
        for (const double operand : operands) {
          sum += operand;
        }
        return sum / static_cast<double>(operands.size());
      },
      Elements::Real);
}

auto lower_mean(Lowering& lowering, const Node& node) -> Status {
  return lower_elementwise(
      lowering, node, node.inputs, Elements::Real, [](const std::vector<ElementOperand>& operands) {
        std::string sum;
        for (const ElementOperand& operand : operands) {
          sum += (sum.empty() ? "" : " + ") + operand.text;
        }
        return Result<std::string>(fmt::format("({}) / {}.0", sum, operands.size()));
      });
}

}  // namespace

auto binary_operators() -> std::vector<Operator> {
  return {
      binary_operator(
          "Add", 2, [](double a, double b) { return a + b; }, written_sum),
      binary_operator(
          "Sub", 2, [](double a, double b) { return a - b; }, written_difference),
      binary_operator(
          "Mul", 2, [](double a, double b) { return a * b; }, written_product),
      binary_operator(
          "Div", 2, [](double a, double b) { return a / b; }, written_quotient),
      binary_operator(
          "Pow", 2, [](double a, double b) { return std::pow(a, b); }, written_power),
      binary_operator(
          "Sum", 1, [](double a, double b) { return a + b; }, written_sum),
      binary_operator(
          "Min", 1, [](double a, double b) { return std::min(a, b); }, written_least),
      binary_operator(
          "Max", 1, [](double a, double b) { return std::max(a, b); }, written_greatest),
      binary_operator(
          "PRelu", 2, [](double x, double slope) { return x < 0 ? slope * x : x; }, written_prelu),
      binary_operator(
          "Mod", 2, [](double a, double b) { return a - b * std::floor(a / b); }, nullptr),
      {"", "Mean", 1, evaluate_mean, lower_mean},
  };
}

}  // namespace tacet::importer
