#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "importer/lowering.h"
#include "importer/operators/operator.h"

namespace tacet::importer {

/// Operators on two numbers, and on several: sums, products, least and greatest numbers, powers.
auto binary_operators() -> std::vector<Operator>;

/// `compute` of the elements of all inputs, under broadcasting.
auto evaluate_elementwise(const Call& call,
                          const std::function<double(const std::vector<double>&)>& compute,
                          Elements elements) -> Tensors;

/// Defines the node's result as a function of each element of its first input, `{0}` in `text`.
/// With samples, one that is not linear is a function of its own with their bound.
auto lower_function(Lowering& lowering, const Node& node, const std::string& text, bool is_linear)
    -> Status;

/// An operand of a statement on elements, at its counters.
struct ElementOperand {
  std::string text;
  std::optional<double> number;  ///< of a constant that is the same everywhere
  Elements elements = Elements::Real;
};

/// Defines the node's result by the text that `write` makes of its operands at each place.
auto lower_elementwise(
    Lowering& lowering, const Node& node, const std::vector<std::string>& inputs, Elements elements,
    const std::function<Result<std::string>(const std::vector<ElementOperand>&)>& write) -> Status;

}  // namespace tacet::importer
