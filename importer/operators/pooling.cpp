// Greatest and mean numbers of windows.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "importer/lowering.h"
#include "importer/operators/operator.h"
#include "importer/operators/window.h"

namespace tacet::importer {

namespace {

enum class Pool : uint8_t { Max, Mean };

auto pool_window(const Node& node, const Shape& shape, bool is_global) -> Result<Window> {
  if (!is_global) {
    return window_of(node, shape, integers_of(node, "kernel_shape", {}));
  }
  return window_of(node, shape, shape.size() < 3 ? Shape{} : Shape(shape.begin() + 2, shape.end()));
}

auto pooled_shape(const Window& window, const Shape& shape) -> Shape {
  Shape result(shape.begin(), shape.begin() + 2);
  if (!window.is_signal) {
    result.push_back(window.directions[0].n_places);
  }
  result.push_back(window.directions[1].n_places);
  return result;
}

/// How many elements of the image a window has, or of the padded one.
auto window_count(const Direction& direction, int64_t place, bool counts_padding) -> int64_t {
  int64_t n = 0;
  for (int64_t k = 0; k < direction.kernel; ++k) {
    const int64_t at = direction.at(place, k);
    const bool is_inside = at >= 0 && at < direction.extent;
    n += is_inside || (counts_padding && at < direction.extent + direction.pad_end) ? 1 : 0;
  }
  return n;
}

auto pooled_at(const Window& window, const double* image, int64_t y, int64_t x, Pool pool,
               bool counts_padding) -> double {
  const auto& [rows, columns] = window.directions;
  double sum = 0;
  double greatest = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < rows.kernel; ++j) {
    for (int64_t i = 0; i < columns.kernel; ++i) {
      const int64_t row = rows.at(y, j);
      const int64_t column = columns.at(x, i);
      if (row >= 0 && row < rows.extent && column >= 0 && column < columns.extent) {
        sum += image[row * columns.extent + column];
        greatest = std::max(greatest, image[row * columns.extent + column]);
      }
    }
  }
  if (pool == Pool::Max) {
    return greatest;
  }
  return sum / static_cast<double>(window_count(rows, y, counts_padding) *
                                   window_count(columns, x, counts_padding));
}

auto evaluate_pool(const Call& call, Pool pool, bool is_global) -> Tensors {
  const Tensor& x = call.input(0);
  Result<Window> window = pool_window(call.node, x.shape, is_global);
  if (!window) {
    return window.error();
  }
  Result<Tensor> result = zeros(pooled_shape(*window, x.shape), Elements::Real);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  const auto& [rows, columns] = window->directions;
  Status taken = call.budget.take(call.node, static_cast<double>(result->values.size()) *
                                                 static_cast<double>(rows.kernel) *
                                                 static_cast<double>(columns.kernel));
  if (!taken) {
    return taken.error();
  }
  const bool counts_padding = integer_of(call.node, "count_include_pad", 0) != 0;
  const int64_t n_images = x.shape[0] * x.shape[1];
  double* out = result->values.data();
  for (int64_t image = 0; image < n_images; ++image) {
    for (int64_t y = 0; y < rows.n_places; ++y) {
      for (int64_t column = 0; column < columns.n_places; ++column) {
        *out++ = pooled_at(*window, x.values.data() + image * rows.extent * columns.extent, y,
                           column, pool, counts_padding);
      }
    }
  }
  return std::vector{std::move(*result)};
}

/// The image with its first and last rows and columns repeated, as often as windows reach beyond
/// it: the greatest number of a window stays the same, since each window has an element of the
/// image.
auto with_repeated_edges(Lowering& lowering, const Node& node, Stored x, Window& window) -> Stored {
  for (size_t d = 0; d < 2; ++d) {
    Direction& direction = window.directions[d];
    const int64_t end = std::max<int64_t>(direction.beyond(), 0);
    const size_t dim = x.dims.size() - 2 + d;
    if (direction.pad_begin + end == 0 || (d == 0 && window.is_signal)) {
      continue;
    }
    x = canonical(lowering, x);
    Counters counters = counters_for(lowering, parts_of(x));
    std::string row = x.name;
    for (size_t outer = 0; outer < dim; ++outer) {
      for (const Counter& own : counters[outer]) {
        row += fmt::format("[{}]", own.name);
      }
    }
    counters.resize(dim);
    std::string text = row;
    if (direction.pad_begin > 0) {
      text = fmt::format("[{}[0]; {}] ++ {}", row, direction.pad_begin, text);
    }
    if (end > 0) {
      text += fmt::format(" ++ [{}[{}]; {}]", row, direction.extent - 1, end);
    }
    Stored padded = define_value(lowering, node.outputs[0] + "_padded", counters, text, x.elements);
    padded.dims = x.dims;
    direction.extent += direction.pad_begin + end;
    padded.dims[dim] = {{direction.extent, x.dims[dim][0].place}};
    direction.pad_begin = 0;
    direction.pad_end = 0;
    x = padded;
  }
  return x;
}

/// `max_pool` and `mean_pool` do what has windows of two by two side by side.
auto library_pool(Lowering& lowering, const Window& window, const Stored& x, Pool pool)
    -> std::string {
  bool is_plain = x.rank() == 3 && x.dims.size() == 4;
  for (size_t d = 1; is_plain && d < 4; ++d) {
    is_plain = x.dims[d].size() == 1 && x.dims[d][0].place == d - 1;
  }
  for (const Direction& direction : window.directions) {
    is_plain = is_plain && direction.kernel == 2 && direction.stride == 2 &&
               direction.dilation == 1 && direction.pad_begin == 0 && direction.n_places > 1 &&
               direction.extent == 2 * direction.n_places;
  }
  if (!is_plain) {
    return "";
  }
  lowering.imports.insert("std/learning");
  // Sizes of which the arguments have the double are stated.
  return fmt::format("{}'<{}, {}, {}>({})", pool == Pool::Max ? "max_pool" : "mean_pool",
                     x.dims[1][0].extent, window.directions[0].n_places,
                     window.directions[1].n_places, x.name);
}

auto pool_extent(int64_t extent) -> std::vector<int64_t> {
  return extent == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{extent};
}

auto name_or_none(const std::vector<Counter>& counters) -> std::string {
  return counters.empty() ? "" : counters.front().name;
}

/// What a mean divides by: a number, or where windows have elements of the padding, one for each
/// place, whose reciprocal is a factor.
auto mean_of(Lowering& lowering, const Node& node, const Window& window, const std::string& sum,
             const Counters& places) -> std::string {
  const bool counts_padding = integer_of(node, "count_include_pad", 0) != 0;
  const auto& [rows, columns] = window.directions;
  Tensor factors{{rows.n_places, columns.n_places}, Elements::Real, {}};
  for (int64_t y = 0; y < rows.n_places; ++y) {
    for (int64_t x = 0; x < columns.n_places; ++x) {
      const int64_t n =
          window_count(rows, y, counts_padding) * window_count(columns, x, counts_padding);
      factors.values.push_back(1 / static_cast<double>(n));
    }
  }
  const double first = factors.values.front();
  if (std::all_of(factors.values.begin(), factors.values.end(),
                  [&](double factor) { return factor == first; })) {
    return fmt::format("{} / {}", sum, literal(1 / first, Elements::Real));
  }
  const Stored stored = weights_of(lowering, node.outputs[0] + "_factors", factors,
                                   {pool_extent(rows.n_places), pool_extent(columns.n_places)});
  return fmt::format("{} * {}", sum, element(stored, places));
}

auto lower_pool(Lowering& lowering, const Node& node, Pool pool, bool is_global) -> Status {
  if (node.outputs.size() > 1 && !node.outputs[1].empty()) {
    return error_at(node, "the places of greatest numbers are not supported, only the numbers");
  }
  Stored x = stored_of(lowering, node.inputs[0]);
  Result<Window> window = pool_window(node, x.shape(), is_global);
  if (!window) {
    return window.error();
  }
  if (x.dims.size() != 4 && x.dims.size() != 3) {
    return error_at(node, "only signals and images are supported");
  }
  std::vector<bool> is_whole(x.dims.size(), true);
  is_whole[0] = is_whole[1] = false;
  x = with_whole_dims(lowering, x, is_whole);
  for (const Direction& direction : window->directions) {
    if (pool == Pool::Max && direction.dilation > 1 &&
        (direction.pad_begin > 0 || direction.beyond() > 0)) {
      return error_at(node, "dilated windows beyond the edge are not supported");
    }
    if (direction.extent == 1 && direction.kernel > 1) {
      return error_at(node, "the image has one row or column, and the kernel more");
    }
  }
  if (pool == Pool::Max) {
    x = with_repeated_edges(lowering, node, x, *window);
  }
  const std::string called = library_pool(lowering, *window, x, pool);
  const auto& [rows, columns] = window->directions;
  if (!called.empty()) {
    Stored stored = define(lowering, node, Counters(4), called, Elements::Real);
    stored.dims = {{}, x.dims[1], {{rows.n_places, 1}}, {{columns.n_places, 2}}};
    lowering.stored[node.outputs[0]] = stored;
    return std::monostate{};
  }
  const std::vector<std::vector<int64_t>> parts = parts_of(x);
  Counters counters = counters_for(lowering, {parts[0], parts[1]});
  const Counters places =
      counters_for(lowering, {pool_extent(rows.n_places), pool_extent(columns.n_places)});
  const Counters kernel =
      counters_for(lowering, {pool_extent(rows.kernel), pool_extent(columns.kernel)});
  Counters at = counters;
  for (size_t d = window->is_signal ? 1 : 0; d < 2; ++d) {
    const Direction& direction = window->directions[d];
    at.push_back({{window_index(direction, name_or_none(places[d]), name_or_none(kernel[d])),
                   direction.extent}});
    counters.push_back(places[d]);
  }
  std::vector<Counter> joined = kernel[0];
  joined.insert(joined.end(), kernel[1].begin(), kernel[1].end());
  std::string text = reduced(pool == Pool::Max ? "max" : "sum", joined, element(x, at));
  if (pool == Pool::Mean) {
    text = mean_of(lowering, node, *window, text, places);
  }
  define(lowering, node, counters, text, Elements::Real);
  return std::monostate{};
}

auto pool_operator(std::string_view name, Pool pool, bool is_global) -> Operator {
  return {"", name, 1, [=](const Call& call) { return evaluate_pool(call, pool, is_global); },
          [=](Lowering& lowering, const Node& node) {
            return lower_pool(lowering, node, pool, is_global);
          }};
}

}  // namespace

auto pooling_operators() -> std::vector<Operator> {
  return {
      pool_operator("MaxPool", Pool::Max, false),
      pool_operator("AveragePool", Pool::Mean, false),
      pool_operator("GlobalMaxPool", Pool::Max, true),
      pool_operator("GlobalAveragePool", Pool::Mean, true),
  };
}

}  // namespace tacet::importer
