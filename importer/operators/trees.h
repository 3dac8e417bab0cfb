#pragma once

#include <map>
#include <utility>
#include <vector>

#include "importer/onnx/model.h"

namespace tacet::importer {

/// A decision tree in which every leaf is at the same depth. The children of inner node `i` are
/// `2 * i + 1`, where the feature is at most the threshold, and `2 * i + 2`; leaves follow, each
/// with a number for each target.
struct CompleteTree {
  std::vector<int64_t> features;
  std::vector<double> thresholds;
  std::vector<std::vector<double>> leaves;
};

/// Trees of the same depth, whose leaves are added up.
struct Ensemble {
  size_t depth = 1;
  size_t n_targets = 1;
  int64_t n_features = 0;  ///< at least
  std::vector<CompleteTree> trees;
};

/// The trees of `TreeEnsembleClassifier` or `TreeEnsembleRegressor`. Targets are `n_targets`
/// classes, or the only one, whatever its number, if there is one.
auto read_ensemble(const Node& node, size_t n_targets) -> Result<Ensemble>;

}  // namespace tacet::importer
