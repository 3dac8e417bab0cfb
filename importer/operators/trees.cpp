// Ensembles of decision trees. Which features are compared is part of the program; thresholds and
// leaves are numbers of the server.

#include "importer/operators/trees.h"

#include <fmt/format.h>

#include "importer/lowering.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

/// The ensemble of an own node, whose attributes are those of the model's.
auto ensemble_of(const Node& node, const Shape& x) -> Result<Ensemble> {
  Node original = node;
  original.op = text_of(node, "tacet_op", "");
  Result<Ensemble> ensemble =
      read_ensemble(original, static_cast<size_t>(integer_of(node, "tacet_targets", 1)));
  if (!ensemble) {
    return ensemble.error();
  }
  if (x.size() != 2 || x[1] < ensemble->n_features) {
    return error_at(original, fmt::format("features of shape {}, where the trees compare {}",
                                          shape_text(x), ensemble->n_features));
  }
  return ensemble;
}

void add_scores(const CompleteTree& tree, const double* x, double* scores) {
  size_t at = 0;
  while (at < tree.features.size()) {
    const bool is_left = x[tree.features[at]] <= tree.thresholds[at];
    at = 2 * at + (is_left ? 1 : 2);
  }
  const std::vector<double>& leaf = tree.leaves[at - tree.features.size()];
  for (size_t k = 0; k < leaf.size(); ++k) {
    scores[k] += leaf[k];
  }
}

auto evaluate_trees(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  Result<Ensemble> ensemble = ensemble_of(call.node, x.shape);
  if (!ensemble) {
    return ensemble.error();
  }
  const auto k = static_cast<int64_t>(ensemble->n_targets);
  Result<Tensor> result = zeros({x.shape[0], k});
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    for (const CompleteTree& tree : ensemble->trees) {
      add_scores(tree, x.values.data() + row * x.shape[1], result->values.data() + row * k);
    }
  }
  return std::vector{std::move(*result)};
}

/// `[[x[3], x[0], x[1]], …]`: what each inner node of each tree compares.
auto compared_features(const Ensemble& ensemble, const Stored& x, const Counters& row)
    -> std::string {
  std::string text;
  for (const CompleteTree& tree : ensemble.trees) {
    std::string features;
    for (const int64_t feature : tree.features) {
      Counters at = row;
      at[1] = {{std::to_string(feature), x.shape()[1]}};
      features += (features.empty() ? "" : ", ") + element(x, at);
    }
    text += fmt::format("{}[{}]", text.empty() ? "" : ", ", features);
  }
  return fmt::format("[{}]", text);
}

/// Thresholds `[trees, nodes]` and leaves `[trees, leaves, targets]`, as parameters.
struct TreeWeights {
  Stored thresholds;
  Stored leaves;
};

auto tree_weights(Lowering& lowering, const Node& node, const Ensemble& ensemble) -> TreeWeights {
  const auto n_trees = static_cast<int64_t>(ensemble.trees.size());
  const auto n_leaves = int64_t{1} << ensemble.depth;
  const auto n_targets = static_cast<int64_t>(ensemble.n_targets);
  Tensor thresholds{{n_trees, n_leaves - 1}, Elements::Real, {}};
  Tensor leaves{{n_trees, n_leaves, n_targets}, Elements::Real, {}};
  for (const CompleteTree& tree : ensemble.trees) {
    thresholds.values.insert(thresholds.values.end(), tree.thresholds.begin(),
                             tree.thresholds.end());
    for (const std::vector<double>& leaf : tree.leaves) {
      leaves.values.insert(leaves.values.end(), leaf.begin(), leaf.end());
    }
  }
  const std::string base = node.name.empty() ? "trees" : node.name;
  return {weights_of(lowering, base + "_thresholds", thresholds, {{n_trees}, {n_leaves - 1}}),
          weights_of(lowering, base + "_leaves", leaves, {{n_trees}, {n_leaves}, {n_targets}})};
}

/// From the leaves to the roots, a level each: of two children the one that the comparison chooses.
auto lower_levels(Lowering& lowering, const Ensemble& ensemble, const Stored& left,
                  const std::string& leaves, const Counters& batch) -> Stored {
  const auto n_trees = static_cast<int64_t>(ensemble.trees.size());
  const auto n_targets = static_cast<int64_t>(ensemble.n_targets);
  std::string below = leaves;
  Stored level;
  for (size_t depth = ensemble.depth; depth-- > 0;) {
    const int64_t n = int64_t{1} << depth;
    lowering.n_counters = batch[0].size();
    const Counters own = counters_for(lowering, {{n_trees}, {n}, {n_targets}});
    const std::string& t = own[0][0].name;
    const std::string& j = own[1][0].name;
    const std::string& k = own[2][0].name;
    const std::string of_row = batch[0].empty() ? "" : fmt::format("[{}]", batch[0][0].name);
    const std::string from = depth + 1 == ensemble.depth ? below : below + of_row;
    const std::string at = n == 1 ? j : fmt::format("{} + {}", j, n - 1);
    const std::string text = fmt::format(
        "{0}[{1}][2 * {2}][{3}] if {4}{5}[{1}][{6}] else "
        "{0}[{1}][2 * {2} + 1][{3}]",
        from, t, j, k, left.name, of_row, at);
    level = define_value(lowering, fmt::format("level_{}", depth),
                         {batch[0], own[0], own[1], own[2]}, text, Elements::Real);
    below = level.name;
  }
  return level;
}

auto lower_trees(Lowering& lowering, const Node& node) -> Status {
  const Stored x = with_whole_dims(lowering, stored_of(lowering, node.inputs[0]), {true, true});
  Result<Ensemble> ensemble = ensemble_of(node, x.shape());
  if (!ensemble) {
    return ensemble.error();
  }
  const TreeWeights weights = tree_weights(lowering, node, *ensemble);
  const auto n_trees = static_cast<int64_t>(ensemble->trees.size());
  const int64_t n_inner = (int64_t{1} << ensemble->depth) - 1;
  Counters row = counters_for(lowering, {parts_of(x)[0], {}});
  const std::string of_row = row[0].empty() ? "" : fmt::format("[{}]", row[0][0].name);
  const Stored compared =
      define_value(lowering, "compared", row, compared_features(*ensemble, x, row), Elements::Real);
  row = counters_for(lowering, {parts_of(x)[0], {}});
  const Counters own = counters_for(lowering, {{n_trees}, {n_inner}});
  const std::string at = fmt::format("[{}][{}]", own[0][0].name, own[1][0].name);
  const Stored left = define_value(
      lowering, "is_left", {row[0], own[0], own[1]},
      fmt::format("{}{}{} <= {}{}", compared.name, of_row, at, weights.thresholds.name, at),
      Elements::Boolean);
  lowering.statements[lowering.statements.size() - 2].comment =
      fmt::format("{} trees of depth {}", n_trees, ensemble->depth);
  const Stored roots = lower_levels(lowering, *ensemble, left, weights.leaves.name, {row[0]});
  const auto n_targets = static_cast<int64_t>(ensemble->n_targets);
  row = counters_for(lowering, {parts_of(x)[0]});
  const Counters target = counters_for(
      lowering, {n_targets == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{n_targets}});
  const Counter tree = counter(lowering, n_trees);
  const std::string sum = reduced("sum", {tree},
                                  fmt::format("{}{}[{}][0][{}]", roots.name, of_row, tree.name,
                                              target[0].empty() ? "0" : target[0][0].name));
  define(lowering, node, {row[0], target[0]}, sum, Elements::Real);
  return std::monostate{};
}

auto evaluate_labels(const Call& call) -> Tensors {
  const std::vector<int64_t> labels = integers_of(call.node, "labels", {});
  Tensor result = call.input(0);
  for (double& value : result.values) {
    value = static_cast<double>(labels[static_cast<size_t>(as_integer(value))]);
  }
  return std::vector{std::move(result)};
}

/// The label that has a number from 0 on.
auto lower_labels(Lowering& lowering, const Node& node) -> Status {
  const std::vector<int64_t> labels = integers_of(node, "labels", {});
  Tensor list{{static_cast<int64_t>(labels.size())}, Elements::Integer, {}};
  list.values.assign(labels.begin(), labels.end());
  const Stored x = stored_of(lowering, node.inputs[0]);
  const Stored known = weights_of(lowering, "labels", list, {{list.shape[0]}});
  const Counters counters = counters_for(lowering, parts_of(x));
  const Counter label = counter(lowering, list.shape[0]);
  const std::string term = fmt::format("{}[{}] if {} == {} else 0", known.name, label.name,
                                       element(x, counters), label.name);
  define(lowering, node, counters, reduced("sum", {label}, term), Elements::Integer);
  return std::monostate{};
}

}  // namespace

auto tree_operators() -> std::vector<Operator> {
  return {
      {kOwnDomain, "Trees", 1, evaluate_trees, lower_trees},
      {kOwnDomain, "Labels", 1, evaluate_labels, lower_labels},
  };
}

auto classical_operators() -> std::vector<Operator> {
  // Always rewritten before they are evaluated.
  return {
      {kClassicalDomain, "TreeEnsembleClassifier", 1, nullptr, nullptr},
      {kClassicalDomain, "TreeEnsembleRegressor", 1, nullptr, nullptr},
      {kClassicalDomain, "LinearClassifier", 1, nullptr, nullptr},
      {kClassicalDomain, "LinearRegressor", 1, nullptr, nullptr},
      {kClassicalDomain, "Scaler", 1, nullptr, nullptr},
  };
}

}  // namespace tacet::importer
