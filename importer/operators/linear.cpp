// Products of matrices.

#include <fmt/format.h>

#include <algorithm>

#include "importer/lowering.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

/// A product of matrices: what is left of each operand, what is summed, and how operands of one
/// dimension are read.
struct Product {
  Shape a;  ///< with at least two dimensions
  Shape b;
  Shape outer;             ///< the dimensions in front, under broadcasting
  bool is_row = false;     ///< `a` is a vector
  bool is_column = false;  ///< `b` is one

  [[nodiscard]] auto n_rows() const -> int64_t { return a[a.size() - 2]; }
  [[nodiscard]] auto n_joined() const -> int64_t { return a.back(); }
  [[nodiscard]] auto n_columns() const -> int64_t { return b.back(); }
};

auto product_of(const Node& node, Shape a, Shape b) -> Result<Product> {
  if (a.empty() || b.empty()) {
    return error_at(node, "an operand is a scalar; the nearest operator is `Mul`");
  }
  Product product;
  product.is_row = a.size() == 1;
  product.is_column = b.size() == 1;
  if (product.is_row) {
    a.insert(a.begin(), 1);
  }
  if (product.is_column) {
    b.push_back(1);
  }
  if (a.back() != b[b.size() - 2]) {
    return error_at(
        node, fmt::format("shapes {} and {} do not go together", shape_text(a), shape_text(b)));
  }
  Result<Shape> outer =
      broadcast_shape(node, Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!outer) {
    return outer.error();
  }
  product.a = std::move(a);
  product.b = std::move(b);
  product.outer = std::move(*outer);
  return product;
}

auto result_shape(const Product& product) -> Shape {
  Shape shape = product.outer;
  if (!product.is_row) {
    shape.push_back(product.n_rows());
  }
  if (!product.is_column) {
    shape.push_back(product.n_columns());
  }
  return shape;
}

auto evaluate_matmul(const Call& call) -> Tensors {
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(1);
  Result<Product> product = product_of(call.node, a.shape, b.shape);
  if (!product) {
    return product.error();
  }
  Result<Tensor> result = zeros(result_shape(*product), a.elements);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  const auto rows = static_cast<size_t>(product->n_rows());
  const auto joined = static_cast<size_t>(product->n_joined());
  const auto columns = static_cast<size_t>(product->n_columns());
  Status taken = call.budget.take(
      call.node, static_cast<double>(result->values.size()) * static_cast<double>(joined));
  if (!taken) {
    return taken.error();
  }
  Shape outer_a(product->a.begin(), product->a.end() - 2);
  Shape outer_b(product->b.begin(), product->b.end() - 2);
  const Shape strides_a = broadcast_strides(outer_a, product->outer);
  const Shape strides_b = broadcast_strides(outer_b, product->outer);
  Places places(product->outer);
  for (size_t at = 0; at < result->values.size(); at += rows * columns) {
    const double* x = a.values.data() + places.offset(strides_a) * rows * joined;
    const double* y = b.values.data() + places.offset(strides_b) * joined * columns;
    for (size_t i = 0; i < rows; ++i) {
      for (size_t k = 0; k < joined; ++k) {
        for (size_t j = 0; j < columns; ++j) {
          result->values[at + i * columns + j] += x[i * joined + k] * y[k * columns + j];
        }
      }
    }
    places.advance();
  }
  return std::vector{std::move(*result)};
}

/// The parts of an operand's dimension, a constant's being free.
auto joined_parts(Lowering& lowering, std::string& a, std::string& b, size_t rank_a, size_t rank_b)
    -> std::vector<int64_t> {
  std::vector<std::vector<int64_t>> all;
  if (constant_of(lowering, a) == nullptr) {
    all.push_back(parts_of(lowering.stored.at(a))[rank_a - 1]);
  }
  if (constant_of(lowering, b) == nullptr) {
    all.push_back(parts_of(lowering.stored.at(b))[rank_b < 2 ? 0 : rank_b - 2]);
  }
  return refined(all);
}

/// An operand in parts of which dimension `d` has `parts`, its other dimensions being whole in
/// constants.
auto operand_of(Lowering& lowering, const std::string& tensor, size_t d,
                const std::vector<int64_t>& parts) -> Stored {
  const Tensor* constant = constant_of(lowering, tensor);
  if (constant == nullptr) {
    return lowering.stored.at(tensor);
  }
  std::vector<std::vector<int64_t>> all;
  for (size_t i = 0; i < constant->shape.size(); ++i) {
    const bool is_unit = constant->shape[i] == 1;
    all.push_back(i == d    ? parts
                  : is_unit ? std::vector<int64_t>{}
                            : std::vector<int64_t>{constant->shape[i]});
  }
  return weights_of(lowering, tensor, *constant, all);
}

auto lower_matmul(Lowering& lowering, const Node& node) -> Status {
  std::string a = node.inputs[0];
  std::string b = node.inputs[1];
  Result<Product> product = product_of(node, shape_of(lowering, a), shape_of(lowering, b));
  if (!product) {
    return product.error();
  }
  const size_t rank_a = shape_of(lowering, a).size();
  const size_t rank_b = shape_of(lowering, b).size();
  const size_t joined_b = rank_b < 2 ? 0 : rank_b - 2;
  const std::vector<int64_t> parts = joined_parts(lowering, a, b, rank_a, rank_b);
  if (parts.empty() && product->n_joined() > 1) {
    return error_at(node, "the dimension that is summed has parts that do not go together");
  }
  const Stored x = operand_of(lowering, a, rank_a - 1, parts);
  const Stored y = operand_of(lowering, b, joined_b, parts);
  Counters joined = counters_for(lowering, {parts});
  Counters at_x(rank_a);
  Counters at_y(rank_b);
  Counters result;
  at_x.back() = joined[0];
  at_y[joined_b] = joined[0];
  // Dimensions in front, aligned at the end.
  for (size_t d = 0; d < product->outer.size(); ++d) {
    const size_t from_end = product->outer.size() - d;
    std::vector<std::vector<int64_t>> all;
    for (const auto& [stored, counters] : {std::pair{&x, &at_x}, std::pair{&y, &at_y}}) {
      if (counters->size() >= from_end + 2) {
        all.push_back(parts_of(*stored)[counters->size() - 2 - from_end]);
      }
    }
    std::vector<int64_t> common = refined(all);
    if (common.empty() && product->outer[d] > 1) {
      return error_at(node, "a dimension of both operands has parts that do not go together");
    }
    result.push_back(counters_for(lowering, {common})[0]);
    for (const auto& [stored, counters] : {std::pair{&x, &at_x}, std::pair{&y, &at_y}}) {
      if (counters->size() >= from_end + 2) {
        const size_t own = counters->size() - 2 - from_end;
        (*counters)[own] = stored->dims[own].empty() ? std::vector<Counter>{} : result.back();
      }
    }
  }
  if (!product->is_row) {
    at_x[rank_a - 2] = counters_for(lowering, {parts_of(x)[rank_a - 2]})[0];
    result.push_back(at_x[rank_a - 2]);
  }
  if (!product->is_column) {
    at_y.back() = counters_for(lowering, {parts_of(y).back()})[0];
    result.push_back(at_y.back());
  }
  const std::string term = fmt::format("{} * {}", element(x, at_x), element(y, at_y));
  define(lowering, node, result, reduced("sum", joined[0], term), Elements::Real);
  return std::monostate{};
}

/// `weights * x + bias` along the last dimension: inputs are x, weights of a row for each result,
/// and perhaps a bias.
auto evaluate_dense(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  const Tensor& weights = call.input(1);
  const bool has_wrong_bias =
      call.has(2) && call.input(2).values.size() != static_cast<size_t>(weights.shape[0]);
  if (x.shape.empty() || weights.shape.size() != 2 || has_wrong_bias ||
      x.shape.back() != weights.shape[1]) {
    return error_at(call.node, fmt::format("shapes {} and {} do not go together",
                                           shape_text(x.shape), shape_text(weights.shape)));
  }
  Shape shape = x.shape;
  shape.back() = weights.shape[0];
  Result<Tensor> result = zeros(shape, Elements::Real);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  const auto joined = static_cast<size_t>(weights.shape[1]);
  const auto n = static_cast<size_t>(weights.shape[0]);
  Status taken = call.budget.take(
      call.node, static_cast<double>(result->values.size()) * static_cast<double>(joined));
  if (!taken) {
    return taken.error();
  }
  for (size_t row = 0; row < result->values.size() / n; ++row) {
    for (size_t i = 0; i < n; ++i) {
      double sum = call.has(2) ? call.input(2).values[i] : 0;
      for (size_t k = 0; k < joined; ++k) {
        sum += weights.values[i * joined + k] * x.values[row * joined + k];
      }
      result->values[row * n + i] = sum;
    }
  }
  return std::vector{std::move(*result)};
}

/// Calls the library where `x` is a vector, and the weights a matrix.
auto library_dense(Lowering& lowering, const Stored& x, const Stored& weights, const Stored* bias)
    -> std::string {
  const bool is_vector = x.rank() == 1 && x.dims.back().size() == 1;
  if (!is_vector || weights.rank() != 2 || (bias != nullptr && bias->rank() != 1)) {
    return "";
  }
  lowering.imports.insert(bias != nullptr ? "std/learning" : "std/linear");
  return bias != nullptr ? fmt::format("dense({}, {}, {})", weights.name, bias->name, x.name)
                         : fmt::format("matrix_vector({}, {})", weights.name, x.name);
}

auto lower_dense(Lowering& lowering, const Node& node) -> Status {
  const Stored x = stored_of(lowering, node.inputs[0]);
  const Tensor* weights = constant_of(lowering, node.inputs[1]);
  const bool has_bias = node.inputs.size() > 2;
  const int64_t n = weights->shape[0];
  const std::vector<int64_t> outputs = n == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{n};
  const Stored w = weights_of(lowering, node.inputs[1], *weights, {outputs, parts_of(x).back()});
  std::optional<Stored> bias;
  if (has_bias) {
    bias = weights_of(lowering, node.inputs[2], *constant_of(lowering, node.inputs[2]), {outputs});
  }
  const std::string called = library_dense(lowering, x, w, bias ? &*bias : nullptr);
  if (!called.empty()) {
    Stored stored = define(lowering, node, Counters(x.dims.size()), called, Elements::Real);
    stored.dims.back() = {{n, 0}};
    lowering.stored[node.outputs[0]] = stored;
    return std::monostate{};
  }
  Counters counters = counters_for(lowering, parts_of(x));
  const std::vector<Counter> joined = counters.back();
  const Counters of_result = counters_for(lowering, {outputs});
  std::string text =
      reduced("sum", joined,
              fmt::format("{} * {}", element(w, {of_result[0], joined}), element(x, counters)));
  if (bias) {
    text += " + " + element(*bias, of_result);
  }
  counters.back() = of_result[0];
  define(lowering, node, counters, text, Elements::Real);
  return std::monostate{};
}

}  // namespace

auto linear_operators() -> std::vector<Operator> {
  return {
      {"", "MatMul", 2, evaluate_matmul, lower_matmul},
      // Always rewritten before it is evaluated.
      {"", "Gemm", 2, nullptr, nullptr},
      {kOwnDomain, "Dense", 2, evaluate_dense, lower_dense},
  };
}

}  // namespace tacet::importer
