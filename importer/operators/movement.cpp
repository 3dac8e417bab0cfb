// Operators that move elements: joining, cutting, picking, repeating, padding.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/lowering.h"
#include "importer/names.h"
#include "importer/operators/elementwise.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

/// The result's elements are those of `x` at the places that `source` gives, or `otherwise`.
auto moved(const Call& call, const Tensor& x, const Shape& shape,
           const std::function<bool(const Shape&, Shape&)>& source, double otherwise) -> Tensors {
  Result<Tensor> result = zeros(shape, x.elements);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  const Shape strides = strides_of(x.shape);
  Shape from(x.shape.size(), 0);
  Places places(shape);
  for (double& value : result->values) {
    value = otherwise;
    if (source(places.indices(), from)) {
      int64_t at = 0;
      for (size_t d = 0; d < from.size(); ++d) {
        at += from[d] * strides[d];
      }
      value = x.values[static_cast<size_t>(at)];
    }
    places.advance();
  }
  return std::vector{std::move(*result)};
}

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

/// Defines an output whose array has, besides the counters, the dimensions of `shape` from `first` on.
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

/// From where to where, and by which steps, a dimension is read.
struct Cut {
  int64_t begin = 0;
  int64_t step = 1;
  int64_t n = 0;
};

/// The elements that cuts leave, as a statement. Cut dimensions are whole.
void define_cut(Lowering& lowering, const Node& node, Stored x, const std::vector<Cut>& cuts,
                size_t output) {
  const Shape shape = x.shape();
  std::vector<bool> is_cut;
  for (size_t d = 0; d < cuts.size(); ++d) {
    is_cut.push_back(cuts[d].n != shape[d] || cuts[d].step != 1);
  }
  x = with_whole_dims(lowering, x, is_cut);
  std::vector<std::vector<int64_t>> parts = parts_of(x);
  for (size_t d = 0; d < cuts.size(); ++d) {
    if (is_cut[d]) {
      parts[d] = cuts[d].n == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{cuts[d].n};
    }
  }
  const Counters counters = counters_for(lowering, parts);
  Counters from = counters;
  for (size_t d = 0; d < cuts.size(); ++d) {
    if (!is_cut[d] || shape[d] == 1) {
      continue;
    }
    const Cut& cut = cuts[d];
    std::string index = std::to_string(cut.begin);
    if (cut.n > 1) {
      const std::string& name = counters[d].front().name;
      const int64_t size = std::abs(cut.step);
      const std::string steps = size == 1 ? name : fmt::format("{} * {}", size, name);
      index = cut.step < 0     ? fmt::format("{} - {}", cut.begin, steps)
              : cut.begin == 0 ? steps
                               : fmt::format("{} + {}", steps, cut.begin);
    }
    from[d] = {{index, shape[d]}};
  }
  define(lowering, node, counters, element(x, from), x.elements, output);
}

auto split_sizes(const Node& node, const Tensor* given, int64_t extent) -> Result<Shape> {
  Shape sizes = given != nullptr ? as_integers(*given) : integers_of(node, "split", {});
  const auto n = static_cast<int64_t>(node.outputs.size());
  if (sizes.empty() && n > 0) {
    const int64_t each = (extent + n - 1) / n;
    for (int64_t i = 0; i < n; ++i) {
      sizes.push_back(std::min(each, extent - i * each));
    }
  }
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    if (size <= 0 || size > extent) {
      return error_at(node, "a part is empty or larger than the whole");
    }
    sum += size;
  }
  const bool lacks_output = std::find(node.outputs.begin(), node.outputs.end(), "") != node.outputs.end();
  if (sum != extent || sizes.size() != node.outputs.size() || lacks_output) {
    return error_at(node, fmt::format("cannot split {} elements into {} parts", extent, n));
  }
  return sizes;
}

auto evaluate_split(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  Result<size_t> axis = resolved_axis(call.node, integer_of(call.node, "axis", 0), x.shape.size());
  if (!axis) {
    return axis.error();
  }
  Result<Shape> sizes =
      split_sizes(call.node, call.has(1) ? call.inputs[1] : nullptr, x.shape[*axis]);
  if (!sizes) {
    return sizes.error();
  }
  std::vector<Tensor> results;
  int64_t begin = 0;
  for (const int64_t size : *sizes) {
    Shape shape = x.shape;
    shape[*axis] = size;
    Tensors part = moved(
        call, x, shape,
        [&](const Shape& to, Shape& from) {
          from = to;
          from[*axis] += begin;
          return true;
        },
        0);
    if (!part) {
      return part.error();
    }
    results.push_back(std::move(part->front()));
    begin += size;
  }
  return results;
}

auto whole_cuts(const Shape& shape) -> std::vector<Cut> {
  std::vector<Cut> cuts;
  for (const int64_t extent : shape) {
    cuts.push_back({0, 1, extent});
  }
  return cuts;
}

auto lower_split(Lowering& lowering, const Node& node) -> Status {
  const Stored x = stored_of(lowering, node.inputs[0]);
  Result<size_t> axis = resolved_axis(node, integer_of(node, "axis", 0), x.dims.size());
  if (!axis) {
    return axis.error();
  }
  int64_t begin = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    std::vector<Cut> cuts = whole_cuts(x.shape());
    cuts[*axis] = {begin, 1, lowering.shapes.at(node.outputs[i])[*axis]};
    begin += cuts[*axis].n;
    define_cut(lowering, node, x, cuts, i);
  }
  return std::monostate{};
}

/// The cuts of `Slice`, by attributes or by inputs.
auto slice_cuts(const Node& node, const Shape& shape, const std::vector<const Tensor*>& inputs)
    -> Result<std::vector<Cut>> {
  const auto listed = [&](size_t i, std::string_view attribute) {
    return i < inputs.size() && inputs[i] != nullptr ? as_integers(*inputs[i])
                                                     : integers_of(node, attribute, {});
  };
  const std::vector<int64_t> starts = listed(1, "starts");
  const std::vector<int64_t> ends = listed(2, "ends");
  std::vector<int64_t> axes = listed(3, "axes");
  std::vector<int64_t> steps = listed(4, "steps");
  for (size_t i = 0; axes.size() < starts.size() && i < starts.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  steps.resize(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size()) {
    return error_at(node, "its starts, ends and axes have different numbers");
  }
  std::vector<Cut> cuts = whole_cuts(shape);
  for (size_t i = 0; i < starts.size(); ++i) {
    Result<size_t> axis = resolved_axis(node, axes[i], shape.size());
    if (!axis) {
      return axis.error();
    }
    const int64_t n = shape[*axis];
    const int64_t step = steps[i];
    if (step == 0) {
      return error_at(node, "a step is 0");
    }
    const auto resolved = [&](int64_t at) {
      const int64_t from_start = at < 0 ? std::max<int64_t>(at, -n - 1) + n : at;
      return step > 0 ? std::clamp<int64_t>(from_start, 0, n)
                      : std::clamp<int64_t>(from_start, -1, n - 1);
    };
    const int64_t begin = resolved(starts[i]);
    const int64_t end = resolved(ends[i]);
    const int64_t reach = step > 0 ? end - begin : begin - end;
    // Steps beyond the dimension are as long as it.
    const int64_t size = std::abs(std::clamp<int64_t>(step, -n - 1, n + 1));
    if (reach <= 0) {
      return error_at(node, "its result has no elements");
    }
    cuts[*axis] = {begin, step > 0 ? size : -size, (reach + size - 1) / size};
  }
  return cuts;
}

auto evaluate_slice(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  Result<std::vector<Cut>> cuts = slice_cuts(call.node, x.shape, call.inputs);
  if (!cuts) {
    return cuts.error();
  }
  Shape shape;
  for (const Cut& cut : *cuts) {
    shape.push_back(cut.n);
  }
  return moved(
      call, x, shape,
      [&](const Shape& to, Shape& from) {
        for (size_t d = 0; d < to.size(); ++d) {
          from[d] = (*cuts)[d].begin + (*cuts)[d].step * to[d];
        }
        return true;
      },
      0);
}

/// The constant inputs of a node from the second on; an error if one is not.
auto constant_inputs(const Lowering& lowering, const Node& node)
    -> Result<std::vector<const Tensor*>> {
  std::vector<const Tensor*> inputs(1, nullptr);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    inputs.push_back(node.inputs[i].empty() ? nullptr : constant_of(lowering, node.inputs[i]));
    if (!node.inputs[i].empty() && inputs.back() == nullptr) {
      return error_at(node, fmt::format("`{}` has to be a constant: which elements are read must "
                                        "not depend on secrets",
                                        node.inputs[i]));
    }
  }
  return inputs;
}

auto lower_slice(Lowering& lowering, const Node& node) -> Status {
  Result<std::vector<const Tensor*>> inputs = constant_inputs(lowering, node);
  if (!inputs) {
    return inputs.error();
  }
  const Stored x = stored_of(lowering, node.inputs[0]);
  Result<std::vector<Cut>> cuts = slice_cuts(node, x.shape(), *inputs);
  if (!cuts) {
    return cuts.error();
  }
  define_cut(lowering, node, x, *cuts, 0);
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
    return error_at(node, "looks up secret indices; let the client look up the embeddings, and "
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
  define_parts(lowering, node, counters, *axis,
               gathered_shape(shape, indices->shape, *axis),
               is_array ? fmt::format("[{}]", text) : text, x.elements);
  return std::monostate{};
}

auto evaluate_expand(const Call& call) -> Tensors {
  Result<Shape> shape =
      broadcast_shape(call.node, call.input(0).shape, as_integers(call.input(1)));
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

struct Padding {
  Shape before;
  Shape shape;
  double value = 0;
};

auto padding_of(const Node& node, const Shape& shape, const std::vector<const Tensor*>& inputs)
    -> Result<Padding> {
  if (text_of(node, "mode", "constant") != "constant") {
    return error_at(node, "only the mode `constant` is supported");
  }
  const auto given = [&](size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
  const Shape pads =
      given(1) != nullptr ? as_integers(*given(1)) : integers_of(node, "pads", {});
  Padding padding{Shape(shape.size(), 0), shape, number_of(node, "value", 0)};
  if (given(2) != nullptr && !given(2)->values.empty()) {
    padding.value = given(2)->values.front();
  }
  std::vector<size_t> axes;
  for (size_t d = 0; d < shape.size(); ++d) {
    axes.push_back(d);
  }
  if (given(3) != nullptr) {
    axes.clear();
    for (const int64_t axis : as_integers(*given(3))) {
      Result<size_t> resolved = resolved_axis(node, axis, shape.size());
      if (!resolved) {
        return resolved.error();
      }
      axes.push_back(*resolved);
    }
  }
  if (pads.size() != 2 * axes.size()) {
    return error_at(node, "its pads have another number of dimensions");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t before = pads[i];
    const int64_t after = pads[axes.size() + i];
    if (before < 0 || after < 0 || before > kMostElements || after > kMostElements) {
      return error_at(node, "negative pads are not supported; the nearest operator is `Slice`");
    }
    padding.before[axes[i]] = before;
    padding.shape[axes[i]] += before + after;
  }
  return padding;
}

auto evaluate_pad(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  Result<Padding> padding = padding_of(call.node, x.shape, call.inputs);
  if (!padding) {
    return padding.error();
  }
  return moved(
      call, x, padding->shape,
      [&](const Shape& to, Shape& from) {
        bool is_inside = true;
        for (size_t d = 0; d < to.size(); ++d) {
          from[d] = to[d] - padding->before[d];
          is_inside = is_inside && from[d] >= 0 && from[d] < x.shape[d];
        }
        return is_inside;
      },
      padding->value);
}

/// Reads beyond an array are 0. Other values need a condition, which is known for each place.
auto lower_pad(Lowering& lowering, const Node& node) -> Status {
  Result<std::vector<const Tensor*>> inputs = constant_inputs(lowering, node);
  if (!inputs) {
    return inputs.error();
  }
  Stored x = stored_of(lowering, node.inputs[0]);
  const Shape shape = x.shape();
  Result<Padding> padding = padding_of(node, shape, *inputs);
  if (!padding) {
    return padding.error();
  }
  std::vector<bool> is_padded;
  for (size_t d = 0; d < shape.size(); ++d) {
    is_padded.push_back(padding->shape[d] != shape[d]);
  }
  x = with_whole_dims(lowering, x, is_padded);
  std::vector<std::vector<int64_t>> parts = parts_of(x);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (is_padded[d]) {
      parts[d] = {padding->shape[d]};
    }
  }
  const Counters counters = counters_for(lowering, parts);
  Counters from = counters;
  std::string condition;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!is_padded[d]) {
      continue;
    }
    const std::string& name = counters[d].front().name;
    const int64_t before = padding->before[d];
    from[d] = {{before == 0 ? name : fmt::format("{} - {}", name, before), shape[d]}};
    condition += fmt::format("{}{} >= {} && {} < {}", condition.empty() ? "" : " && ", name, before,
                             name, before + shape[d]);
  }
  std::string text = element(x, from);
  // A dimension of size 1 has no index that could be outside.
  bool has_unit = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    has_unit = has_unit || (is_padded[d] && shape[d] == 1);
  }
  if ((padding->value != 0 || has_unit) && !condition.empty()) {
    text = fmt::format("{} if {} else {}", text, condition, literal(padding->value, x.elements));
  }
  define(lowering, node, counters, text, x.elements);
  return std::monostate{};
}

}  // namespace

auto movement_operators() -> std::vector<Operator> {
  return {
      {"", "Concat", 1, evaluate_concat, lower_concat},
      {"", "Split", 1, evaluate_split, lower_split},
      {"", "Slice", 1, evaluate_slice, lower_slice},
      {"", "Gather", 2, evaluate_gather, lower_gather},
      {"", "Expand", 2, evaluate_expand, lower_repetition},
      {"", "Tile", 2, evaluate_tile, lower_repetition},
      {"", "Pad", 1, evaluate_pad, lower_pad},
      // Always removed before they are evaluated.
      {"", "Identity", 1, nullptr, nullptr},
      {"", "Dropout", 1, nullptr, nullptr},
      {kClassicalDomain, "ZipMap", 1, nullptr, nullptr},
  };
}

}  // namespace tacet::importer
