#include <fmt/format.h>

#include <set>

#include "importer/operators/operator.h"
#include "importer/rewrite.h"

namespace tacet::importer {

namespace {

using ClassicalNodes = Result<std::optional<std::vector<Node>>>;

auto scalar(Known& known, double value) -> std::string {
  return add_constant(known, "number", {{}, Elements::Real, {value}});
}

/// What a classifier's scores become.
auto transformed_scores(const Node& node, const std::string& scores, const std::string& output,
                        std::vector<Node>& nodes) -> Status {
  const std::string kind = text_of(node, "post_transform", "NONE");
  if (kind != "NONE" && kind != "LOGISTIC" && kind != "SOFTMAX") {
    return error_at(node, fmt::format("`post_transform` is `{}`; supported are `NONE`, `LOGISTIC` "
                                      "and `SOFTMAX`",
                                      kind));
  }
  const std::string_view op = kind == "NONE"       ? "Identity"
                              : kind == "LOGISTIC" ? "Sigmoid"
                                                   : "Softmax";
  nodes.push_back(make_node(node, op, {scores}, output));
  if (op == "Softmax") {
    nodes.back().attributes.push_back(integer_attribute("axis", 1));
  }
  return std::monostate{};
}

/// The labels of the classes; positions, if they are texts.
auto labels_of(const Node& node, size_t& n_classes) -> std::vector<int64_t> {
  std::vector<int64_t> labels = integers_of(node, "classlabels_int64s", {});
  if (labels.empty()) {
    labels = integers_of(node, "classlabels_ints", {});
  }
  if (labels.empty()) {
    for (const std::string_view name : {"classlabels_strings"}) {
      const Attribute* texts = find_attribute(node, name);
      const size_t n = texts != nullptr ? texts->texts.size() : 0;
      for (size_t i = 0; i < n; ++i) {
        labels.push_back(static_cast<int64_t>(i));
      }
    }
  }
  n_classes = labels.size();
  return labels;
}

auto counts_from_0(const std::vector<int64_t>& labels) -> bool {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return true;
}

/// Appends what turns positions of classes into labels.
void add_labels(const Node& node, const std::vector<int64_t>& labels, const std::string& positions,
                std::vector<Node>& nodes) {
  if (counts_from_0(labels)) {
    nodes.push_back(make_node(node, "Identity", {positions}, node.outputs[0]));
    return;
  }
  Node lookup = make_node(node, "Labels", {positions}, node.outputs[0]);
  lookup.domain = kOwnDomain;
  Attribute list;
  list.name = "labels";
  list.integers = labels;
  lookup.attributes.push_back(std::move(list));
  nodes.push_back(std::move(lookup));
}

auto is_used(Known& known, const Node& node, size_t output) -> bool {
  return output < node.outputs.size() && !node.outputs[output].empty() &&
         known.n_uses[node.outputs[output]] > 0;
}

/// Labels by the greatest score.
void add_greatest(Known& known, const Node& node, const std::vector<int64_t>& labels,
                  const std::string& scores, std::vector<Node>& nodes) {
  if (!is_used(known, node, 0)) {
    return;
  }
  const std::string position = node.outputs[0] + "_position";
  Node greatest = make_node(node, "ArgMax", {scores}, position);
  greatest.attributes = {integer_attribute("axis", 1), integer_attribute("keepdims", 0)};
  nodes.push_back(std::move(greatest));
  add_labels(node, labels, position, nodes);
}

auto rewrite_linear(const Node& node, Known& known) -> ClassicalNodes {
  const bool is_classifier = node.op == "LinearClassifier";
  const std::vector<double> coefficients = numbers_of(node, "coefficients");
  const std::vector<double> intercepts = numbers_of(node, "intercepts");
  const Shape& x = known.shapes.at(node.inputs[0]);
  size_t n_classes = 0;
  const std::vector<int64_t> labels =
      is_classifier ? labels_of(node, n_classes) : std::vector<int64_t>{};
  const auto n = is_classifier ? static_cast<int64_t>(n_classes) : integer_of(node, "targets", 1);
  if (x.size() != 2 || n < 1 || static_cast<int64_t>(coefficients.size()) != n * x[1]) {
    return error_at(node, fmt::format("{} coefficients for {} results of features of shape {}",
                                      coefficients.size(), n, shape_text(x)));
  }
  if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != n) {
    return error_at(node, "its intercepts have another number");
  }
  const std::string base = node.name.empty() ? "linear" : node.name;
  std::vector<Node> nodes;
  const std::string& output = is_classifier ? node.outputs[1] : node.outputs[0];
  const std::string scores = output + "_scores";
  Node dense = make_node(node, "Dense", {node.inputs[0]}, scores);
  dense.domain = kOwnDomain;
  dense.inputs.push_back(
      add_constant(known, base + "_coefficients", {{n, x[1]}, Elements::Real, coefficients}));
  if (!intercepts.empty()) {
    dense.inputs.push_back(
        add_constant(known, base + "_intercepts", {{n}, Elements::Real, intercepts}));
  }
  nodes.push_back(std::move(dense));
  if (is_classifier) {
    add_greatest(known, node, labels, scores, nodes);
  }
  if (!is_classifier || is_used(known, node, 1)) {
    if (Status done = transformed_scores(node, scores, output, nodes); !done) {
      return done.error();
    }
  }
  return std::optional(std::move(nodes));
}

/// Features, shifted and scaled.
auto rewrite_scaler(const Node& node, Known& known) -> ClassicalNodes {
  std::vector<Node> nodes;
  std::string x = node.inputs[0];
  const auto listed = [&](std::string_view attribute, double otherwise) {
    std::vector<double> numbers = numbers_of(node, attribute);
    if (numbers.empty()) {
      numbers.push_back(otherwise);
    }
    const auto n = static_cast<int64_t>(numbers.size());
    return add_constant(known, fmt::format("{}_{}", node.outputs[0], attribute),
                        {{n}, Elements::Real, std::move(numbers)});
  };
  nodes.push_back(make_node(node, "Sub", {x, listed("offset", 0)}, node.outputs[0] + "_shifted"));
  nodes.push_back(
      make_node(node, "Mul", {nodes[0].outputs[0], listed("scale", 1)}, node.outputs[0]));
  return std::optional(std::move(nodes));
}

/// The sum of the trees' leaves, and what is added to it.
auto add_tree_scores(const Node& node, Known& known, int64_t n_targets, const std::string& output,
                     std::vector<Node>& nodes) -> Status {
  const std::string aggregate = text_of(node, "aggregate_function", "SUM");
  if (aggregate != "SUM" && aggregate != "AVERAGE") {
    return error_at(node, fmt::format("`aggregate_function` is `{}`; supported are `SUM` and "
                                      "`AVERAGE`",
                                      aggregate));
  }
  if (find_attribute(node, "nodes_values_as_tensor") != nullptr) {
    return error_at(node, "trees of double precision are not supported; export single precision");
  }
  std::vector<double> base = numbers_of(node, "base_values");
  if (!base.empty() && static_cast<int64_t>(base.size()) != n_targets) {
    return error_at(node, "`base_values` has another number of values than scores");
  }
  std::string sum = output + "_sum";
  Node trees = make_node(node, "Trees", {node.inputs[0]}, sum);
  trees.domain = kOwnDomain;
  trees.attributes = node.attributes;
  Attribute op;
  op.name = "tacet_op";
  op.text = node.op;
  trees.attributes.push_back(std::move(op));
  trees.attributes.push_back(integer_attribute("tacet_targets", n_targets));
  nodes.push_back(std::move(trees));
  if (aggregate == "AVERAGE") {
    const std::vector<int64_t> ids = integers_of(node, "nodes_treeids", {});
    const std::set<int64_t> distinct(ids.begin(), ids.end());
    const std::string n = scalar(known, static_cast<double>(distinct.size()));
    nodes.push_back(make_node(node, "Div", {sum, n}, output + "_mean"));
    sum = output + "_mean";
  }
  if (base.empty()) {
    nodes.push_back(make_node(node, "Identity", {sum}, output));
    return std::monostate{};
  }
  const std::string summand =
      add_constant(known, output + "_base", {{n_targets}, Elements::Real, std::move(base)});
  nodes.push_back(make_node(node, "Add", {sum, summand}, output));
  return std::monostate{};
}

/// Of two classes of which the trees score one: the label is the second class if its score is
/// large.
auto add_binary(const Node& node, Known& known, const std::vector<int64_t>& labels,
                const std::string& score, std::vector<Node>& nodes) -> Status {
  bool is_positive = true;
  for (const double weight : numbers_of(node, "class_weights")) {
    is_positive = is_positive && weight >= 0;
  }
  const std::string kind = text_of(node, "post_transform", "NONE");
  if (kind != "NONE" && (kind != "LOGISTIC" || is_positive)) {
    return error_at(node, fmt::format("`post_transform` is `{}` for one score of two classes; "
                                      "supported are `NONE`, and `LOGISTIC` of scores with signs",
                                      kind));
  }
  const std::string& output = node.outputs[1];
  if (is_used(known, node, 0)) {
    const std::string is_large = output + "_is_large";
    const std::string position = output + "_position";
    nodes.push_back(
        make_node(node, "Greater", {score, scalar(known, is_positive ? 0.5 : 0)}, is_large));
    nodes.push_back(make_node(node, "Cast", {is_large}, position + "_column"));
    nodes.back().attributes.push_back(integer_attribute("to", 7));
    nodes.push_back(make_node(node, "Squeeze", {position + "_column"}, position));
    Attribute axes;
    axes.name = "axes";
    axes.integers = {1};
    nodes.back().attributes.push_back(std::move(axes));
    add_labels(node, labels, position, nodes);
  }
  if (!is_used(known, node, 1)) {
    return std::monostate{};
  }
  const std::string other = output + "_other";
  std::string first = score;
  nodes.push_back(is_positive ? make_node(node, "Sub", {scalar(known, 1), score}, other)
                              : make_node(node, "Neg", {score}, other));
  const std::string both = kind == "NONE" ? output : output + "_both";
  nodes.push_back(make_node(node, "Concat", {other, score}, both));
  nodes.back().attributes.push_back(integer_attribute("axis", 1));
  if (kind == "LOGISTIC") {
    nodes.push_back(make_node(node, "Sigmoid", {both}, output));
  }
  return std::monostate{};
}

auto rewrite_trees(const Node& node, Known& known) -> ClassicalNodes {
  std::vector<Node> nodes;
  if (node.op == "TreeEnsembleRegressor") {
    if (text_of(node, "post_transform", "NONE") != "NONE") {
      return error_at(node, "`post_transform` has to be `NONE`");
    }
    if (Status added =
            add_tree_scores(node, known, integer_of(node, "n_targets", 1), node.outputs[0], nodes);
        !added) {
      return added.error();
    }
    return std::optional(std::move(nodes));
  }
  size_t n_classes = 0;
  const std::vector<int64_t> labels = labels_of(node, n_classes);
  const std::vector<int64_t> ids = integers_of(node, "class_ids", {});
  const std::set<int64_t> scored(ids.begin(), ids.end());
  if (n_classes == 0 || node.outputs.size() < 2) {
    return error_at(node, "it has no classes or no scores");
  }
  const bool is_binary = n_classes == 2 && scored.size() == 1;
  const std::string scores = node.outputs[1] + "_scores";
  if (Status added = add_tree_scores(node, known, is_binary ? 1 : static_cast<int64_t>(n_classes),
                                     scores, nodes);
      !added) {
    return added.error();
  }
  if (is_binary) {
    Status added = add_binary(node, known, labels, scores, nodes);
    return added ? ClassicalNodes(std::optional(std::move(nodes))) : added.error();
  }
  add_greatest(known, node, labels, scores, nodes);
  if (is_used(known, node, 1)) {
    if (Status done = transformed_scores(node, scores, node.outputs[1], nodes); !done) {
      return done.error();
    }
  }
  return std::optional(std::move(nodes));
}

}  // namespace

auto rewrite_classical(const Node& node, Known& known) -> Result<std::optional<std::vector<Node>>> {
  if (known.constants.contains(node.inputs[0])) {
    return error_at(node, "its features are constants");
  }
  if (node.op == "Scaler") {
    return rewrite_scaler(node, known);
  }
  if (node.op == "LinearClassifier" || node.op == "LinearRegressor") {
    if (node.op == "LinearClassifier" && node.outputs.size() < 2) {
      return error_at(node, "it has no scores");
    }
    return rewrite_linear(node, known);
  }
  return rewrite_trees(node, known);
}

}  // namespace tacet::importer
