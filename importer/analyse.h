#pragma once

#include <map>
#include <string>
#include <vector>

#include "importer/import.h"
#include "importer/onnx/model.h"
#include "importer/rewrite.h"

namespace tacet::importer {

/// A model whose constants are folded and whose nodes are simplified.
struct Analysis {
  Known known;                             ///< its nodes are those that outputs need
  std::vector<GraphInput> inputs;          ///< with all sizes
  std::vector<std::string> outputs;        ///< tensors, in order
  std::map<std::string, Interval> ranges;  ///< of tensors, by the samples
  std::map<std::string, double> norms;     ///< of inputs, by the samples
};

/// Evaluates the model once, which gives all shapes, and once for each sample. Zeros, if there are
/// none.
auto analyse(const Model& model, const ImportOptions& options) -> Result<Analysis>;

/// The inputs with a batch in place of sizes that are left open.
auto sized_inputs(const Model& model, int64_t batch) -> Result<std::vector<GraphInput>>;

auto shape_of_input(const GraphInput& input) -> Shape;

}  // namespace tacet::importer
