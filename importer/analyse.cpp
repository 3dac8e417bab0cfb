#include "importer/analyse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

using Values = std::map<std::string, Tensor>;

/// The state of one pass over the nodes.
struct Pass {
  const OperatorTable& table;
  Known& known;
  Values values;  ///< of tensors that are not constants
  Budget budget;
};

auto tensor_at(const Pass& pass, const std::string& name) -> const Tensor* {
  const auto constant = pass.known.constants.find(name);
  if (constant != pass.known.constants.end()) {
    return &constant->second;
  }
  const auto value = pass.values.find(name);
  return value != pass.values.end() ? &value->second : nullptr;
}

auto evaluate_node(Pass& pass, const Operator& op, const Node& node) -> Tensors {
  Call call{node, pass.known.opset, {}, pass.budget};
  for (const std::string& input : node.inputs) {
    call.inputs.push_back(input.empty() ? nullptr : tensor_at(pass, input));
    if (!input.empty() && call.inputs.back()->values.empty() && op.name != "Concat" &&
        op.name != "Reshape" && op.name != "Shape" && op.name != "ConstantOfShape" &&
        op.name != "Clip" && op.name != "Slice") {
      return error_at(node, fmt::format("`{}` has no elements", input));
    }
  }
  Tensors results = op.evaluate(call);
  for (size_t i = 0; results && i < results->size(); ++i) {
    pass.budget.n_elements -= static_cast<int64_t>((*results)[i].values.size());
    if (pass.budget.n_elements < 0) {
      return error_at(node, "the model's tensors take too much memory to be evaluated here");
    }
  }
  return results;
}

/// Whether all inputs are there, and as many as the operator takes.
auto check_inputs(const Pass& pass, const Operator& op, const Node& node) -> Status {
  if (node.outputs.empty() || node.outputs[0].empty()) {
    return error_at(node, "it has no output");
  }
  for (size_t i = 0; i < std::max(op.n_inputs, node.inputs.size()); ++i) {
    const bool is_given = i < node.inputs.size() && !node.inputs[i].empty();
    if (!is_given && i < op.n_inputs) {
      return error_at(node, fmt::format("it takes {} inputs", op.n_inputs));
    }
    if (is_given && tensor_at(pass, node.inputs[i]) == nullptr) {
      return error_at(node, fmt::format("it reads `{}`, which nothing computes", node.inputs[i]));
    }
  }
  return std::monostate{};
}

/// Shapes that depend on secrets have no program.
auto check_shape_inputs(const Pass& pass, const Node& node) -> Status {
  constexpr std::array<std::string_view, 6> kShaped = {"Reshape", "Expand",    "Tile",
                                                       "Squeeze", "Unsqueeze", "Split"};
  if (std::find(kShaped.begin(), kShaped.end(), node.op) == kShaped.end()) {
    return std::monostate{};
  }
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].empty() && !pass.known.constants.contains(node.inputs[i])) {
      return error_at(node, fmt::format("`{}` has to be a constant: shapes must not depend on "
                                        "secrets",
                                        node.inputs[i]));
    }
  }
  return std::monostate{};
}

auto is_constant(const Pass& pass, const Node& node) -> bool {
  // Shapes are known, whatever the numbers are.
  return node.op == "Shape" || node.op == "Size" ||
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
           return input.empty() || pass.known.constants.contains(input);
         });
}

auto keep_results(Pass& pass, const Node& node, std::vector<Tensor> results, bool are_constant)
    -> Status {
  for (size_t i = 0; i < results.size() && i < node.outputs.size(); ++i) {
    const std::string& name = node.outputs[i];
    if (name.empty()) {
      continue;
    }
    if (pass.known.shapes.contains(name)) {
      return error_at(node, fmt::format("`{}` is computed twice", name));
    }
    pass.known.shapes[name] = results[i].shape;
    (are_constant ? pass.known.constants : pass.values)[name] = std::move(results[i]);
  }
  return std::monostate{};
}

auto process(Pass& pass, Node node, size_t depth) -> Status;

/// Nodes in place of another. Where that is a layer with other weights, it is evaluated again.
auto process_rewritten(Pass& pass, const Node& node, std::vector<Node> nodes, size_t depth)
    -> Status {
  for (Node& part : nodes) {
    if (Status done = process(pass, std::move(part), depth + 1); !done) {
      return done;
    }
  }
  Known& known = pass.known;
  const std::string target = known.resolved(node.outputs[0]);
  if (target == node.outputs[0]) {
    return std::monostate{};
  }
  if (known.outputs.contains(node.outputs[0])) {
    known.outputs.insert(target);
  }
  for (const Node& layer : known.nodes) {
    if (layer.outputs[0] == target && (layer.op == "Dense" || layer.op == "Conv")) {
      Result<const Operator*> op = pass.table.find(layer);
      Tensors results = evaluate_node(pass, **op, layer);
      if (!results) {
        return results.error();
      }
      pass.values[target] = std::move(results->front());
    }
  }
  return std::monostate{};
}

auto process(Pass& pass, Node node, size_t depth) -> Status {
  constexpr size_t kDeepest = 8;
  for (std::string& input : node.inputs) {
    input = pass.known.resolved(input);
  }
  Result<const Operator*> found = pass.table.find(node);
  if (!found) {
    return found.error();
  }
  if (node.has_subgraph || depth > kDeepest) {
    return error_at(node, "nodes with graphs of their own are not supported");
  }
  const Operator& op = **found;
  if (Status checked = check_inputs(pass, op, node); !checked) {
    return checked;
  }
  if (Status checked = check_shape_inputs(pass, node); !checked) {
    return checked;
  }
  Result<std::optional<std::vector<Node>>> rewritten = rewrite(node, pass.known);
  if (!rewritten) {
    return rewritten.error();
  }
  if (*rewritten) {
    return process_rewritten(pass, node, std::move(**rewritten), depth);
  }
  Tensors results = evaluate_node(pass, op, node);
  if (!results) {
    return results.error();
  }
  const bool folds = is_constant(pass, node);
  if (!folds && op.lower == nullptr) {
    return error_at(node, "its inputs have to be constants");
  }
  if (Status kept = keep_results(pass, node, std::move(*results), folds); !kept) {
    return kept;
  }
  if (!folds) {
    pass.known.nodes.push_back(std::move(node));
  }
  return std::monostate{};
}

/// Keeps the nodes that outputs need.
void drop_unneeded(Known& known, const std::vector<std::string>& outputs) {
  std::set<std::string> needed(outputs.begin(), outputs.end());
  std::vector<Node> kept;
  for (size_t i = known.nodes.size(); i-- > 0;) {
    Node& node = known.nodes[i];
    const bool is_needed = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](const auto& output) { return needed.contains(output); });
    if (is_needed) {
      needed.insert(node.inputs.begin(), node.inputs.end());
      kept.push_back(std::move(node));
    }
  }
  std::reverse(kept.begin(), kept.end());
  known.nodes = std::move(kept);
}

void widen(Interval& range, const Tensor& tensor, bool is_first) {
  for (const double value : tensor.values) {
    range.lo = is_first ? value : std::min(range.lo, value);
    range.hi = is_first ? value : std::max(range.hi, value);
    is_first = false;
  }
}

auto without_units(const Shape& shape) -> Shape {
  Shape result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result),
               [](int64_t extent) { return extent != 1; });
  return result;
}

/// How many values of the input the samples are.
auto count_samples(const GraphInput& input, const Tensor& samples) -> Result<size_t> {
  const Shape wanted = without_units(shape_of_input(input));
  const Shape rest(samples.shape.begin() + (samples.shape.empty() ? 0 : 1), samples.shape.end());
  if (without_units(samples.shape) == wanted) {
    return size_t{1};
  }
  if (!samples.shape.empty() && without_units(rest) == wanted) {
    return static_cast<size_t>(samples.shape[0]);
  }
  return Error{
      fmt::format("samples of `{}` have the shape {}; expected {}, or that with one more "
                  "dimension in front",
                  input.name, shape_text(samples.shape), shape_text(shape_of_input(input)))};
}

auto sample_at(const GraphInput& input, const Tensor& samples, size_t i) -> Tensor {
  Tensor value{shape_of_input(input), Elements::Real, {}};
  const auto n = static_cast<size_t>(element_count(value.shape).value());
  const auto begin = samples.values.begin() + static_cast<std::ptrdiff_t>(i * n);
  value.values.assign(begin, begin + static_cast<std::ptrdiff_t>(n));
  return value;
}

/// The norm of each item along the first dimension that is not 1; of a vector its own.
auto largest_norm(const Tensor& tensor) -> double {
  const Shape shape = without_units(tensor.shape);
  const size_t n_items = shape.size() < 2 ? 1 : static_cast<size_t>(shape[0]);
  const size_t size = tensor.values.size() / n_items;
  double largest = 0;
  for (size_t i = 0; i < n_items; ++i) {
    double sum = 0;
    for (size_t k = 0; k < size; ++k) {
      sum += tensor.values[i * size + k] * tensor.values[i * size + k];
    }
    largest = std::max(largest, std::sqrt(sum));
  }
  return largest;
}

/// Evaluates the simplified model on every sample.
auto measure(const OperatorTable& table, const ImportOptions& options, Analysis& analysis)
    -> Status {
  size_t n_samples = 0;
  for (const GraphInput& input : analysis.inputs) {
    const auto given = options.samples.find(input.name);
    if (given == options.samples.end()) {
      return options.samples.empty()
                 ? Status(std::monostate{})
                 : Error{fmt::format("samples of `{}` are missing", input.name)};
    }
    Result<size_t> n = count_samples(input, given->second);
    if (!n) {
      return n.error();
    }
    if (n_samples != 0 && *n != n_samples) {
      return Error{fmt::format("{} samples of `{}`, and {} of others", *n, input.name, n_samples)};
    }
    n_samples = *n;
  }
  Pass pass{table, analysis.known, {}, {}};
  for (size_t i = 0; i < n_samples; ++i) {
    pass.budget.n_elements = Budget().n_elements;
    for (const GraphInput& input : analysis.inputs) {
      pass.values[input.name] = sample_at(input, options.samples.at(input.name), i);
      widen(analysis.ranges[input.name], pass.values[input.name], i == 0);
      double& norm = analysis.norms[input.name];
      norm = std::max(norm, largest_norm(pass.values[input.name]));
    }
    for (const Node& node : analysis.known.nodes) {
      Tensors results = evaluate_node(pass, *table.find(node).value(), node);
      if (!results) {
        return results.error();
      }
      for (size_t k = 0; k < results->size() && k < node.outputs.size(); ++k) {
        widen(analysis.ranges[node.outputs[k]], (*results)[k], i == 0);
        pass.values[node.outputs[k]] = std::move((*results)[k]);
      }
    }
  }
  return std::monostate{};
}

/// The outputs that are wanted, as tensors.
auto chosen_outputs(const Model& model, const ImportOptions& options)
    -> Result<std::vector<std::string>> {
  for (const std::string& output : options.outputs) {
    if (std::find(model.outputs.begin(), model.outputs.end(), output) == model.outputs.end()) {
      return Error{fmt::format("the model has no output `{}`; its outputs are `{}`", output,
                               fmt::join(model.outputs, "`, `"))};
    }
  }
  if (model.outputs.empty()) {
    return Error{"the model has no outputs"};
  }
  return options.outputs.empty() ? model.outputs : options.outputs;
}

/// Outputs that a Softmax makes become its operand.
void leave_softmax(const Known& known, std::vector<std::string>& outputs) {
  for (std::string& output : outputs) {
    for (const Node& node : known.nodes) {
      if (node.outputs[0] == output && (node.op == "Softmax" || node.op == "LogSoftmax")) {
        output = node.inputs[0];
        break;
      }
    }
  }
}

}  // namespace

auto shape_of_input(const GraphInput& input) -> Shape {
  Shape shape;
  for (const std::optional<int64_t>& extent : input.shape) {
    shape.push_back(extent.value_or(1));
  }
  return shape;
}

auto sized_inputs(const Model& model, int64_t batch) -> Result<std::vector<GraphInput>> {
  std::vector<GraphInput> inputs = model.inputs;
  for (GraphInput& input : inputs) {
    if (!input.has_shape) {
      return Error{fmt::format("input `{}` has no shape", input.name)};
    }
    for (size_t d = 0; d < input.shape.size(); ++d) {
      if (!input.shape[d] && d > 0) {
        return Error{
            fmt::format("dimension {} of input `{}` is open; only the first one, the batch, "
                        "may be: export the model with its size",
                        d, input.name)};
      }
      input.shape[d] = input.shape[d].value_or(batch);
    }
    if (Result<int64_t> count = element_count(shape_of_input(input)); !count) {
      return Error{fmt::format("input `{}`: {}", input.name, count.error().message)};
    }
  }
  if (inputs.empty()) {
    return Error{"the model has no inputs"};
  }
  return inputs;
}

auto analyse(const Model& model, const ImportOptions& options) -> Result<Analysis> {
  Result<std::vector<GraphInput>> inputs = sized_inputs(model, options.batch);
  if (!inputs) {
    return inputs.error();
  }
  Result<std::vector<std::string>> outputs = chosen_outputs(model, options);
  if (!outputs) {
    return outputs.error();
  }
  Analysis analysis;
  analysis.inputs = std::move(*inputs);
  Known& known = analysis.known;
  known.opset = model.opset;
  known.constants = model.initialisers;
  known.outputs.insert(outputs->begin(), outputs->end());
  for (const auto& [name, tensor] : model.initialisers) {
    known.shapes[name] = tensor.shape;
  }
  for (const std::string& output : *outputs) {
    ++known.n_uses[output];
  }
  for (const Node& node : model.nodes) {
    for (const std::string& input : node.inputs) {
      ++known.n_uses[input];
    }
  }
  const OperatorTable table;
  Pass pass{table, known, {}, {}};
  for (const GraphInput& input : analysis.inputs) {
    const auto given = options.samples.find(input.name);
    const bool fits = given != options.samples.end() && count_samples(input, given->second);
    pass.values[input.name] =
        fits ? sample_at(input, given->second, 0) : zeros(shape_of_input(input)).value();
    known.shapes[input.name] = shape_of_input(input);
  }
  for (const Node& node : model.nodes) {
    if (Status done = process(pass, node, 0); !done) {
      return done.error();
    }
  }
  for (const std::string& output : *outputs) {
    analysis.outputs.push_back(known.resolved(output));
    if (tensor_at(pass, analysis.outputs.back()) == nullptr) {
      return Error{fmt::format("nothing computes the output `{}`", output)};
    }
  }
  if (options.leaves_last_softmax) {
    leave_softmax(known, analysis.outputs);
  }
  drop_unneeded(known, analysis.outputs);
  pass.values.clear();
  if (Status measured = measure(table, options, analysis); !measured) {
    return measured.error();
  }
  return analysis;
}

}  // namespace tacet::importer
