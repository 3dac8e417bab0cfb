// Elements around a tensor.

#include <fmt/format.h>

#include <algorithm>

#include "importer/lowering.h"
#include "importer/operators/moved.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

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
  const Shape pads = given(1) != nullptr ? as_integers(*given(1)) : integers_of(node, "pads", {});
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

auto padding_operators() -> std::vector<Operator> {
  return {{"", "Pad", 1, evaluate_pad, lower_pad}};
}

}  // namespace tacet::importer
