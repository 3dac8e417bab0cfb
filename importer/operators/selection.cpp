// Bounds, comparisons, truth values and choices.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "importer/operators/elementwise.h"

namespace tacet::importer {

namespace {

struct Bounds {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
};

auto bounds_of(const Node& node, const Tensor* lo, const Tensor* hi) -> Bounds {
  Bounds bounds;
  const auto given = [&](const Tensor* tensor, std::string_view attribute, double otherwise) {
    return tensor != nullptr && !tensor->values.empty() ? tensor->values.front()
                                                        : number_of(node, attribute, otherwise);
  };
  bounds.lo = given(lo, "min", bounds.lo);
  bounds.hi = given(hi, "max", bounds.hi);
  return bounds;
}

auto evaluate_clip(const Call& call) -> Tensors {
  const Bounds bounds = bounds_of(call.node, call.has(1) ? call.inputs[1] : nullptr,
                                  call.has(2) ? call.inputs[2] : nullptr);
  Tensor result = call.input(0);
  for (double& value : result.values) {
    value = std::min(std::max(value, bounds.lo), bounds.hi);
  }
  return std::vector{std::move(result)};
}

auto lower_clip(Lowering& lowering, const Node& node) -> Status {
  constexpr double kLargest = 35184372088832.0;  // 2^45, beyond which `fxp` has no numbers
  std::vector<const Tensor*> given(3, nullptr);
  for (size_t i = 1; i < node.inputs.size() && i < given.size(); ++i) {
    if (!node.inputs[i].empty()) {
      given[i] = constant_of(lowering, node.inputs[i]);
      if (given[i] == nullptr) {
        return error_at(node,
                        "its bounds have to be constants; the nearest operators are `Min` "
                        "and `Max`");
      }
    }
  }
  const Bounds bounds = bounds_of(node, given[1], given[2]);
  const Elements elements = elements_of(lowering, node.inputs[0]);
  std::string text = "{0}";
  if (bounds.lo > -kLargest) {
    text = fmt::format("max({}, {})", text, literal(bounds.lo, elements));
  }
  if (bounds.hi < kLargest) {
    text = fmt::format("min({}, {})", text, literal(bounds.hi, elements));
  }
  return lower_function(lowering, node, text, text == "{0}");
}

using Relation = std::function<bool(double, double)>;

auto relation_operator(std::string_view name, std::string_view symbol, const Relation& holds)
    -> Operator {
  return {"", name, 2,
          [holds](const Call& call) {
            return evaluate_elementwise(
                call,
                [&](const std::vector<double>& operands) {
                  return holds(operands[0], operands[1]) ? 1.0 : 0.0;
                },
                Elements::Boolean);
          },
          [symbol](Lowering& lowering, const Node& node) {
            return lower_elementwise(lowering, node, node.inputs, Elements::Boolean,
                                     [&](const std::vector<ElementOperand>& operands) {
                                       return Result<std::string>(fmt::format(
                                           "{} {} {}", operands[0].text, symbol, operands[1].text));
                                     });
          }};
}

auto evaluate_not(const Call& call) -> Tensors {
  return evaluate_elementwise(
      call, [](const std::vector<double>& operands) { return operands[0] == 0 ? 1.0 : 0.0; },
      Elements::Boolean);
}

auto lower_not(Lowering& lowering, const Node& node) -> Status {
  return lower_elementwise(lowering, node, node.inputs, Elements::Boolean,
                           [](const std::vector<ElementOperand>& operands) {
                             return Result<std::string>("!" + operands[0].text);
                           });
}

auto evaluate_where(const Call& call) -> Tensors {
  const bool is_real =
      call.input(1).elements == Elements::Real || call.input(2).elements == Elements::Real;
  return evaluate_elementwise(
      call,
      [](const std::vector<double>& operands) {
        return operands[0] != 0 ? operands[1] : operands[2];
      },
      is_real ? Elements::Real : call.input(1).elements);
}

auto lower_where(Lowering& lowering, const Node& node) -> Status {
  constexpr double kLargest = 35184372088832.0;
  Elements elements = elements_of(lowering, node.inputs[1]);
  if (elements_of(lowering, node.inputs[2]) == Elements::Real) {
    elements = Elements::Real;
  }
  return lower_elementwise(
      lowering, node, node.inputs, elements,
      [&](const std::vector<ElementOperand>& operands) -> Result<std::string> {
        for (const ElementOperand& operand : operands) {
          if (operand.number && !(std::abs(*operand.number) < kLargest)) {
            return error_at(node, fmt::format("the constant {} is outside of `fxp`; use one whose "
                                              "exponential is 0 as well, such as -65536",
                                              *operand.number));
          }
        }
        return fmt::format("{} if {} else {}", operands[1].text, operands[0].text,
                           operands[2].text);
      });
}

/// The elements that a `Cast` makes, by ONNX's number for their type.
auto cast_target(const Node& node) -> Result<Elements> {
  switch (integer_of(node, "to", 1)) {
    case 1:
    case 10:
    case 11:
    case 16:
      return Elements::Real;
    case 9:
      return Elements::Boolean;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 12:
    case 13:
      return Elements::Integer;
    default:
      return error_at(node, "converts to a type that is not a number");
  }
}

auto evaluate_cast(const Call& call) -> Tensors {
  Result<Elements> to = cast_target(call.node);
  if (!to) {
    return to.error();
  }
  Tensor result = call.input(0);
  result.elements = *to;
  for (double& value : result.values) {
    value = *to == Elements::Real      ? value
            : *to == Elements::Integer ? std::trunc(value)
                                       : (value != 0 ? 1.0 : 0.0);
  }
  return std::vector{std::move(result)};
}

auto lower_cast(Lowering& lowering, const Node& node) -> Status {
  Result<Elements> to = cast_target(node);
  if (!to) {
    return to.error();
  }
  const Stored x = stored_of(lowering, node.inputs[0]);
  if (x.elements == *to) {
    lowering.stored[node.outputs[0]] = x;
    return std::monostate{};
  }
  if (x.elements == Elements::Real && *to == Elements::Integer) {
    return error_at(node,
                    "secret reals are not truncated to integers; leave the node out, or "
                    "compare with thresholds");
  }
  const Counters counters = counters_for(lowering, parts_of(x));
  const std::string at = element(x, counters);
  std::string text = at + " as fxp";
  if (*to == Elements::Boolean) {
    text = fmt::format("{} != {}", at, literal(0, x.elements));
  } else if (x.elements == Elements::Boolean) {
    text = fmt::format("{} if {} else {}", literal(1, *to), at, literal(0, *to));
  }
  define(lowering, node, counters, text, *to);
  return std::monostate{};
}

}  // namespace

auto selection_operators() -> std::vector<Operator> {
  return {
      {"", "Clip", 1, evaluate_clip, lower_clip},
      relation_operator("Equal", "==", [](double a, double b) { return a == b; }),
      relation_operator("Less", "<", [](double a, double b) { return a < b; }),
      relation_operator("LessOrEqual", "<=", [](double a, double b) { return a <= b; }),
      relation_operator("Greater", ">", [](double a, double b) { return a > b; }),
      relation_operator("GreaterOrEqual", ">=", [](double a, double b) { return a >= b; }),
      relation_operator("And", "&&", [](double a, double b) { return a != 0 && b != 0; }),
      relation_operator("Or", "||", [](double a, double b) { return a != 0 || b != 0; }),
      relation_operator("Xor", "!=", [](double a, double b) { return (a != 0) != (b != 0); }),
      {"", "Not", 1, evaluate_not, lower_not},
      {"", "Where", 3, evaluate_where, lower_where},
      {"", "Cast", 1, evaluate_cast, lower_cast},
  };
}

}  // namespace tacet::importer
