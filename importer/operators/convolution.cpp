// Convolutions of signals and images.

#include <fmt/format.h>

#include <algorithm>

#include "importer/lowering.h"
#include "importer/operators/operator.h"
#include "importer/operators/window.h"

namespace tacet::importer {

namespace {

struct Convolution {
  Window window;
  int64_t n_batch;
  int64_t n_groups;
  int64_t n_inputs;   ///< channels of a group
  int64_t n_outputs;  ///< channels of a group
};

auto convolution_of(const Node& node, const Shape& x, const Shape& weights) -> Result<Convolution> {
  if (x.size() < 3 || weights.size() != x.size()) {
    return error_at(node, fmt::format("shapes {} and {} do not go together", shape_text(x),
                                      shape_text(weights)));
  }
  const std::vector<int64_t> kernel(weights.begin() + 2, weights.end());
  if (integers_of(node, "kernel_shape", kernel) != kernel) {
    return error_at(node, "the kernel has another shape than its weights");
  }
  Result<Window> window = window_of(node, x, kernel);
  if (!window) {
    return window.error();
  }
  const int64_t groups = integer_of(node, "group", 1);
  if (groups < 1 || weights[0] % groups != 0 || x[1] != weights[1] * groups) {
    return error_at(node, fmt::format("shapes {} and {} do not go together in {} groups",
                                      shape_text(x), shape_text(weights), groups));
  }
  return Convolution{*window, x[0], groups, weights[1], weights[0] / groups};
}

auto convolved_shape(const Convolution& convolution) -> Shape {
  const auto& [rows, columns] = convolution.window.directions;
  Shape shape{convolution.n_batch, convolution.n_groups * convolution.n_outputs};
  if (!convolution.window.is_signal) {
    shape.push_back(rows.n_places);
  }
  shape.push_back(columns.n_places);
  return shape;
}

/// One element of the result.
auto convolved_at(const Convolution& convolution, const double* image, const double* weights,
                  int64_t y, int64_t x) -> double {
  const auto& [rows, columns] = convolution.window.directions;
  double sum = 0;
  for (int64_t c = 0; c < convolution.n_inputs; ++c) {
    for (int64_t j = 0; j < rows.kernel; ++j) {
      const int64_t row = rows.at(y, j);
      if (row < 0 || row >= rows.extent) {
        continue;
      }
      for (int64_t i = 0; i < columns.kernel; ++i) {
        const int64_t column = columns.at(x, i);
        if (column >= 0 && column < columns.extent) {
          sum += image[(c * rows.extent + row) * columns.extent + column] *
                 weights[(c * rows.kernel + j) * columns.kernel + i];
        }
      }
    }
  }
  return sum;
}

auto evaluate_convolution(const Call& call) -> Tensors {
  const Tensor& x = call.input(0);
  const Tensor& weights = call.input(1);
  Result<Convolution> convolution = convolution_of(call.node, x.shape, weights.shape);
  if (!convolution) {
    return convolution.error();
  }
  Result<Tensor> result = zeros(convolved_shape(*convolution), Elements::Real);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  const auto& [rows, columns] = convolution->window.directions;
  const int64_t size = convolution->n_inputs * rows.kernel * columns.kernel;
  const int64_t image_size = convolution->n_inputs * rows.extent * columns.extent;
  const int64_t n_channels = convolution->n_groups * convolution->n_outputs;
  if (call.has(2) && static_cast<int64_t>(call.input(2).values.size()) != n_channels) {
    return error_at(call.node, "the bias has another number of channels");
  }
  Status taken = call.budget.take(
      call.node, static_cast<double>(result->values.size()) * static_cast<double>(size));
  if (!taken) {
    return taken.error();
  }
  double* out = result->values.data();
  for (int64_t n = 0; n < convolution->n_batch; ++n) {
    for (int64_t f = 0; f < n_channels; ++f) {
      const int64_t group = n * convolution->n_groups + f / convolution->n_outputs;
      const double bias = call.has(2) ? call.input(2).values[static_cast<size_t>(f)] : 0;
      for (int64_t y = 0; y < rows.n_places; ++y) {
        for (int64_t column = 0; column < columns.n_places; ++column) {
          *out++ = bias + convolved_at(*convolution, x.values.data() + group * image_size,
                                       weights.values.data() + f * size, y, column);
        }
      }
    }
  }
  return std::vector{std::move(*result)};
}

auto parts_of_extent(int64_t extent) -> std::vector<int64_t> {
  return extent == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{extent};
}

/// The channels of the input in parts of which the first is the group.
auto grouped_channels(Lowering& lowering, Stored& x, const Convolution& convolution)
    -> std::vector<int64_t> {
  std::vector<std::vector<int64_t>> all = {parts_of(x)[1]};
  if (convolution.n_groups > 1) {
    all.push_back({convolution.n_groups, convolution.n_inputs});
  }
  std::vector<int64_t> parts = refined(all);
  if (parts.empty() && x.shape()[1] > 1) {
    x = with_whole_dims(lowering, x, {false, true});
    parts = refined({parts_of(x)[1], {convolution.n_groups, convolution.n_inputs}});
  }
  return parts;
}

/// How many of the parts make the groups.
auto count_group_parts(const std::vector<int64_t>& parts, int64_t n_groups) -> size_t {
  size_t n = 0;
  for (int64_t extent = 1; extent < n_groups; ++n) {
    extent *= parts[n];
  }
  return n;
}

/// The library's layer does what has one group, stride 1 and no padding, on an image.
auto library_convolution(Lowering& lowering, const Convolution& convolution, const Stored& x,
                         const Stored& weights, const Stored* bias) -> std::string {
  const auto& [rows, columns] = convolution.window.directions;
  for (const Direction& direction : {rows, columns}) {
    if (direction.stride != 1 || direction.dilation != 1 || direction.pad_begin != 0 ||
        direction.pad_end != 0) {
      return "";
    }
  }
  bool is_plain = bias != nullptr && convolution.n_groups == 1 && convolution.n_batch == 1 &&
                  weights.rank() == 4 && bias->rank() == 1 && x.rank() == 3;
  for (size_t d = 1; is_plain && d < x.dims.size(); ++d) {
    is_plain = x.dims[d].size() == 1 && x.dims[d][0].place == d - 1;
  }
  if (!is_plain || rows.n_places == 1 || columns.n_places == 1) {
    return "";
  }
  lowering.imports.insert("std/learning");
  return fmt::format("convolution_layer({}, {}, {})", x.name, weights.name, bias->name);
}

auto counter_name_of(const std::vector<Counter>& counters) -> std::string {
  return counters.empty() ? "" : counters.front().name;
}

// The parts of a convolution: how its channels are divided, and what is stored in these parts.
struct Operands {
  Stored x;
  Stored weights;
  std::optional<Stored> bias;
  std::vector<int64_t> inputs;   // parts of the channels that one output reads
  std::vector<int64_t> outputs;  // parts of the channels of the result, groups first
  size_t n_group_parts = 0;
};

auto operands_of(Lowering& lowering, const Node& node, const Convolution& convolution,
                 const Tensor& kernel, const Tensor* shift) -> Operands {
  Operands result;
  result.x =
      with_whole_dims(lowering, stored_of(lowering, node.inputs[0]), {false, false, true, true});
  const std::vector<int64_t> channels = grouped_channels(lowering, result.x, convolution);
  result.n_group_parts = count_group_parts(channels, convolution.n_groups);
  const auto own = channels.begin() + static_cast<std::ptrdiff_t>(result.n_group_parts);
  result.inputs.assign(own, channels.end());
  result.outputs.assign(channels.begin(), own);
  for (const int64_t extent : parts_of_extent(convolution.n_outputs)) {
    result.outputs.push_back(extent);
  }
  std::vector<std::vector<int64_t>> kernel_parts = {result.outputs, result.inputs};
  for (size_t d = 2; d < kernel.shape.size(); ++d) {
    kernel_parts.push_back(parts_of_extent(kernel.shape[d]));
  }
  result.weights = weights_of(lowering, node.inputs[1], kernel, kernel_parts);
  if (shift != nullptr) {
    result.bias = weights_of(lowering, node.inputs[2], *shift, {result.outputs});
  }
  return result;
}

// Defines the result as the sum over channels and places of the kernel.
void define_as_sum(Lowering& lowering, const Node& node, const Window& window,
                   const Operands& operands) {
  const auto& [rows, columns] = window.directions;
  const Counters batch = counters_for(lowering, {parts_of(operands.x)[0]});
  const Counters of_output = counters_for(lowering, {operands.outputs});
  const Counters places =
      counters_for(lowering, {parts_of_extent(rows.n_places), parts_of_extent(columns.n_places)});
  const Counters of_input = counters_for(lowering, {operands.inputs});
  const Counters of_kernel =
      counters_for(lowering, {parts_of_extent(rows.kernel), parts_of_extent(columns.kernel)});
  // The counters of the input's channels: those of the groups, then its own.
  std::vector<Counter> channel(
      of_output[0].begin(),
      of_output[0].begin() + static_cast<std::ptrdiff_t>(operands.n_group_parts));
  channel.insert(channel.end(), of_input[0].begin(), of_input[0].end());
  Counters at_x = {batch[0], channel};
  Counters at_weights = {of_output[0], of_input[0]};
  Counters result = {batch[0], of_output[0]};
  for (size_t d = window.is_signal ? 1 : 0; d < 2; ++d) {
    // An index as text, for what is not a counter.
    const std::string index = window_index(window.directions[d], counter_name_of(places[d]),
                                           counter_name_of(of_kernel[d]));
    at_x.push_back({{index, window.directions[d].extent}});
    at_weights.push_back(of_kernel[d]);
    result.push_back(places[d]);
  }
  std::vector<Counter> joined = of_input[0];
  joined.insert(joined.end(), of_kernel[0].begin(), of_kernel[0].end());
  joined.insert(joined.end(), of_kernel[1].begin(), of_kernel[1].end());
  std::string text = reduced(
      "sum", joined,
      fmt::format("{} * {}", element(operands.x, at_x), element(operands.weights, at_weights)));
  if (operands.bias) {
    text += " + " + element(*operands.bias, of_output);
  }
  define(lowering, node, result, text, Elements::Real);
}

auto lower_convolution(Lowering& lowering, const Node& node) -> Status {
  const Tensor* kernel = constant_of(lowering, node.inputs[1]);
  const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
  const Tensor* shift = has_bias ? constant_of(lowering, node.inputs[2]) : nullptr;
  if (kernel == nullptr || (has_bias && shift == nullptr)) {
    return error_at(node, "its weights have to be constants");
  }
  Result<Convolution> convolution =
      convolution_of(node, stored_of(lowering, node.inputs[0]).shape(), kernel->shape);
  if (!convolution) {
    return convolution.error();
  }
  for (const Direction& direction : convolution->window.directions) {
    if (direction.extent == 1 && direction.kernel > 1) {
      return error_at(node, "the image has one row or column, and the kernel more");
    }
  }
  const Operands operands = operands_of(lowering, node, *convolution, *kernel, shift);
  const std::string called =
      library_convolution(lowering, *convolution, operands.x, operands.weights,
                          operands.bias ? &*operands.bias : nullptr);
  if (!called.empty()) {
    const auto& [rows, columns] = convolution->window.directions;
    Stored stored = define(lowering, node, Counters(4), called, Elements::Real);
    stored.dims = {
        {}, {{convolution->n_outputs, 0}}, {{rows.n_places, 1}}, {{columns.n_places, 2}}};
    lowering.stored[node.outputs[0]] = stored;
    return std::monostate{};
  }
  define_as_sum(lowering, node, convolution->window, operands);
  return std::monostate{};
}

}  // namespace

auto convolution_operators() -> std::vector<Operator> {
  return {{"", "Conv", 2, evaluate_convolution, lower_convolution}};
}

}  // namespace tacet::importer
