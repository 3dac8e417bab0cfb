// Operators that move elements: joining, picking, repeating.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/lowering.h"
#include "importer/names.h"
#include "importer/operators/moved.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

/// What an array is called with the counters of its first `n` dimensions, which are not of size 1.
auto part_of_array(const Stored& x, const Counters& counters, size_t n) -> std::string {
  std::string text = x.name;
  for (size_t d = 0; d < n; ++d) {
    for (const Counter& own : counters[d]) {
      text += fmt::format("[{}]", own.name);
    }
  }
  return text;
}

/// Defines an output whose array has, besides the counters, the dimensions of `shape` from `first`
/// on.
void define_parts(Lowering& lowering, const Node& node, const Counters& counters, size_t first,
                  const Shape& shape, const std::string& text, Elements elements) {
  Counters outer = counters;
  outer.resize(first);
  Stored stored = define(lowering, node, outer, text, elements);
  size_t place = stored.rank();
  for (size_t d = first; d < shape.size(); ++d) {
    stored.dims.emplace_back();
    if (shape[d] != 1) {
      stored.dims.back().push_back({shape[d], place++});
    }
  }
  lowering.stored[node.outputs[0]] = stored;
}

auto evaluate_concat(const Call& call) -> Tensors {
  if (std::find(call.inputs.begin(), call.inputs.end(), nullptr) != call.inputs.end()) {
    return error_at(call.node, "an input is left out");
  }
  const Shape& first = call.input(0).shape;
  Result<size_t> axis = resolved_axis(call.node, integer_of(call.node, "axis", 0), first.size());
  if (!axis) {
    return axis.error();
  }
  Shape shape = first;
  shape[*axis] = 0;
  for (const Tensor* input : call.inputs) {
    Shape other = input->shape;
    if (other.size() != shape.size()) {
      return error_at(call.node, "its inputs have different numbers of dimensions");
    }
    shape[*axis] += other[*axis];
    other[*axis] = shape[*axis];
    if (other != shape) {
      return error_at(call.node, fmt::format("shapes {} and {} do not go together",
                                             shape_text(first), shape_text(input->shape)));
    }
  }
  // Inputs without elements are lists that start empty.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return std::vector{Tensor{shape, call.input(0).elements, {}}};
  }
  Tensor result{shape, call.input(0).elements, {}};
  int64_t outer = 1;
  for (size_t d = 0; d < *axis; ++d) {
    outer *= shape[d];
  }
  if (Result<int64_t> count = element_count(shape); !count) {
    return error_at(call.node, count.error().message);
  }
  for (int64_t i = 0; i < outer; ++i) {
    for (const Tensor* input : call.inputs) {
      const auto n = static_cast<int64_t>(input->values.size()) / outer;
      const auto begin = input->values.begin() + i * n;
      result.values.insert(result.values.end(), begin, begin + n);
    }
  }
  return std::vector{std::move(result)};
}

auto lower_concat(Lowering& lowering, const Node& node) -> Status {
  const Shape shape = lowering.shapes.at(node.outputs[0]);
  Result<size_t> axis = resolved_axis(node, integer_of(node, "axis", 0), shape.size());
  if (!axis) {
    return axis.error();
  }
  std::vector<Stored> operands;
  for (const std::string& input : node.inputs) {
    operands.push_back(canonical(lowering, stored_of(lowering, input)));
  }
  std::vector<std::vector<int64_t>> parts;
  for (const int64_t extent : shape) {
    parts.push_back(extent == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{extent});
  }
  const Counters counters = counters_for(lowering, parts);
  std::string text;
  for (const Stored& operand : operands) {
    const std::string part = part_of_array(operand, counters, *axis);
    text += text.empty() ? "" : " ++ ";
    text += operand.dims[*axis].empty() ? fmt::format("[{}]", part) : part;
  }
  define_parts(lowering, node, counters, *axis, shape, text, operands[0].elements);
  return std::monostate{};
}

auto picked_indices(const Node& node, const Tensor& indices, int64_t extent) -> Result<Shape> {
  Shape picked = as_integers(indices);
  for (int64_t& index : picked) {
    if (index < -extent || index >= extent) {
      return error_at(node, fmt::format("index {} of a dimension of {}", index, extent));
    }
    index += index < 0 ? extent : 0;
  }
  return picked;
}

auto gathered_shape(const Shape& x, const Shape& indices, size_t axis) -> Shape {
  Shape shape(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  return shape;
}

auto evaluate_gather(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  Result<size_t> axis = resolved_axis(call.node, integer_of(call.node, "axis", 0), x.shape.size());
  if (!axis) {
    return axis.error();
  }
  const Tensor& indices = call.input(1);
  Result<Shape> picked = picked_indices(call.node, indices, x.shape[*axis]);
  if (!picked) {
    return picked.error();
  }
  const Shape strides = strides_of(indices.shape);
  const size_t n = indices.shape.size();
  return moved(
      call, x, gathered_shape(x.shape, indices.shape, *axis),
      [&](const Shape& to, Shape& from) {
        int64_t at = 0;
        for (size_t d = 0; d < n; ++d) {
          at += to[*axis + d] * strides[d];
        }
        for (size_t d = 0; d < from.size(); ++d) {
          from[d] = d < *axis    ? to[d]
                    : d == *axis ? (*picked)[static_cast<size_t>(at)]
                                 : to[d + n - 1];
        }
        return true;
      },
      0);
}

auto lower_gather(Lowering& lowering, const Node& node) -> Status {
  const Tensor* indices = constant_of(lowering, node.inputs[1]);
  if (indices == nullptr) {
    return error_at(node,
                    "looks up secret indices; let the client look up the embeddings, and "
                    "export the model without this node");
  }
  const Stored x = canonical(lowering, stored_of(lowering, node.inputs[0]));
  const Shape shape = x.shape();
  Result<size_t> axis = resolved_axis(node, integer_of(node, "axis", 0), shape.size());
  if (!axis) {
    return axis.error();
  }
  Result<Shape> picked = picked_indices(node, *indices, shape[*axis]);
  if (!picked) {
    return picked.error();
  }
  if (indices->shape.size() > 1) {
    return error_at(node, "indices of more than one dimension are not supported; `Reshape` them");
  }
  const Counters counters = counters_for(lowering, parts_of(x));
  const std::string part = part_of_array(x, counters, *axis);
  const bool is_unit = shape[*axis] == 1;
  std::string text;
  for (const int64_t index : *picked) {
    text += (text.empty() ? "" : ", ") + (is_unit ? part : fmt::format("{}[{}]", part, index));
  }
  const bool is_array = picked->size() > 1;
  define_parts(lowering, node, counters, *axis, gathered_shape(shape, indices->shape, *axis),
               is_array ? fmt::format("[{}]", text) : text, x.elements);
  return std::monostate{};
}

auto evaluate_expand(const Call& call) -> Tensors {
  Result<Shape> shape = broadcast_shape(call.node, call.input(0).shape, as_integers(call.input(1)));
  if (!shape) {
    return shape.error();
  }
  const Tensor& x = call.input(0);
  const size_t shift = shape->size() - x.shape.size();
  return moved(
      call, x, *shape,
      [&](const Shape& to, Shape& from) {
        for (size_t d = 0; d < from.size(); ++d) {
          from[d] = x.shape[d] == 1 ? 0 : to[d + shift];
        }
        return true;
      },
      0);
}

auto evaluate_tile(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  const Shape repeats = as_integers(call.input(1));
  if (repeats.size() != x.shape.size()) {
    return error_at(call.node, "repeats have another number of dimensions");
  }
  Shape shape = x.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] <= 0 || repeats[d] > kMostElements / shape[d]) {
      return error_at(call.node, "repeats have to be positive, and not too many");
    }
    shape[d] *= repeats[d];
  }
  return moved(
      call, x, shape,
      [&](const Shape& to, Shape& from) {
        for (size_t d = 0; d < from.size(); ++d) {
          from[d] = to[d] % x.shape[d];
        }
        return true;
      },
      0);
}

/// `Expand` and `Tile`: outer parts of a dimension that the operand does not read.
auto lower_repetition(Lowering& lowering, const Node& node) -> Status {
  const Stored x = stored_of(lowering, node.inputs[0]);
  const Shape shape = lowering.shapes.at(node.outputs[0]);
  const Shape own = x.shape();
  std::vector<std::vector<int64_t>> parts = parts_of(x);
  parts.insert(parts.begin(), shape.size() - own.size(), {});
  std::vector<size_t> n_new(shape.size(), 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    const size_t shift = shape.size() - own.size();
    const int64_t repeats = shape[d] / (d < shift ? 1 : own[d - shift]);
    if (repeats > 1) {
      parts[d].insert(parts[d].begin(), repeats);
      n_new[d] = 1;
    }
  }
  const Counters counters = counters_for(lowering, parts);
  Counters from;
  for (size_t d = shape.size() - own.size(); d < shape.size(); ++d) {
    from.emplace_back(counters[d].begin() + static_cast<std::ptrdiff_t>(n_new[d]),
                      counters[d].end());
  }
  define(lowering, node, counters, element(x, from), x.elements);
  return std::monostate{};
}

}  // namespace

auto movement_operators() -> std::vector<Operator> {
  return {
      {"", "Concat", 1, evaluate_concat, lower_concat},
      {"", "Gather", 2, evaluate_gather, lower_gather},
      {"", "Expand", 2, evaluate_expand, lower_repetition},
      {"", "Tile", 2, evaluate_tile, lower_repetition},
      // Always removed before they are evaluated.
      {"", "Identity", 1, nullptr, nullptr},
      {"", "Dropout", 1, nullptr, nullptr},
      {kClassicalDomain, "ZipMap", 1, nullptr, nullptr},
  };
}

}  // namespace tacet::importer
