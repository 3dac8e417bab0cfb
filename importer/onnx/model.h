#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "importer/tensor.h"

/// A model as its file has it.
namespace tacet::importer {

/// A named constant of a node. Which member has its value is a matter of the operator.
struct Attribute {
  std::string name;
  double number = 0;
  int64_t integer = 0;
  std::string text;
  std::optional<Tensor> tensor;
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
};

struct Node {
  std::string name;
  std::string op;
  std::string domain;               ///< empty is ONNX itself
  std::vector<std::string> inputs;  ///< an empty name is one that is left out
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  bool has_subgraph = false;
  std::string source;  ///< of nodes that the importer makes: the model's nodes, for comments
};

struct GraphInput {
  std::string name;
  std::vector<std::optional<int64_t>> shape;  ///< nothing: a size that the model leaves open
  bool has_shape = false;
};

/// Nodes are in the order in which they are computed.
struct Model {
  std::string producer;
  int64_t opset = 0;
  std::vector<Node> nodes;
  std::map<std::string, Tensor> initialisers;
  std::vector<GraphInput> inputs;  ///< those that are not initialisers
  std::vector<std::string> outputs;
};

auto find_attribute(const Node& node, std::string_view name) -> const Attribute*;
auto integer_of(const Node& node, std::string_view name, int64_t otherwise) -> int64_t;
auto number_of(const Node& node, std::string_view name, double otherwise) -> double;
auto text_of(const Node& node, std::string_view name, std::string otherwise) -> std::string;
auto integers_of(const Node& node, std::string_view name, std::vector<int64_t> otherwise)
    -> std::vector<int64_t>;
auto numbers_of(const Node& node, std::string_view name) -> std::vector<double>;

/// `node `fc1` (Gemm)`, for messages.
auto description(const Node& node) -> std::string;

/// An error about a node.
auto error_at(const Node& node, std::string_view message) -> Error;

}  // namespace tacet::importer
