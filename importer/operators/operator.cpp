#include "importer/operators/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/core/diagnostics/closest_name.h"

namespace tacet::importer {

namespace {

/// Why an operator is missing, and what to do about it.
struct Advice {
  std::string_view op;
  std::string_view text;
};

constexpr std::array kAdvice = {
    Advice{"LSTM", "recurrent layers are not supported; export the steps unrolled"},
    Advice{"GRU", "recurrent layers are not supported; export the steps unrolled"},
    Advice{"RNN", "recurrent layers are not supported; export the steps unrolled"},
    Advice{"Loop", "loops are not supported; export the steps unrolled"},
    Advice{"Scan", "loops are not supported; export the steps unrolled"},
    Advice{"If", "branches are not supported; `Where` chooses between two results"},
    Advice{"ConvTranspose", "the nearest operator is `Conv`"},
    Advice{"QLinearConv",
           "export the model before it is quantised; the nearest operator is `Conv`"},
    Advice{"QLinearMatMul",
           "export the model before it is quantised; the nearest operator is `MatMul`"},
    Advice{"QuantizeLinear", "export the model before it is quantised"},
    Advice{"DequantizeLinear", "export the model before it is quantised"},
    Advice{"TopK", "the nearest operators are `ArgMax` and `ReduceMax`"},
    Advice{"NonZero", "its result has a size that depends on the data; use `Where`"},
    Advice{"Resize", "sizes of images do not change; the nearest operator is `AveragePool`"},
    Advice{"Upsample", "sizes of images do not change; the nearest operator is `AveragePool`"},
    Advice{"Einsum", "the nearest operators are `MatMul` and `Transpose`"},
    Advice{"LRN", "the nearest operator is `BatchNormalization`"},
    Advice{"SVMClassifier",
           "the nearest operators are `LinearClassifier` and "
           "`TreeEnsembleClassifier`"},
    Advice{"SVMRegressor",
           "the nearest operators are `LinearRegressor` and "
           "`TreeEnsembleRegressor`"},
};

}  // namespace

auto Budget::take(const Node& node, double steps) -> Status {
  if (steps > n_steps) {
    return error_at(node, "the model takes too many steps to be evaluated here");
  }
  n_steps -= steps;
  return std::monostate{};
}

OperatorTable::OperatorTable() {
  for (auto topic : {arithmetic_operators, selection_operators, reduction_operators,
                     normalisation_operators, linear_operators, convolution_operators,
                     pooling_operators, shape_operators, movement_operators, cutting_operators,
                     padding_operators, classical_operators, tree_operators}) {
    for (Operator& entry : topic()) {
      operators_.push_back(std::move(entry));
    }
  }
}

auto OperatorTable::find(const Node& node) const -> Result<const Operator*> {
  std::vector<std::string_view> names;
  for (const Operator& entry : operators_) {
    if (entry.name == node.op && (entry.domain == node.domain || node.domain == "com.microsoft")) {
      return &entry;
    }
    if (entry.domain != kOwnDomain) {
      names.push_back(entry.name);
    }
  }
  const auto* advice = std::find_if(kAdvice.begin(), kAdvice.end(),
                                    [&](const Advice& a) { return a.op == node.op; });
  if (advice != kAdvice.end()) {
    return error_at(node, fmt::format("operator is not supported: {}", advice->text));
  }
  const auto closest = closest_name(node.op, names);
  return error_at(
      node, closest ? fmt::format("operator is not supported; the nearest one is `{}`", *closest)
                    : "operator is not supported; `tacet import --operators` lists those that are");
}

auto resolved_axis(const Node& node, int64_t axis, size_t rank) -> Result<size_t> {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) {
    return error_at(node, fmt::format("axis {} of a tensor with {} dimensions", axis, rank));
  }
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

auto broadcast_shape(const Node& node, const Shape& a, const Shape& b) -> Result<Shape> {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return error_at(
          node, fmt::format("shapes {} and {} do not go together", shape_text(a), shape_text(b)));
    }
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

auto broadcast_strides(const Shape& shape, const Shape& to) -> Shape {
  const Shape own = strides_of(shape);
  Shape strides(to.size(), 0);
  const size_t shift = to.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i + shift] = shape[i] == 1 ? 0 : own[i];
  }
  return strides;
}

auto axes_of(const Node& node, const Tensor* given, size_t rank) -> Result<std::vector<size_t>> {
  const std::vector<int64_t> listed =
      given != nullptr ? as_integers(*given) : integers_of(node, "axes", {});
  std::vector<size_t> axes;
  for (const int64_t axis : listed) {
    Result<size_t> resolved = resolved_axis(node, axis, rank);
    if (!resolved) {
      return resolved.error();
    }
    axes.push_back(*resolved);
  }
  for (size_t i = 0; listed.empty() && i < rank; ++i) {
    axes.push_back(i);
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

}  // namespace tacet::importer
