#include "importer/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/names.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

auto Known::resolved(const std::string& tensor) const -> std::string {
  const auto found = aliases.find(tensor);
  return found == aliases.end() ? tensor : found->second;
}

auto make_node(const Node& from, std::string_view op, std::vector<std::string> inputs,
               std::string output) -> Node {
  Node node;
  node.name = from.name;
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = {std::move(output)};
  node.source = short_description(from);
  return node;
}

auto add_constant(Known& known, const std::string& wish, Tensor tensor) -> std::string {
  std::string name = wish;
  for (size_t i = 2; known.shapes.contains(name); ++i) {
    name = fmt::format("{}_{}", wish, i);
  }
  known.shapes[name] = tensor.shape;
  known.constants.emplace(name, std::move(tensor));
  return name;
}

auto integer_attribute(std::string name, int64_t value) -> Attribute {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.integer = value;
  return attribute;
}

namespace {

using Rewritten = Result<std::optional<std::vector<Node>>>;

auto constant_input(const Known& known, const Node& node, size_t i) -> const Tensor* {
  if (i >= node.inputs.size() || node.inputs[i].empty()) {
    return nullptr;
  }
  const auto found = known.constants.find(node.inputs[i]);
  return found == known.constants.end() ? nullptr : &found->second;
}

auto transposed(const Tensor& matrix, double factor) -> Tensor {
  const auto rows = static_cast<size_t>(matrix.shape[0]);
  const auto columns = static_cast<size_t>(matrix.shape[1]);
  Tensor result{{matrix.shape[1], matrix.shape[0]}, Elements::Real, {}};
  for (size_t j = 0; j < columns; ++j) {
    for (size_t i = 0; i < rows; ++i) {
      result.values.push_back(factor * matrix.values[i * columns + j]);
    }
  }
  return result;
}

/// A bias of a dense layer: `n` numbers, whatever shape broadcasts to that.
auto as_bias(const Tensor* given, int64_t n, double factor) -> std::optional<Tensor> {
  if (given == nullptr || given->values.empty()) {
    return std::nullopt;
  }
  for (size_t d = 0; d + 1 < given->shape.size(); ++d) {
    if (given->shape[d] != 1) {
      return std::nullopt;
    }
  }
  const size_t n_given = given->values.size();
  if (n_given != 1 && n_given != static_cast<size_t>(n)) {
    return std::nullopt;
  }
  Tensor bias{{n}, Elements::Real, {}};
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    bias.values.push_back(factor * given->values[n_given == 1 ? 0 : i]);
  }
  return bias;
}

auto make_dense(Known& known, const Node& node, const std::string& x, Tensor weights,
                std::optional<Tensor> bias, const std::string& output) -> Node {
  const bool names_bias = node.inputs.size() > 2;
  Node dense = make_node(node, "Dense", {x}, output);
  dense.domain = kOwnDomain;
  dense.inputs.push_back(add_constant(known, node.inputs[1] + "'", std::move(weights)));
  if (bias) {
    const std::string& wish = names_bias ? node.inputs[2] : node.inputs[1];
    dense.inputs.push_back(add_constant(known, wish + "'", std::move(*bias)));
  }
  return dense;
}

auto rewrite_gemm(const Node& node, Known& known) -> Rewritten {
  const double alpha = number_of(node, "alpha", 1);
  const double beta = number_of(node, "beta", 1);
  const bool transposes_a = integer_of(node, "transA", 0) != 0;
  const bool transposes_b = integer_of(node, "transB", 0) != 0;
  const bool has_sum = node.inputs.size() > 2 && !node.inputs[2].empty();
  const Tensor* b = constant_input(known, node, 1);
  const Tensor* c = constant_input(known, node, 2);
  std::vector<Node> nodes;
  std::string a = node.inputs[0];
  const std::string& output = node.outputs[0];
  if (transposes_a) {
    nodes.push_back(make_node(node, "Transpose", {a}, output + "_a"));
    a = nodes.back().outputs[0];
  }
  if (b != nullptr && b->shape.size() == 2) {
    Tensor weights = *b;
    for (double& value : weights.values) {
      value *= transposes_b ? alpha : 1;
    }
    if (!transposes_b) {
      weights = transposed(*b, alpha);
    }
    const int64_t n = weights.shape[0];
    std::optional<Tensor> bias = as_bias(c, n, beta);
    const bool sums_apart = has_sum && !bias;
    nodes.push_back(make_dense(known, node, a, std::move(weights), std::move(bias),
                               sums_apart ? output + "_product" : output));
    if (sums_apart) {
      if (beta != 1) {
        return error_at(node, "`beta` has to be 1 where `C` is not a constant row");
      }
      nodes.push_back(make_node(node, "Add", {nodes.back().outputs[0], node.inputs[2]}, output));
    }
    return std::optional(std::move(nodes));
  }
  if (alpha != 1 || beta != 1) {
    return error_at(node, "`alpha` and `beta` have to be 1 where `B` is not a constant");
  }
  std::string right = node.inputs[1];
  if (transposes_b) {
    nodes.push_back(make_node(node, "Transpose", {right}, output + "_b"));
    right = nodes.back().outputs[0];
  }
  nodes.push_back(make_node(node, "MatMul", {a, right}, has_sum ? output + "_product" : output));
  if (has_sum) {
    nodes.push_back(make_node(node, "Add", {nodes.back().outputs[0], node.inputs[2]}, output));
  }
  return std::optional(std::move(nodes));
}

/// A product with a constant matrix is a dense layer.
auto rewrite_matmul(const Node& node, Known& known) -> Rewritten {
  const Tensor* b = constant_input(known, node, 1);
  const auto a = known.shapes.find(node.inputs[0]);
  if (b == nullptr || b->shape.size() != 2 || a == known.shapes.end() || a->second.empty() ||
      constant_input(known, node, 0) != nullptr) {
    return std::optional<std::vector<Node>>();
  }
  return std::optional(std::vector{
      make_dense(known, node, node.inputs[0], transposed(*b, 1), std::nullopt, node.outputs[0])});
}

/// The node so far that computes a tensor which nothing else uses; null if there is none.
auto only_producer(Known& known, const std::string& tensor) -> Node* {
  if (known.n_uses[tensor] != 1 || known.outputs.contains(tensor)) {
    return nullptr;
  }
  for (size_t i = known.nodes.size(); i-- > 0;) {
    if (known.nodes[i].outputs[0] == tensor) {
      return &known.nodes[i];
    }
  }
  return nullptr;
}

/// A sum behind a product with a constant matrix is its bias.
auto rewrite_add(const Node& node, Known& known) -> Rewritten {
  for (const auto& [x, c] : {std::pair{0, 1}, std::pair{1, 0}}) {
    const Tensor* given = constant_input(known, node, static_cast<size_t>(c));
    Node* dense = only_producer(known, node.inputs[static_cast<size_t>(x)]);
    if (given == nullptr || dense == nullptr || dense->op != "Dense" || dense->inputs.size() != 2) {
      continue;
    }
    const Shape& shape = known.shapes.at(dense->outputs[0]);
    std::optional<Tensor> bias = as_bias(given, shape.back(), 1);
    if (!bias || given->shape.size() > shape.size()) {
      continue;
    }
    const std::string& name = node.inputs[static_cast<size_t>(c)];
    dense->inputs.push_back(given->shape.size() == 1 && given->values.size() == bias->values.size()
                                ? name
                                : add_constant(known, name + "'", std::move(*bias)));
    dense->source += ", " + short_description(node);
    known.aliases[node.outputs[0]] = dense->outputs[0];
    known.n_uses[dense->outputs[0]] = known.n_uses[node.outputs[0]];
    return std::optional(std::vector<Node>{});
  }
  return std::optional<std::vector<Node>>();
}

/// What normalising a batch with known means and variances does to each channel.
struct ChannelScales {
  std::vector<double> factors;
  std::vector<double> summands;
};

auto channel_scales(const Node& node, const Known& known) -> Result<ChannelScales> {
  std::vector<const Tensor*> given;
  for (size_t i = 1; i < 5; ++i) {
    given.push_back(constant_input(known, node, i));
    if (given.back() == nullptr || given.back()->values.size() != given[0]->values.size()) {
      return error_at(node, "its parameters have to be constants of one size");
    }
  }
  if (integer_of(node, "training_mode", 0) != 0) {
    return error_at(node, "the model is in training mode; export it for inference");
  }
  ChannelScales scales;
  const double epsilon = number_of(node, "epsilon", 1e-5);
  for (size_t i = 0; i < given[0]->values.size(); ++i) {
    const double factor = given[0]->values[i] / std::sqrt(given[3]->values[i] + epsilon);
    scales.factors.push_back(factor);
    scales.summands.push_back(given[1]->values[i] - given[2]->values[i] * factor);
  }
  return scales;
}

/// Puts the factors into the weights of the layer, and the summands into its bias.
void scale_layer(Known& known, Node& layer, const ChannelScales& scales) {
  Tensor weights = known.constants.at(layer.inputs[1]);
  const size_t n = scales.factors.size();
  const size_t size = weights.values.size() / n;
  for (size_t i = 0; i < weights.values.size(); ++i) {
    weights.values[i] *= scales.factors[i / size];
  }
  Tensor bias{{static_cast<int64_t>(n)}, Elements::Real, scales.summands};
  const bool has_bias = layer.inputs.size() > 2 && !layer.inputs[2].empty();
  for (size_t i = 0; has_bias && i < n; ++i) {
    bias.values[i] += scales.factors[i] * known.constants.at(layer.inputs[2]).values[i];
  }
  layer.inputs.resize(3);
  layer.inputs[2] = add_constant(
      known, has_bias ? layer.inputs[2] + "'" : layer.inputs[1] + "_bias", std::move(bias));
  layer.inputs[1] = add_constant(known, layer.inputs[1] + "'", std::move(weights));
}

auto rewrite_batch_normalisation(const Node& node, Known& known) -> Rewritten {
  Result<ChannelScales> scales = channel_scales(node, known);
  if (!scales) {
    return scales.error();
  }
  const Shape& shape = known.shapes.at(node.inputs[0]);
  const auto n = static_cast<int64_t>(scales->factors.size());
  if (shape.size() < 2 || shape[1] != n) {
    return error_at(
        node, fmt::format("{} channels, where the tensor has the shape {}", n, shape_text(shape)));
  }
  Node* layer = only_producer(known, node.inputs[0]);
  const bool is_layer = layer != nullptr &&
                        (layer->op == "Conv" || (layer->op == "Dense" && shape.size() == 2)) &&
                        known.constants.contains(layer->inputs[1]) &&
                        (layer->inputs.size() < 3 || layer->inputs[2].empty() ||
                         known.constants.contains(layer->inputs[2]));
  if (is_layer) {
    scale_layer(known, *layer, *scales);
    layer->source = short_description(*layer) + ", " + short_description(node);
    known.aliases[node.outputs[0]] = layer->outputs[0];
    known.n_uses[layer->outputs[0]] = known.n_uses[node.outputs[0]];
    return std::optional(std::vector<Node>{});
  }
  Shape of_channels(shape.size() - 1, 1);
  of_channels[0] = n;
  const std::string factors =
      add_constant(known, node.inputs[1] + "'", {of_channels, Elements::Real, scales->factors});
  const std::string summands =
      add_constant(known, node.inputs[2] + "'", {of_channels, Elements::Real, scales->summands});
  const std::string scaled = node.outputs[0] + "_scaled";
  return std::optional(std::vector{make_node(node, "Mul", {node.inputs[0], factors}, scaled),
                                   make_node(node, "Add", {scaled, summands}, node.outputs[0])});
}

}  // namespace

auto rewrite(const Node& node, Known& known) -> Result<std::optional<std::vector<Node>>> {
  if (node.op == "Identity" || node.op == "Dropout" || node.op == "ZipMap") {
    known.aliases[node.outputs[0]] = node.inputs[0];
    known.n_uses[node.inputs[0]] += known.n_uses[node.outputs[0]] - 1;
    return std::optional(std::vector<Node>{});
  }
  if (node.op == "Gemm") {
    return rewrite_gemm(node, known);
  }
  if (node.op == "MatMul") {
    return rewrite_matmul(node, known);
  }
  if (node.op == "Add" && node.inputs.size() == 2) {
    return rewrite_add(node, known);
  }
  if (node.op == "BatchNormalization") {
    return rewrite_batch_normalisation(node, known);
  }
  if (node.domain == kClassicalDomain) {
    return rewrite_classical(node, known);
  }
  return std::optional<std::vector<Node>>();
}

}  // namespace tacet::importer
