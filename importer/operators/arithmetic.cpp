// Operators on elements: functions of one number, and of two under broadcasting.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/lowering.h"
#include "importer/names.h"
#include "importer/operators/elementwise.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

using Function = std::function<double(double)>;

/// A function of one number: how it is computed, and written, with `{0}` for the number.
struct Unary {
  Function compute;
  std::string text;
  bool is_linear = false;  ///< takes no bounds to be computed under encryption
};

using UnaryOf = std::function<Result<Unary>(const Node&)>;

auto evaluate_unary(const Call& call, const UnaryOf& unary_of) -> Tensors {
  Result<Unary> unary = unary_of(call.node);
  if (!unary) {
    return unary.error();
  }
  Tensor result = call.input(0);
  for (double& value : result.values) {
    value = unary->compute(value);
  }
  return std::vector{std::move(result)};
}

/// A function of its own whose bound is that of the samples: under encryption it is a polynomial,
/// the better the narrower its range.
auto bounded_call(Lowering& lowering, const Node& node, const std::string& text) -> std::string {
  const std::string bound = bound_clause(lowering, node.inputs[0]);
  if (bound.empty() || lowering.options.target == Target::Mpc) {
    return "";
  }
  const std::string name = fresh_name(lowering, node.op + "_of_" + identifier(node.inputs[0]));
  lowering.functions.push_back(
      fmt::format("/// Of numbers that samples kept within these bounds, with some room.\n"
                  "fn({{device}}) {}(x: secret fxp {}) -> secret fxp {{{{ {} }}}}",
                  name, bound, fmt::format(fmt::runtime(text), "x")));
  return name;
}

auto lower_unary(Lowering& lowering, const Node& node, const UnaryOf& unary_of) -> Status {
  Result<Unary> unary = unary_of(node);
  if (!unary) {
    return unary.error();
  }
  return lower_function(lowering, node, unary->text, unary->is_linear);
}

auto unary_operator(std::string_view name, UnaryOf unary_of) -> Operator {
  return {"", name, 1, [unary_of](const Call& call) { return evaluate_unary(call, unary_of); },
          [unary_of](Lowering& lowering, const Node& node) {
            return lower_unary(lowering, node, unary_of);
          }};
}

/// One without attributes.
auto unary_operator(std::string_view name, const Function& compute, const std::string& text,
                    bool is_linear = false) -> Operator {
  return unary_operator(name, [=](const Node&) {
    return Result<Unary>(Unary{compute, text, is_linear});
  });
}

auto real(double value) -> std::string {
  return literal(value, Elements::Real);
}

auto leaky_relu(const Node& node) -> Result<Unary> {
  const double slope = number_of(node, "alpha", 0.01);
  const std::string chosen = slope <= 1 ? "max" : "min";
  return Unary{[slope](double x) { return x < 0 ? slope * x : x; },
               fmt::format("{}({{0}}, {} * {{0}})", chosen, real(slope))};
}

auto elu(const Node& node) -> Result<Unary> {
  const double scale = number_of(node, "alpha", 1);
  return Unary{[scale](double x) { return x < 0 ? scale * std::expm1(x) : x; },
               fmt::format("max({{0}}, 0.0) + {} * (exp(min({{0}}, 0.0)) - 1.0)", real(scale))};
}

auto selu(const Node& node) -> Result<Unary> {
  const double alpha = number_of(node, "alpha", 1.67326319217681884765625);
  const double gamma = number_of(node, "gamma", 1.05070102214813232421875);
  return Unary{[=](double x) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); },
               fmt::format("{} * max({{0}}, 0.0) + {} * (exp(min({{0}}, 0.0)) - 1.0)", real(gamma),
                           real(alpha * gamma))};
}

auto hard_sigmoid(const Node& node) -> Result<Unary> {
  const double slope = number_of(node, "alpha", 0.2);
  const double shift = number_of(node, "beta", 0.5);
  return Unary{[=](double x) { return std::clamp(slope * x + shift, 0.0, 1.0); },
               fmt::format("min(max({} * {{0}} + {}, 0.0), 1.0)", real(slope), real(shift))};
}

auto gelu(const Node& node) -> Result<Unary> {
  if (text_of(node, "approximate", "none") == "tanh") {
    return Unary{[](double x) {
                   return 0.5 * x *
                          (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
                 },
                 "0.5 * {0} * (1.0 + tanh(0.7978845608028654 * ({0} + 0.044715 * {0} * {0} * "
                 "{0})))"};
  }
  return Unary{[](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); },
               "{0} * (0.5 + 0.5 * erf({0} * 0.7071067811865476))"};
}

}  // namespace

auto lower_function(Lowering& lowering, const Node& node, const std::string& text, bool is_linear)
    -> Status {
  const Stored x = stored_of(lowering, node.inputs[0]);
  if (x.elements == Elements::Boolean) {
    return error_at(node, "its operand is a truth value; the nearest operator is `Cast`");
  }
  const std::string called = is_linear ? "" : bounded_call(lowering, node, text);
  const Counters counters = counters_for(lowering, parts_of(x));
  const std::string at = element(x, counters);
  const std::string value =
      called.empty() ? fmt::format(fmt::runtime(text), at) : fmt::format("{}({})", called, at);
  define(lowering, node, counters, value, x.elements);
  return std::monostate{};
}

auto arithmetic_operators() -> std::vector<Operator> {
  std::vector<Operator> all = {
      unary_operator(
          "Relu", [](double x) { return std::max(x, 0.0); }, "max({0}, 0.0)"),
      unary_operator("LeakyRelu", leaky_relu),
      unary_operator("Elu", elu),
      unary_operator("Selu", selu),
      unary_operator("HardSigmoid", hard_sigmoid),
      unary_operator("Gelu", gelu),
      unary_operator(
          "HardSwish", [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); },
          "{0} * min(max({0} / 6.0 + 0.5, 0.0), 1.0)"),
      unary_operator(
          "Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, "sigmoid({0})"),
      unary_operator(
          "Tanh", [](double x) { return std::tanh(x); }, "tanh({0})"),
      unary_operator(
          "Exp", [](double x) { return std::exp(x); }, "exp({0})"),
      unary_operator(
          "Log", [](double x) { return std::log(x); }, "log({0})"),
      unary_operator(
          "Sqrt", [](double x) { return std::sqrt(x); }, "sqrt({0})"),
      unary_operator(
          "Reciprocal", [](double x) { return 1 / x; }, "reciprocal({0})"),
      unary_operator(
          "Erf", [](double x) { return std::erf(x); }, "erf({0})"),
      unary_operator(
          "Sin", [](double x) { return std::sin(x); }, "sin({0})"),
      unary_operator(
          "Cos", [](double x) { return std::cos(x); }, "cos({0})"),
      unary_operator(
          "Abs", [](double x) { return std::abs(x); }, "abs({0})"),
      unary_operator(
          "Neg", [](double x) { return -x; }, "-{0}", true),
      unary_operator(
          "Softplus",
          [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
          "max({0}, 0.0) + log(1.0 + exp(-abs({0})))"),
      unary_operator(
          "Softsign", [](double x) { return x / (1 + std::abs(x)); }, "{0} / (1.0 + abs({0}))"),
  };
  for (Operator& entry : binary_operators()) {
    all.push_back(std::move(entry));
  }
  for (const auto& [name, compute] :
       {std::pair<std::string_view, Function>{"Floor", [](double x) { return std::floor(x); }},
        {"Ceil", [](double x) { return std::ceil(x); }},
        {"Round", [](double x) { return std::nearbyint(x); }},
        {"Sign", [](double x) { return x > 0   ? 1.0
                                       : x < 0 ? -1.0
                                               : 0.0; }}}) {
    all.push_back(unary_operator(name, compute, ""));
    all.back().lower = nullptr;
  }
  return all;
}

}  // namespace tacet::importer
