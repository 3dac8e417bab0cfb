// Operators that change shapes, and those whose results are known when importing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/lowering.h"
#include "importer/names.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

auto squeezed_shape(const Call& call) -> Result<Shape> {
  const Shape& shape = call.input(0).shape;
  const Tensor* given = call.has(1) ? call.inputs[1] : nullptr;
  Result<std::vector<size_t>> axes = axes_of(call.node, given, shape.size());
  if (!axes) {
    return axes.error();
  }
  const bool names_axes = given != nullptr || find_attribute(call.node, "axes") != nullptr;
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool is_named = std::find(axes->begin(), axes->end(), d) != axes->end();
    if (is_named && names_axes && shape[d] != 1) {
      return error_at(call.node, fmt::format("axis {} of shape {} is not 1", d, shape_text(shape)));
    }
    if (!is_named || shape[d] != 1) {
      result.push_back(shape[d]);
    }
  }
  return result;
}

auto unsqueezed_shape(const Call& call) -> Result<Shape> {
  const Tensor* given = call.has(1) ? call.inputs[1] : nullptr;
  const size_t n_new =
      given != nullptr ? given->values.size() : integers_of(call.node, "axes", {}).size();
  Shape result = call.input(0).shape;
  if (n_new == 0) {
    return result;
  }
  Result<std::vector<size_t>> axes = axes_of(call.node, given, result.size() + n_new);
  if (!axes) {
    return axes.error();
  }
  for (const size_t axis : *axes) {
    if (axis > result.size()) {
      return error_at(call.node, "an axis is beyond the dimensions");
    }
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  }
  return result;
}

auto flattened_shape(const Call& call) -> Result<Shape> {
  const Shape& shape = call.input(0).shape;
  const int64_t axis = integer_of(call.node, "axis", 1);
  const auto n = static_cast<int64_t>(shape.size());
  if (axis < -n || axis > n) {
    return error_at(call.node, "an axis is beyond the dimensions");
  }
  const int64_t first = axis < 0 ? axis + n : axis;
  Shape result{1, 1};
  for (int64_t d = 0; d < n; ++d) {
    result[d < first ? 0 : 1] *= shape[static_cast<size_t>(d)];
  }
  return result;
}

auto reshaped_shape(const Call& call) -> Result<Shape> {
  const Shape& shape = call.input(0).shape;
  if (!call.has(1)) {
    return error_at(call.node, "its shape is missing");
  }
  Shape result = as_integers(call.input(1));
  const auto n = static_cast<int64_t>(call.input(0).values.size());
  int64_t n_known = 1;
  std::optional<size_t> open;
  for (size_t d = 0; d < result.size(); ++d) {
    if (result[d] == 0 && integer_of(call.node, "allowzero", 0) == 0 && d < shape.size()) {
      result[d] = shape[d];
    }
    if (result[d] == -1 && !open) {
      open = d;
    } else if (result[d] <= 0 || result[d] > kMostElements / n_known) {
      return error_at(call.node,
                      fmt::format("cannot make {} of {}", shape_text(result), shape_text(shape)));
    } else {
      n_known *= result[d];
    }
  }
  if (open && n % n_known == 0) {
    result[*open] = n / n_known;
    n_known = n;
  }
  if (n_known != n) {
    return error_at(call.node,
                    fmt::format("cannot make {} of {}", shape_text(result), shape_text(shape)));
  }
  return result;
}

using NewShape = Result<Shape> (*)(const Call&);

auto evaluate_new_shape(const Call& call, NewShape new_shape) -> Tensors {
  Result<Shape> shape = new_shape(call);
  if (!shape) {
    return shape.error();
  }
  Tensor result = call.input(0);
  result.shape = std::move(*shape);
  return std::vector{std::move(result)};
}

/// The parts of all dimensions, outer to inner, divided where the new dimensions have their ends.
auto divided_parts(const Stored& x, const Shape& shape) -> std::vector<int64_t> {
  std::vector<int64_t> all;
  for (const auto& parts : x.dims) {
    for (const Part& part : parts) {
      all.push_back(part.extent);
    }
  }
  return refined({all, shape});
}

/// The same array under the new shape, whose dimensions are made of whole parts.
auto regrouped(const Stored& x, const Shape& shape) -> Stored {
  std::vector<Part> all;
  for (const auto& parts : x.dims) {
    all.insert(all.end(), parts.begin(), parts.end());
  }
  Stored result{x.name, x.elements, {}};
  size_t at = 0;
  for (const int64_t extent : shape) {
    result.dims.emplace_back();
    for (int64_t n = 1; n < extent; n *= all[at++].extent) {
      result.dims.back().push_back(all[at]);
    }
  }
  return result;
}

/// Reads an array at finer parts than it has.
auto with_parts(Lowering& lowering, const Stored& x, const std::vector<int64_t>& parts) -> Stored {
  std::vector<std::vector<int64_t>> own;
  size_t at = 0;
  for (const int64_t extent : x.shape()) {
    own.emplace_back();
    for (int64_t n = 1; n < extent; n *= parts[at++]) {
      own.back().push_back(parts[at]);
    }
  }
  const Counters counters = counters_for(lowering, own);
  return define_value(lowering, x.name, counters, element(x, counters), x.elements);
}

/// All elements in one dimension.
auto flattened(Lowering& lowering, const Stored& x) -> Stored {
  Stored vector{x.name, x.elements, {{}}};
  for (const auto& parts : x.dims) {
    vector.dims[0].insert(vector.dims[0].end(), parts.begin(), parts.end());
  }
  return with_whole_dims(lowering, vector, {true});
}

auto lower_new_shape(Lowering& lowering, const Node& node) -> Status {
  Stored x = stored_of(lowering, node.inputs[0]);
  const Shape shape = lowering.shapes.at(node.outputs[0]);
  std::vector<int64_t> parts = divided_parts(x, shape);
  if (parts.empty() && x.rank() > 0) {
    x = flattened(lowering, x);
    parts = divided_parts(x, shape);
  }
  if (parts.size() > x.rank()) {
    Stored vector{x.name, x.elements, {{}}};
    for (const auto& own : x.dims) {
      vector.dims[0].insert(vector.dims[0].end(), own.begin(), own.end());
    }
    x = with_parts(lowering, vector, parts);
  }
  lowering.stored[node.outputs[0]] = regrouped(x, shape);
  lowering.comments.push_back(short_description(node));
  return std::monostate{};
}

auto new_shape_operator(std::string_view name, NewShape new_shape) -> Operator {
  return {"", name, 1, [=](const Call& call) { return evaluate_new_shape(call, new_shape); },
          lower_new_shape};
}

auto permutation_of(const Node& node, size_t rank) -> Result<std::vector<size_t>> {
  std::vector<int64_t> listed = integers_of(node, "perm", {});
  std::vector<size_t> order;
  for (size_t d = 0; d < rank; ++d) {
    order.push_back(listed.empty() ? rank - 1 - d : 0);
  }
  std::vector<bool> is_taken(rank, false);
  for (size_t d = 0; d < listed.size(); ++d) {
    const auto from = static_cast<size_t>(listed[d]);
    if (listed.size() != rank || listed[d] < 0 || from >= rank || is_taken[from]) {
      return error_at(node, "its order of dimensions is not a permutation");
    }
    is_taken[from] = true;
    order[d] = from;
  }
  return order;
}

auto evaluate_transpose(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  Result<std::vector<size_t>> order = permutation_of(call.node, x.shape.size());
  if (!order) {
    return order.error();
  }
  const Shape own = strides_of(x.shape);
  Tensor result = x;
  Shape strides;
  for (size_t d = 0; d < order->size(); ++d) {
    result.shape[d] = x.shape[(*order)[d]];
    strides.push_back(own[(*order)[d]]);
  }
  Places places(result.shape);
  for (double& value : result.values) {
    value = x.values[places.offset(strides)];
    places.advance();
  }
  return std::vector{std::move(result)};
}

auto lower_transpose(Lowering& lowering, const Node& node) -> Status {
  const Stored x = stored_of(lowering, node.inputs[0]);
  Result<std::vector<size_t>> order = permutation_of(node, x.dims.size());
  if (!order) {
    return order.error();
  }
  Stored result{x.name, x.elements, {}};
  for (const size_t d : *order) {
    result.dims.push_back(x.dims[d]);
  }
  lowering.stored[node.outputs[0]] = result;
  lowering.comments.push_back(short_description(node));
  return std::monostate{};
}

auto evaluate_constant(const Call& call) -> Tensors {
  const Node& node = call.node;
  if (const Attribute* value = find_attribute(node, "value"); value != nullptr && value->tensor) {
    return std::vector{*value->tensor};
  }
  if (const Attribute* value = find_attribute(node, "value_float")) {
    return std::vector{Tensor{{}, Elements::Real, {value->number}}};
  }
  if (const Attribute* value = find_attribute(node, "value_int")) {
    return std::vector{Tensor{{}, Elements::Integer, {static_cast<double>(value->integer)}}};
  }
  if (const Attribute* value = find_attribute(node, "value_floats")) {
    const auto n = static_cast<int64_t>(value->numbers.size());
    return std::vector{Tensor{{n}, Elements::Real, value->numbers}};
  }
  if (const Attribute* value = find_attribute(node, "value_ints")) {
    Tensor tensor{{static_cast<int64_t>(value->integers.size())}, Elements::Integer, {}};
    tensor.values.assign(value->integers.begin(), value->integers.end());
    return std::vector{std::move(tensor)};
  }
  return error_at(node, "its value is not a tensor of numbers");
}

auto evaluate_shape(const Call& call) -> Tensors {
  const Shape& shape = call.input(0).shape;
  const auto n = static_cast<int64_t>(shape.size());
  const auto resolved = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + n : at, 0, n); };
  const int64_t begin = resolved(integer_of(call.node, "start", 0));
  const int64_t end = resolved(integer_of(call.node, "end", n));
  Tensor result{{std::max<int64_t>(end - begin, 0)}, Elements::Integer, {}};
  for (int64_t d = begin; d < end; ++d) {
    result.values.push_back(static_cast<double>(shape[static_cast<size_t>(d)]));
  }
  return std::vector{std::move(result)};
}

auto evaluate_size(const Call& call) -> Tensors {
  const auto n = static_cast<double>(call.input(0).values.size());
  return std::vector{Tensor{{}, Elements::Integer, {n}}};
}

auto evaluate_constant_of_shape(const Call& call) -> Tensors {
  const Attribute* value = find_attribute(call.node, "value");
  const bool has_value = value != nullptr && value->tensor && value->tensor->values.size() == 1;
  Result<Tensor> result =
      zeros(as_integers(call.input(0)), has_value ? value->tensor->elements : Elements::Real);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  if (has_value) {
    std::fill(result->values.begin(), result->values.end(), value->tensor->values[0]);
  }
  return std::vector{std::move(*result)};
}

auto evaluate_range(const Call& call) -> Tensors {
  for (size_t i = 0; i < 3; ++i) {
    if (call.input(i).values.size() != 1) {
      return error_at(call.node, "its bounds have to be numbers");
    }
  }
  const double start = call.input(0).values[0];
  const double step = call.input(2).values[0];
  const double n = std::ceil((call.input(1).values[0] - start) / step);
  if (!(n >= 1 && n <= static_cast<double>(kMostElements))) {
    return error_at(call.node, "its range is empty or too long");
  }
  Tensor result{{static_cast<int64_t>(n)}, call.input(0).elements, {}};
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    result.values.push_back(start + static_cast<double>(i) * step);
  }
  return std::vector{std::move(result)};
}

}  // namespace

auto shape_operators() -> std::vector<Operator> {
  return {
      new_shape_operator("Reshape", reshaped_shape),
      new_shape_operator("Flatten", flattened_shape),
      new_shape_operator("Squeeze", squeezed_shape),
      new_shape_operator("Unsqueeze", unsqueezed_shape),
      {"", "Transpose", 1, evaluate_transpose, lower_transpose},
      {"", "Constant", 0, evaluate_constant, nullptr},
      {"", "Shape", 1, evaluate_shape, nullptr},
      {"", "Size", 1, evaluate_size, nullptr},
      {"", "ConstantOfShape", 1, evaluate_constant_of_shape, nullptr},
      {"", "Range", 3, evaluate_range, nullptr},
  };
}

}  // namespace tacet::importer
