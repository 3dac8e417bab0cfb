#include "importer/write_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formatter/format.h"
#include "importer/names.h"

namespace tacet::importer {

namespace {

/// The norm of an array's items along its first dimension.
auto largest_item_norm(const Tensor& tensor) -> double {
  const size_t n_items = tensor.shape.size() < 2 ? 1 : static_cast<size_t>(tensor.shape[0]);
  const size_t size = tensor.values.size() / n_items;
  double largest = 0;
  for (size_t i = 0; i < n_items; ++i) {
    double sum = 0;
    for (size_t k = 0; k < size; ++k) {
      sum += tensor.values[i * size + k] * tensor.values[i * size + k];
    }
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

/// Weights are the evaluator's own numbers under encryption; parties share them.
auto weights_text(const Weights& weights, Target target) -> std::string {
  std::string bound = bound_of_numbers(weights.tensor);
  return fmt::format("{}: {}{} {} from server", weights.name,
                     target == Target::Mpc ? "secret " : "",
                     type_text(weights.tensor.elements, weights.tensor.shape), bound);
}

auto parameters_text(const Program& program, const Lowering& lowering, Target target)
    -> std::string {
  std::string text;
  for (const ClientInput& input : program.inputs) {
    text += fmt::format("{}: secret {} {} from client,\n", input.name,
                        type_text(Elements::Real, input.shape), input.bound);
  }
  for (const Weights& weights : lowering.weights) {
    text += weights_text(weights, target) + ",\n";
  }
  return text;
}

auto result_text(const Program& program) -> std::pair<std::string, std::string> {
  std::string types;
  std::string values;
  for (const ProgramOutput& output : program.outputs) {
    types += (types.empty() ? "" : ", ") + output.type;
    values += (values.empty() ? "" : ", ") + output.expression;
  }
  return program.outputs.size() == 1 ? std::pair(types, values)
                                     : std::pair("(" + types + ")", "(" + values + ")");
}

}  // namespace

auto bound_of_numbers(const Tensor& tensor) -> std::string {
  constexpr double kLeastGain = 0.7;
  constexpr double kRoomOfRounding = 1.0001;
  if (tensor.elements == Elements::Boolean) {
    return "";
  }
  const auto [lo, hi] = std::minmax_element(tensor.values.begin(), tensor.values.end());
  if (tensor.elements == Elements::Integer) {
    return fmt::format("in {}..{}", as_integer(*lo), as_integer(*hi) + 1);
  }
  std::string text = interval_clause({*lo, *hi});
  if (tensor.shape.size() < 2) {
    return text;
  }
  const double norm = largest_item_norm(tensor);
  const double largest = std::max(std::abs(*lo), std::abs(*hi));
  const auto size =
      static_cast<double>(tensor.values.size() / static_cast<size_t>(tensor.shape[0]));
  if (norm > 0 && norm < kLeastGain * largest * std::sqrt(size)) {
    text += " norm " + rounded_up(norm * kRoomOfRounding + std::sqrt(size) / (1 << 18));
  }
  return text;
}

auto write_program(const Program& program, const Lowering& lowering, Target target) -> std::string {
  const std::string device = target == Target::Mpc ? "mpc" : "he";
  std::string text = "#version 0.1.0\n\n";
  for (const std::string& module : lowering.imports) {
    text += fmt::format("import \"{}\"\n", module);
  }
  text += lowering.imports.empty() ? "" : "\n";
  for (const std::string& function : lowering.functions) {
    text += fmt::format(fmt::runtime(function), fmt::arg("device", device)) + "\n\n";
  }
  const auto [types, values] = result_text(program);
  text += fmt::format("{}fn({}) {}(\n{}) -> {}{} {{\n", program.header, device,
                      lowering.options.function, parameters_text(program, lowering, target), types,
                      program.within);
  for (const Statement& statement : lowering.statements) {
    text += statement.comment.empty() ? "" : fmt::format("// {}\n", statement.comment);
    text += statement.text + "\n";
  }
  text += values + "\n}\n";
  return formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted).text;
}

}  // namespace tacet::importer
