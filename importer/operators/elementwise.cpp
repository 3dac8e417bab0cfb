#include "importer/operators/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacet::importer {

auto evaluate_elementwise(const Call& call,
                          const std::function<double(const std::vector<double>&)>& compute,
                          Elements elements) -> Tensors {
  Shape shape;
  for (const Tensor* input : call.inputs) {
    if (input == nullptr) {
      return error_at(call.node, "an input is left out");
    }
    Result<Shape> both = broadcast_shape(call.node, shape, input->shape);
    if (!both) {
      return both.error();
    }
    shape = std::move(*both);
  }
  Result<Tensor> result = zeros(shape, elements);
  if (!result) {
    return error_at(call.node, result.error().message);
  }
  std::vector<Shape> strides;
  for (const Tensor* input : call.inputs) {
    strides.push_back(broadcast_strides(input->shape, shape));
  }
  std::vector<double> operands(call.inputs.size());
  Places places(shape);
  for (double& value : result->values) {
    for (size_t i = 0; i < operands.size(); ++i) {
      operands[i] = call.inputs[i]->values[places.offset(strides[i])];
    }
    value = compute(operands);
    places.advance();
  }
  return std::vector{std::move(*result)};
}

namespace {

/// Of a constant with one value everywhere, that value.
auto uniform_value(const Tensor& tensor) -> std::optional<double> {
  const double first = tensor.values.front();
  const bool is_uniform =
      std::all_of(tensor.values.begin(), tensor.values.end(), [&](double v) { return v == first; });
  return is_uniform ? std::optional(first) : std::nullopt;
}

struct Broadcast {
  Shape shape;
  std::vector<std::vector<int64_t>> parts;
};

/// The dimension of an operand that dimension `d` of the result reads; nothing if it has none.
auto own_dimension(size_t rank, size_t result_rank, size_t d) -> std::optional<size_t> {
  const size_t shift = result_rank - rank;
  return d >= shift ? std::optional(d - shift) : std::nullopt;
}

/// The parts that the result has to have so that each operand can be read at them.
auto common_parts(Lowering& lowering, std::vector<Stored>& operands, const Shape& shape)
    -> std::vector<std::vector<int64_t>> {
  std::vector<std::vector<int64_t>> parts;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::vector<int64_t>> all;
    for (const Stored& operand : operands) {
      const auto own = own_dimension(operand.dims.size(), shape.size(), d);
      if (own && !operand.dims[*own].empty()) {
        all.push_back(parts_of(operand)[*own]);
      }
    }
    std::vector<int64_t> common = refined(all);
    if (common.empty() && !all.empty()) {
      // Parts that do not divide each other, as 2 times 3 and 3 times 2.
      for (Stored& operand : operands) {
        std::vector<bool> is_whole(operand.dims.size(), false);
        if (const auto own = own_dimension(operand.dims.size(), shape.size(), d)) {
          is_whole[*own] = true;
          operand = with_whole_dims(lowering, operand, is_whole);
        }
      }
      common = {shape[d]};
    }
    if (all.empty() && shape[d] > 1) {
      common = {shape[d]};
    }
    parts.push_back(std::move(common));
  }
  return parts;
}

/// Constants get the parts that the result has.
auto weights_at(Lowering& lowering, const std::string& tensor, const Tensor& constant,
                const std::vector<std::vector<int64_t>>& parts) -> Stored {
  std::vector<std::vector<int64_t>> own;
  for (size_t d = 0; d < constant.shape.size(); ++d) {
    own.push_back(constant.shape[d] == 1 ? std::vector<int64_t>{}
                                         : parts[parts.size() - constant.shape.size() + d]);
  }
  return weights_of(lowering, tensor, constant, own);
}

auto counters_of(const Stored& operand, const Counters& counters) -> Counters {
  const size_t shift = counters.size() - operand.dims.size();
  Counters own(counters.begin() + static_cast<std::ptrdiff_t>(shift), counters.end());
  for (size_t d = 0; d < own.size(); ++d) {
    if (operand.dims[d].empty()) {
      own[d].clear();
    }
  }
  return own;
}

}  // namespace

auto lower_elementwise(
    Lowering& lowering, const Node& node, const std::vector<std::string>& inputs, Elements elements,
    const std::function<Result<std::string>(const std::vector<ElementOperand>&)>& write) -> Status {
  Shape shape;
  std::vector<Stored> arrays;
  for (const std::string& input : inputs) {
    Result<Shape> both = broadcast_shape(node, shape, shape_of(lowering, input));
    if (!both) {
      return both.error();
    }
    shape = std::move(*both);
    if (constant_of(lowering, input) == nullptr) {
      arrays.push_back(stored_of(lowering, input));
    }
  }
  const std::vector<std::vector<int64_t>> parts = common_parts(lowering, arrays, shape);
  const Counters counters = counters_for(lowering, parts);
  std::vector<ElementOperand> operands;
  size_t n_arrays = 0;
  for (const std::string& input : inputs) {
    const Tensor* constant = constant_of(lowering, input);
    const auto uniform = constant != nullptr ? uniform_value(*constant) : std::nullopt;
    if (uniform) {
      operands.push_back({literal(*uniform, constant->elements), uniform, constant->elements});
      continue;
    }
    const Stored operand =
        constant != nullptr ? weights_at(lowering, input, *constant, parts) : arrays[n_arrays++];
    operands.push_back(
        {element(operand, counters_of(operand, counters)), std::nullopt, operand.elements});
  }
  Result<std::string> text = write(operands);
  if (!text) {
    return text.error();
  }
  define(lowering, node, counters, *text, elements);
  return std::monostate{};
}

}  // namespace tacet::importer
