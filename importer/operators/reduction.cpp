// Reductions along dimensions.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "importer/lowering.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

namespace {

/// Which dimensions a node reduces, and what is left of them.
struct Reduction {
  std::vector<bool> is_reduced;
  bool keeps = true;
  int64_t n_joined = 1;  ///< elements that make one
};

auto reduction_of(const Node& node, const Tensor* axes, const Shape& shape) -> Result<Reduction> {
  const bool names_axes = axes != nullptr || find_attribute(node, "axes") != nullptr;
  Reduction reduction;
  reduction.is_reduced.assign(shape.size(), false);
  reduction.keeps = integer_of(node, "keepdims", 1) != 0;
  if (!names_axes && integer_of(node, "noop_with_empty_axes", 0) != 0) {
    return reduction;
  }
  Result<std::vector<size_t>> resolved = axes_of(node, axes, shape.size());
  if (!resolved) {
    return resolved.error();
  }
  for (const size_t axis : *resolved) {
    reduction.is_reduced[axis] = true;
    reduction.n_joined *= shape[axis];
  }
  return reduction;
}

auto reduced_shape(const Reduction& reduction, const Shape& shape, bool keeps) -> Shape {
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!reduction.is_reduced[d]) {
      result.push_back(shape[d]);
    } else if (keeps) {
      result.push_back(1);
    }
  }
  return result;
}

/// What is done with elements, with their sum or extreme, and how both are written.
struct ReductionKind {
  std::string_view name;
  std::string_view function;  ///< `sum`, `max`, `min`
  std::function<double(double)> before;
  std::string before_text;
  std::function<double(double, double)> after;  ///< of the number of elements, too
  std::string after_text;                       ///< `{0}`, and `{1}` for the number
};

auto joined(std::string_view function, double a, double b) -> double {
  return function == "sum" ? a + b : function == "max" ? std::max(a, b) : std::min(a, b);
}

auto evaluate_reduction(const Call& call, const ReductionKind& kind) -> Tensors {
  const Tensor& x = call.input(0);
  Result<Reduction> reduction =
      reduction_of(call.node, call.has(1) ? call.inputs[1] : nullptr, x.shape);
  if (!reduction) {
    return reduction.error();
  }
  const Shape kept = reduced_shape(*reduction, x.shape, true);
  Result<Tensor> result = zeros(kept, x.elements);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double start = kind.function == "sum" ? 0 : kind.function == "max" ? -kInfinity : kInfinity;
  std::fill(result->values.begin(), result->values.end(), start);
  const Shape strides = broadcast_strides(kept, x.shape);
  Places places(x.shape);
  for (const double value : x.values) {
    double& sum = result->values[places.offset(strides)];
    sum = joined(kind.function, sum, kind.before(value));
    places.advance();
  }
  for (double& value : result->values) {
    value = kind.after(value, static_cast<double>(reduction->n_joined));
  }
  result->shape = reduced_shape(*reduction, x.shape, reduction->keeps);
  return std::vector{std::move(*result)};
}

/// The counters of the dimensions that stay, and of the others.
struct Divided {
  Counters kept;
  std::vector<Counter> joined;
};

auto divided(const Counters& counters, const Reduction& reduction) -> Divided {
  Divided result;
  for (size_t d = 0; d < counters.size(); ++d) {
    if (!reduction.is_reduced[d]) {
      result.kept.push_back(counters[d]);
      continue;
    }
    result.joined.insert(result.joined.end(), counters[d].begin(), counters[d].end());
    if (reduction.keeps) {
      result.kept.emplace_back();
    }
  }
  return result;
}

auto lower_reduction(Lowering& lowering, const Node& node, const ReductionKind& kind) -> Status {
  const Tensor* axes = nullptr;
  if (node.inputs.size() > 1 && !node.inputs[1].empty()) {
    axes = constant_of(lowering, node.inputs[1]);
    if (axes == nullptr) {
      return error_at(node, "its axes have to be constants");
    }
  }
  const Stored x = stored_of(lowering, node.inputs[0]);
  Result<Reduction> reduction = reduction_of(node, axes, x.shape());
  if (!reduction) {
    return reduction.error();
  }
  const Counters counters = counters_for(lowering, parts_of(x));
  const Divided by = divided(counters, *reduction);
  const std::string inner = fmt::format(fmt::runtime(kind.before_text), element(x, counters));
  const std::string all = reduced(kind.function, by.joined, inner);
  const std::string number = literal(static_cast<double>(reduction->n_joined), x.elements);
  define(lowering, node, by.kept, fmt::format(fmt::runtime(kind.after_text), all, number),
         x.elements);
  return std::monostate{};
}

auto reduction_operator(const ReductionKind& kind) -> Operator {
  return {"", kind.name, 1, [kind](const Call& call) { return evaluate_reduction(call, kind); },
          [kind](Lowering& lowering, const Node& node) {
            return lower_reduction(lowering, node, kind);
          }};
}

auto evaluate_extreme_place(const Call& call, bool is_largest) -> Tensors {
  const Tensor& x = call.input(0);
  Result<size_t> axis = resolved_axis(call.node, integer_of(call.node, "axis", 0), x.shape.size());
  if (!axis) {
    return axis.error();
  }
  Shape shape = x.shape;
  const int64_t n = shape[*axis];
  shape[*axis] = 1;
  const int64_t step = strides_of(x.shape)[*axis];
  const Shape strides = broadcast_strides(x.shape, x.shape);
  Result<Tensor> result = zeros(shape, Elements::Integer);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  Places places(shape);
  for (double& place : result->values) {
    const size_t begin = places.offset(strides);
    double best = x.values[begin];
    for (int64_t i = 1; i < n; ++i) {
      const double value = x.values[begin + static_cast<size_t>(i * step)];
      if (is_largest ? value > best : value < best) {
        best = value;
        place = static_cast<double>(i);
      }
    }
    places.advance();
  }
  if (integer_of(call.node, "keepdims", 1) == 0) {
    result->shape.erase(result->shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return std::vector{std::move(*result)};
}

auto lower_extreme_place(Lowering& lowering, const Node& node, bool is_largest) -> Status {
  if (integer_of(node, "select_last_index", 0) != 0) {
    return error_at(node, "of several greatest numbers only the first one is supported");
  }
  Stored x = stored_of(lowering, node.inputs[0]);
  Result<size_t> axis = resolved_axis(node, integer_of(node, "axis", 0), x.dims.size());
  if (!axis) {
    return axis.error();
  }
  std::vector<bool> is_whole(x.dims.size(), false);
  is_whole[*axis] = true;
  x = with_whole_dims(lowering, x, is_whole);
  Counters counters = counters_for(lowering, parts_of(x));
  const std::vector<Counter> along = counters[*axis];
  const std::string at = element(x, counters);
  const std::string sign = is_largest ? "" : "-";
  std::string text = "0";
  if (!along.empty()) {
    const bool is_integer = x.elements == Elements::Integer;
    text = fmt::format("{}(for {}: {} {{ {}{} }})", is_integer ? "argmax_i64" : "argmax",
                       along[0].name, along[0].extent, sign, at);
    lowering.imports.insert("std/learning");
    require_parties(lowering, node);
  }
  counters[*axis].clear();
  if (integer_of(node, "keepdims", 1) == 0) {
    counters.erase(counters.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  define(lowering, node, counters, text, Elements::Integer);
  return std::monostate{};
}

auto place_operator(std::string_view name, bool is_largest) -> Operator {
  return {"", name, 1, [=](const Call& call) { return evaluate_extreme_place(call, is_largest); },
          [=](Lowering& lowering, const Node& node) {
            return lower_extreme_place(lowering, node, is_largest);
          }};
}

}  // namespace

auto reduction_operators() -> std::vector<Operator> {
  const auto same = [](double x) { return x; };
  const auto all = [](double x, double) { return x; };
  const auto square = [](double x) { return x * x; };
  const std::vector<ReductionKind> kinds = {
      {"ReduceSum", "sum", same, "{0}", all, "{0}"},
      {"ReduceMean", "sum", same, "{0}", [](double x, double n) { return x / n; }, "{0} / {1}"},
      {"ReduceMax", "max", same, "{0}", all, "{0}"},
      {"ReduceMin", "min", same, "{0}", all, "{0}"},
      {"ReduceL1", "sum", [](double x) { return std::abs(x); }, "abs({0})", all, "{0}"},
      {"ReduceL2", "sum", square, "{0} * {0}", [](double x, double) { return std::sqrt(x); },
       "sqrt({0})"},
      {"ReduceSumSquare", "sum", square, "{0} * {0}", all, "{0}"},
      {"ReduceLogSum", "sum", same, "{0}", [](double x, double) { return std::log(x); },
       "log({0})"},
  };
  std::vector<Operator> operators;
  for (const ReductionKind& kind : kinds) {
    operators.push_back(reduction_operator(kind));
  }
  operators.push_back(place_operator("ArgMax", true));
  operators.push_back(place_operator("ArgMin", false));
  return operators;
}

}  // namespace tacet::importer
