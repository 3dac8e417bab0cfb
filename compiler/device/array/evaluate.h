#pragma once

#include <optional>
#include <vector>

#include "compiler/device/array/program.h"

/// What array programs mean, as plainly as possible: the reference that schedules, circuits and
/// programs for ciphertexts are tested against. Slow, and each expression takes as much memory as
/// the dimensions that it depends on have values.
namespace tacet::array {

/// The elements of an array, row-major.
using Elements = std::vector<int64_t>;

/// An expression of a program.
struct ExprPlace {
  size_t statement = 0;
  ExprId expr;

  friend auto operator==(const ExprPlace&, const ExprPlace&) -> bool = default;
};

struct Evaluation {
  std::vector<Elements> arrays;  ///< by array: inputs, then results
  /// The first expression with a value that does not fit 64 bits. Numbers wrap around there, as
  /// they do on the reference device, so what follows is right modulo 2^64 alone.
  std::optional<ExprPlace> wrapped_at;

  [[nodiscard]] auto output() const -> const Elements& { return arrays.back(); }
};

/// Evaluates the program on inputs, in the order of its arrays and as large as those are;
/// constants have theirs.
auto evaluate(const Program& program, const std::vector<Elements>& inputs) -> Evaluation;

/// What the program computes in real numbers, to the nearest double: sums and products with
/// twice its bits, functions with its own. These are those of mathematics, and nothing is rounded
/// to a fraction of two. Inputs as above, in their numbers; what constants hold is part of the
/// program. The elements of the result. Of programs that `is_real` says, without masks.
auto evaluate_reals(const Program& program, const std::vector<std::vector<double>>& inputs)
    -> std::vector<double>;

/// The number of elements of an array with these extents.
auto n_elements(const std::vector<int64_t>& extents) -> int64_t;

}  // namespace tacet::array
