#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "importer/onnx/model.h"

namespace tacet::importer {

/// What is known of the tensors in front of a node.
struct Known {
  int64_t opset;
  std::map<std::string, Tensor> constants;
  std::map<std::string, Shape> shapes;
  std::map<std::string, std::string> aliases;  ///< of tensors that are another one
  std::map<std::string, size_t> n_uses;        ///< by nodes of the model, and as outputs
  std::vector<Node> nodes;                     ///< so far
  std::set<std::string> outputs;

  /// The tensor that a name stands for.
  [[nodiscard]] auto resolved(const std::string& tensor) const -> std::string;
};

/// Replaces a node by simpler ones: `Gemm` by products and sums, normalisation of batches by a
/// factor and a summand, or by other weights of the layer before it, classifiers by scores and
/// labels. Nothing if the node stays. What it makes of the layer before it, it changes in `known`.
auto rewrite(const Node& node, Known& known) -> Result<std::optional<std::vector<Node>>>;

/// The same for operators of `ai.onnx.ml`.
auto rewrite_classical(const Node& node, Known& known) -> Result<std::optional<std::vector<Node>>>;

/// A node that computes `output`.
auto make_node(const Node& from, std::string_view op, std::vector<std::string> inputs,
               std::string output) -> Node;

/// Adds a constant under a name that no other tensor has.
auto add_constant(Known& known, const std::string& wish, Tensor tensor) -> std::string;

auto integer_attribute(std::string name, int64_t value) -> Attribute;

}  // namespace tacet::importer
