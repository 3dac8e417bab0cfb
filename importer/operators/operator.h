#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "importer/onnx/model.h"

namespace tacet::importer {

struct Lowering;

/// What evaluating a model may cost; each operator takes its part from it before it computes.
struct Budget {
  double n_steps = 68719476736;           ///< 2^36 multiplications and the like
  int64_t n_elements = int64_t{1} << 29;  ///< of all tensors

  /// In double precision, in which products of sizes do not wrap.
  [[nodiscard]] auto take(const Node& node, double steps) -> Status;
};

/// A node and the tensors that it is applied to; null for an input that is left out.
struct Call {
  const Node& node;
  int64_t opset;
  std::vector<const Tensor*> inputs;
  Budget& budget;

  [[nodiscard]] auto has(size_t i) const -> bool {
    return i < inputs.size() && inputs[i] != nullptr;
  }
  [[nodiscard]] auto input(size_t i) const -> const Tensor& { return *inputs[i]; }
};

using Tensors = Result<std::vector<Tensor>>;
using Evaluate = std::function<Tensors(const Call&)>;
using Lower = std::function<Status(Lowering&, const Node&)>;

/// An operator of ONNX: what it computes, in double precision, and its statements in Tacet. Without
/// `lower`, it takes what is known when importing.
struct Operator {
  std::string_view domain;
  std::string_view name;
  size_t n_inputs;  ///< at least
  Evaluate evaluate;
  Lower lower;
};

inline constexpr std::string_view kClassicalDomain = "ai.onnx.ml";
/// Of operators that only the importer makes.
inline constexpr std::string_view kOwnDomain = "tacet";

/// All operators, by topic; each in the file of that name.
auto arithmetic_operators() -> std::vector<Operator>;
auto selection_operators() -> std::vector<Operator>;
auto reduction_operators() -> std::vector<Operator>;
auto normalisation_operators() -> std::vector<Operator>;
auto linear_operators() -> std::vector<Operator>;
auto convolution_operators() -> std::vector<Operator>;
auto pooling_operators() -> std::vector<Operator>;
auto shape_operators() -> std::vector<Operator>;
auto movement_operators() -> std::vector<Operator>;
auto cutting_operators() -> std::vector<Operator>;
auto padding_operators() -> std::vector<Operator>;
auto classical_operators() -> std::vector<Operator>;
auto tree_operators() -> std::vector<Operator>;

/// All of these, found by domain and name.
class OperatorTable {
 public:
  OperatorTable();

  /// The operator of a node, or the error of one that is not supported, with what is nearest to it.
  [[nodiscard]] auto find(const Node& node) const -> Result<const Operator*>;

  [[nodiscard]] auto all() const -> std::span<const Operator> { return operators_; }

 private:
  std::vector<Operator> operators_;
};

/// An axis that may count from the end, in 0..rank.
auto resolved_axis(const Node& node, int64_t axis, size_t rank) -> Result<size_t>;

/// The shape of both under broadcasting.
auto broadcast_shape(const Node& node, const Shape& a, const Shape& b) -> Result<Shape>;

/// Strides with which a tensor of `shape` is read at places of a shape that it broadcasts to.
auto broadcast_strides(const Shape& shape, const Shape& to) -> Shape;

/// Axes of a node by its attribute or by input `input`, sorted; all axes of `rank` if there are
/// none.
auto axes_of(const Node& node, const Tensor* given, size_t rank) -> Result<std::vector<size_t>>;

}  // namespace tacet::importer
