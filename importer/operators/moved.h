#pragma once

#include <functional>
#include <vector>

#include "importer/lowering.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

/// A tensor of a shape, whose elements are those of `x` at the places that `source` gives, or
/// `otherwise` where it gives none.
auto moved(const Call& call, const Tensor& x, const Shape& shape,
           const std::function<bool(const Shape&, Shape&)>& source, double otherwise) -> Tensors;

/// The constant inputs of a node from the second on; an error if one is not.
auto constant_inputs(const Lowering& lowering, const Node& node)
    -> Result<std::vector<const Tensor*>>;

}  // namespace tacet::importer
