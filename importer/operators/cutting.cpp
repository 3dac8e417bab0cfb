// Parts of a dimension: `Split` and `Slice`.

#include <fmt/format.h>

#include <algorithm>

#include "importer/lowering.h"
#include "importer/operators/moved.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

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
  const bool lacks_output =
      std::find(node.outputs.begin(), node.outputs.end(), "") != node.outputs.end();
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

}  // namespace

auto cutting_operators() -> std::vector<Operator> {
  return {
      {"", "Split", 1, evaluate_split, lower_split},
      {"", "Slice", 1, evaluate_slice, lower_slice},
  };
}

}  // namespace tacet::importer
