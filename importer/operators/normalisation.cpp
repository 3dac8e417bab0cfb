// Softmax and layer normalisation.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/lowering.h"
#include "importer/names.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

/// The first of the dimensions that are normalised together, up to and without `end`.
struct NormalisedDims {
  size_t begin;
  size_t end;
};

/// Of `Softmax`: one dimension, and before version 13 all from an axis on.
auto softmax_dims(const Node& node, int64_t opset, size_t rank) -> Result<NormalisedDims> {
  constexpr int64_t kOneDimension = 13;
  const bool is_one = opset >= kOneDimension;
  Result<size_t> axis = resolved_axis(node, integer_of(node, "axis", is_one ? -1 : 1), rank);
  if (!axis) {
    return axis.error();
  }
  return NormalisedDims{*axis, is_one ? *axis + 1 : rank};
}

/// Calls `normalise` with the places of each group of elements that are normalised together.
void for_each_row(const Shape& shape, NormalisedDims dims,
                  const std::function<void(const std::vector<size_t>&)>& normalise) {
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t n = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    (d < dims.begin ? outer : d < dims.end ? n : inner) *= shape[d];
  }
  std::vector<size_t> places(static_cast<size_t>(n));
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < inner; ++j) {
      for (int64_t k = 0; k < n; ++k) {
        places[static_cast<size_t>(k)] = static_cast<size_t>((i * n + k) * inner + j);
      }
      normalise(places);
    }
  }
}

auto evaluate_softmax(const Call& call, bool is_log) -> Tensors {
  Tensor result = call.input(0);
  Result<NormalisedDims> dims = softmax_dims(call.node, call.opset, result.shape.size());
  if (!dims) {
    return dims.error();
  }
  for_each_row(result.shape, *dims, [&](const std::vector<size_t>& places) {
    double greatest = result.values[places[0]];
    for (const size_t place : places) {
      greatest = std::max(greatest, result.values[place]);
    }
    double sum = 0;
    for (const size_t place : places) {
      sum += std::exp(result.values[place] - greatest);
    }
    for (const size_t place : places) {
      const double shifted = result.values[place] - greatest;
      result.values[place] = is_log ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  });
  return std::vector{std::move(result)};
}

/// A tensor whose elements are normalised in rows: `row` is one as an expression, under the
/// counters of the other dimensions.
struct Rows {
  std::string row;
  Counters outer;
  Counters all;
};

auto rows_of(Lowering& lowering, const Stored& x, NormalisedDims dims) -> Rows {
  Rows rows;
  rows.all = counters_for(lowering, parts_of(x));
  rows.outer = rows.all;
  std::vector<Counter> inner;
  for (size_t d = dims.begin; d < dims.end; ++d) {
    inner.insert(inner.end(), rows.all[d].begin(), rows.all[d].end());
    rows.outer[d].clear();
  }
  const std::string at = element(x, rows.all);
  const std::string last = inner.empty() ? "" : fmt::format("[{}]", inner.back().name);
  rows.row = inner.empty()                             ? fmt::format("[{}]", at)
             : inner.size() == 1 && at.ends_with(last) ? at.substr(0, at.size() - last.size())
                                                       : loops({inner}, at);
  return rows;
}

/// Defines the output by an expression that is a row, the innermost dimension of its array.
auto define_rows(Lowering& lowering, const Node& node, NormalisedDims dims, const Rows& rows,
                 std::string expression) -> Stored {
  const bool is_unit = std::all_of(rows.all.begin() + static_cast<std::ptrdiff_t>(dims.begin),
                                   rows.all.begin() + static_cast<std::ptrdiff_t>(dims.end),
                                   [](const auto& parts) { return parts.empty(); });
  expression += is_unit ? "[0]" : "";
  Stored stored = define(lowering, node, rows.outer, expression, Elements::Real);
  size_t place = stored.rank();
  for (size_t d = dims.begin; d < dims.end; ++d) {
    for (const Counter& part : rows.all[d]) {
      stored.dims[d].push_back({part.extent, place++});
    }
  }
  lowering.stored[node.outputs[0]] = stored;
  return stored;
}

/// Rows are arrays of one dimension. Where several dimensions are normalised together, only one may
/// be larger than 1.
auto check_rows(const Node& node, const Stored& x, NormalisedDims dims) -> Status {
  size_t n = 0;
  for (size_t d = dims.begin; d < dims.end; ++d) {
    n += x.dims[d].size();
  }
  return n <= 1 ? Status(std::monostate{})
                : error_at(node, "normalises several dimensions together; `Reshape` them into one");
}

constexpr std::string_view kLogSoftmax =
    "/// The logarithm of `softmax`.\n"
    "fn({device}) log_softmax'<n>(x: secret [fxp; n] in -65536..65536) -> secret [fxp; n] where n "
    "<= 1048576 {{\n"
    "let greatest = max(x);\n"
    "let total = log(max(sum(for i: n {{ exp(min(x[i] - greatest, 0)) }}), 0.5));\n"
    "for i: n {{ x[i] - greatest - total }}\n"
    "}}";

auto lower_softmax(Lowering& lowering, const Node& node, bool is_log) -> Status {
  Stored x = stored_of(lowering, node.inputs[0]);
  Result<NormalisedDims> dims = softmax_dims(node, lowering.opset, x.dims.size());
  if (!dims) {
    return dims.error();
  }
  std::vector<bool> is_whole(x.dims.size(), false);
  std::fill(is_whole.begin() + static_cast<std::ptrdiff_t>(dims->begin),
            is_whole.begin() + static_cast<std::ptrdiff_t>(dims->end), true);
  x = with_whole_dims(lowering, x, is_whole);
  if (Status fits = check_rows(node, x, *dims); !fits) {
    return fits;
  }
  if (!is_log) {
    lowering.imports.insert("std/learning");
  } else if (lowering.names.insert("log_softmax").second) {
    lowering.functions.emplace_back(kLogSoftmax);
  }
  const Rows rows = rows_of(lowering, x, *dims);
  define_rows(lowering, node, *dims, rows,
              fmt::format("{}({})", is_log ? "log_softmax" : "softmax", rows.row));
  require_parties(lowering, node);
  return std::monostate{};
}

auto evaluate_layer_normalisation(const Call& call) -> Tensors {
  Tensor result = call.input(0);
  const size_t rank = result.shape.size();
  Result<size_t> axis = resolved_axis(call.node, integer_of(call.node, "axis", -1), rank);
  if (!axis) {
    return axis.error();
  }
  const double epsilon = number_of(call.node, "epsilon", 1e-5);
  const Tensor& gain = call.input(1);
  const Tensor* shift = call.has(2) ? call.inputs[2] : nullptr;
  size_t size = 1;
  for (size_t d = *axis; d < rank; ++d) {
    size *= static_cast<size_t>(result.shape[d]);
  }
  if (gain.values.size() != size || (shift != nullptr && shift->values.size() != size)) {
    return error_at(call.node, "its scale and bias have to have the shape that is normalised");
  }
  for_each_row(result.shape, {*axis, rank}, [&](const std::vector<size_t>& places) {
    const auto n = static_cast<double>(places.size());
    double mean = 0;
    double variance = 0;
    for (const size_t place : places) {
      mean += result.values[place] / n;
    }
    for (const size_t place : places) {
      variance += (result.values[place] - mean) * (result.values[place] - mean) / n;
    }
    for (const size_t place : places) {
      result.values[place] = (result.values[place] - mean) / std::sqrt(variance + epsilon);
    }
  });
  for (size_t i = 0; i < result.values.size(); ++i) {
    const double summand = shift != nullptr ? shift->values[i % size] : 0;
    result.values[i] = result.values[i] * gain.values[i % size] + summand;
  }
  return std::vector{std::move(result)};
}

constexpr std::string_view kNormalised =
    "/// Numbers shifted and scaled to a mean of 0 and a variance of 1.\n"
    "fn({{device}}) {}'<n>(x: secret [fxp; n] in -1024..1024) -> secret [fxp; n] where n <= "
    "1048576 "
    "{{{{\n"
    "let mean = sum(x) / n;\n"
    "let variance = sum(for i: n {{{{ (x[i] - mean) * (x[i] - mean) }}}}) / n;\n"
    "let scale = rsqrt(max(variance, 0.0) + {});\n"
    "for i: n {{{{ (x[i] - mean) * scale }}}}\n"
    "}}}}";

auto lower_layer_normalisation(Lowering& lowering, const Node& node) -> Status {
  constexpr double kUnit = 1.0 / (1 << 18);
  Stored x = stored_of(lowering, node.inputs[0]);
  Result<size_t> axis = resolved_axis(node, integer_of(node, "axis", -1), x.dims.size());
  const Tensor* gain = constant_of(lowering, node.inputs[1]);
  const bool has_shift = node.inputs.size() > 2 && !node.inputs[2].empty();
  const Tensor* shift = has_shift ? constant_of(lowering, node.inputs[2]) : nullptr;
  if (!axis) {
    return axis.error();
  }
  if (gain == nullptr || (has_shift && shift == nullptr)) {
    return error_at(node, "its scale and bias have to be constants");
  }
  const NormalisedDims dims{*axis, x.dims.size()};
  std::vector<bool> is_whole(x.dims.size(), false);
  std::fill(is_whole.begin() + static_cast<std::ptrdiff_t>(*axis), is_whole.end(), true);
  x = with_whole_dims(lowering, x, is_whole);
  if (Status fits = check_rows(node, x, dims); !fits) {
    return fits;
  }
  const double epsilon = std::max(number_of(node, "epsilon", 1e-5), kUnit);
  const std::string name = fresh_name(lowering, "normalised");
  lowering.functions.push_back(
      fmt::format(fmt::runtime(kNormalised), name, literal(epsilon, Elements::Real)));
  const Rows rows = rows_of(lowering, x, dims);
  const Stored normalised =
      define_rows(lowering, node, dims, rows, fmt::format("{}({})", name, rows.row));
  const Counters counters = counters_for(lowering, parts_of(normalised));
  Counters own(counters.begin() + static_cast<std::ptrdiff_t>(*axis), counters.end());
  const auto weight = [&](const Tensor& tensor, const std::string& wish) {
    Tensor whole = tensor;
    std::vector<std::vector<int64_t>> parts = parts_of(normalised);
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(*axis));
    return element(weights_of(lowering, wish, std::move(whole), parts), own);
  };
  std::string text =
      fmt::format("{} * {}", element(normalised, counters), weight(*gain, node.inputs[1]));
  if (shift != nullptr) {
    text += " + " + weight(*shift, node.inputs[2]);
  }
  define(lowering, node, counters, text, Elements::Real);
  require_parties(lowering, node);
  return std::monostate{};
}

}  // namespace

auto normalisation_operators() -> std::vector<Operator> {
  return {
      {"", "Softmax", 1, [](const Call& call) { return evaluate_softmax(call, false); },
       [](Lowering& lowering, const Node& node) { return lower_softmax(lowering, node, false); }},
      {"", "LogSoftmax", 1, [](const Call& call) { return evaluate_softmax(call, true); },
       [](Lowering& lowering, const Node& node) { return lower_softmax(lowering, node, true); }},
      {"", "LayerNormalization", 2, evaluate_layer_normalisation, lower_layer_normalisation},
      // Always rewritten before it is evaluated.
      {"", "BatchNormalization", 5, nullptr, nullptr},
  };
}

}  // namespace tacet::importer
