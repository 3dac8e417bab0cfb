#include "importer/operators/moved.h"

#include <fmt/format.h>

namespace tacet::importer {

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

}  // namespace tacet::importer
