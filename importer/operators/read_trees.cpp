#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/operators/trees.h"

namespace tacet::importer {

namespace {

/// A node as the model has it. Branches lead to `left` where the feature is at most the threshold.
struct SparseNode {
  int64_t feature = 0;
  double threshold = 0;
  int64_t left = 0;
  int64_t right = 0;
  bool is_leaf = false;
  std::vector<std::pair<size_t, double>> weights;
};

struct SparseTree {
  int64_t root = 0;
  std::map<int64_t, SparseNode> nodes;
};

constexpr size_t kDeepest = 12;
constexpr size_t kMostNodes = size_t{1} << 17;

/// Numbers have 18 bits behind the point, so `x < t` is `x <= t` for a `t` that is a unit lower.
auto threshold_at_most(double threshold, bool is_strict) -> double {
  constexpr double kUnits = 1 << 18;
  const double units = threshold * kUnits;
  return (is_strict ? std::ceil(units) - 1 : std::floor(units)) / kUnits;
}

/// Branches by other comparisons are those by `<=`, with children exchanged.
auto set_branch(SparseNode& branch, std::string_view mode, double threshold) -> bool {
  if (mode == "LEAF") {
    branch.is_leaf = true;
    return true;
  }
  const bool is_strict = mode == "BRANCH_LT" || mode == "BRANCH_GTE";
  branch.threshold = threshold_at_most(threshold, is_strict);
  if (mode == "BRANCH_GT" || mode == "BRANCH_GTE") {
    std::swap(branch.left, branch.right);
    return true;
  }
  return mode == "BRANCH_LEQ" || mode == "BRANCH_LT";
}

auto read_branches(const Node& node) -> Result<std::map<int64_t, SparseTree>> {
  const std::vector<int64_t> trees = integers_of(node, "nodes_treeids", {});
  const std::vector<int64_t> ids = integers_of(node, "nodes_nodeids", {});
  const std::vector<int64_t> features = integers_of(node, "nodes_featureids", {});
  const std::vector<int64_t> lefts = integers_of(node, "nodes_truenodeids", {});
  const std::vector<int64_t> rights = integers_of(node, "nodes_falsenodeids", {});
  const std::vector<double> values = numbers_of(node, "nodes_values");
  const Attribute* modes = find_attribute(node, "nodes_modes");
  const size_t n = ids.size();
  if (n == 0 || modes == nullptr || trees.size() != n || features.size() != n ||
      lefts.size() != n || rights.size() != n || values.size() != n || modes->texts.size() != n) {
    return error_at(node, "its lists of nodes have different lengths");
  }
  std::map<int64_t, SparseTree> result;
  for (size_t i = 0; i < n; ++i) {
    SparseTree& tree = result[trees[i]];
    if (tree.nodes.empty()) {
      tree.root = ids[i];
    }
    SparseNode& branch = tree.nodes[ids[i]];
    branch.feature = features[i];
    branch.left = lefts[i];
    branch.right = rights[i];
    if (!set_branch(branch, modes->texts[i], values[i])) {
      return error_at(node, fmt::format("branches by `{}` are not supported, only by `BRANCH_LEQ` "
                                        "and other orders",
                                        modes->texts[i]));
    }
    if (!branch.is_leaf && (!std::isfinite(branch.threshold) || branch.feature < 0)) {
      return error_at(node, "a branch has no threshold or feature");
    }
  }
  return result;
}

auto add_weights(const Node& node, size_t n_targets, std::map<int64_t, SparseTree>& trees)
    -> Status {
  const bool is_classifier = node.op == "TreeEnsembleClassifier";
  const std::string prefix = is_classifier ? "class_" : "target_";
  const std::vector<int64_t> tree_ids = integers_of(node, prefix + "treeids", {});
  const std::vector<int64_t> node_ids = integers_of(node, prefix + "nodeids", {});
  const std::vector<int64_t> targets = integers_of(node, prefix + "ids", {});
  const std::vector<double> weights = numbers_of(node, prefix + "weights");
  if (node_ids.size() != tree_ids.size() || targets.size() != tree_ids.size() ||
      weights.size() != tree_ids.size()) {
    return error_at(node, "its lists of leaves have different lengths");
  }
  for (size_t i = 0; i < tree_ids.size(); ++i) {
    const auto tree = trees.find(tree_ids[i]);
    const auto target = n_targets == 1 ? size_t{0} : static_cast<size_t>(targets[i]);
    if (tree == trees.end() || !tree->second.nodes.contains(node_ids[i]) || target >= n_targets) {
      return error_at(node, "a leaf's weight names what is not there");
    }
    tree->second.nodes[node_ids[i]].weights.emplace_back(target, weights[i]);
  }
  return std::monostate{};
}

/// The depth of a subtree; more than the deepest for one with a cycle or a child that is missing.
auto depth_of(const SparseTree& tree, int64_t id, size_t above) -> size_t {
  const auto found = tree.nodes.find(id);
  if (found == tree.nodes.end() || above > kDeepest) {
    return kDeepest + 1;
  }
  const SparseNode& node = found->second;
  return node.is_leaf ? above
                      : std::max(depth_of(tree, node.left, above + 1),
                                 depth_of(tree, node.right, above + 1));
}

/// Fills the complete tree below place `at`; a leaf further up is repeated below both children.
void fill(const SparseTree& tree, int64_t id, size_t at, CompleteTree& complete) {
  const SparseNode& node = tree.nodes.at(id);
  const size_t n_inner = complete.features.size();
  if (at >= n_inner) {
    for (const auto& [target, weight] : node.weights) {
      complete.leaves[at - n_inner][target] += weight;
    }
    return;
  }
  if (!node.is_leaf) {
    complete.features[at] = node.feature;
    complete.thresholds[at] = node.threshold;
  }
  fill(tree, node.is_leaf ? id : node.left, 2 * at + 1, complete);
  fill(tree, node.is_leaf ? id : node.right, 2 * at + 2, complete);
}

}  // namespace

auto read_ensemble(const Node& node, size_t n_targets) -> Result<Ensemble> {
  if (n_targets == 0 || n_targets > kMostNodes) {
    return error_at(node, "it has no targets or too many");
  }
  Result<std::map<int64_t, SparseTree>> trees = read_branches(node);
  if (!trees) {
    return trees.error();
  }
  if (Status added = add_weights(node, n_targets, *trees); !added) {
    return added.error();
  }
  Ensemble ensemble;
  ensemble.n_targets = n_targets;
  for (const auto& [id, tree] : *trees) {
    ensemble.depth = std::max(ensemble.depth, depth_of(tree, tree.root, 0));
  }
  const size_t n_leaves = size_t{1} << std::min(ensemble.depth, kDeepest);
  if (ensemble.depth > kDeepest || trees->size() > kMostNodes / n_leaves / n_targets) {
    return error_at(node, fmt::format("trees may be {} levels deep, and all of them have {} leaves "
                                      "if each is filled up to the deepest one; train with a lower "
                                      "`max_depth`",
                                      kDeepest, kMostNodes));
  }
  for (const auto& [id, tree] : *trees) {
    CompleteTree complete;
    complete.features.assign(n_leaves - 1, 0);
    complete.thresholds.assign(n_leaves - 1, 0);
    complete.leaves.assign(n_leaves, std::vector<double>(n_targets, 0));
    fill(tree, tree.root, 0, complete);
    for (const int64_t feature : complete.features) {
      ensemble.n_features = std::max(ensemble.n_features, feature + 1);
    }
    ensemble.trees.push_back(std::move(complete));
  }
  return ensemble;
}

}  // namespace tacet::importer
