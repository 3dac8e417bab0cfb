#pragma once

#include <map>
#include <optional>

#include "compiler/device/array/program.h"
#include "compiler/he/lift/terms.h"

namespace tacet::lift {

/// A real as the sum of multiples of other terms, and a number. What is not a sum, or a product
/// with a number of the text, is a term.
struct LinearForm {
  std::map<TermId, double> factors;  ///< none is 0
  double constant = 0;
};

/// `inputs` are the arrays before those that are computed, fractions of the text among them.
auto linear_form(const Terms& terms, const array::Program& inputs, TermId id) -> LinearForm;

/// k with a = k b, if there is one: both with terms, and exactly.
auto ratio_of(const LinearForm& a, const LinearForm& b) -> std::optional<double>;

auto operator-(LinearForm a, const LinearForm& b) -> LinearForm;

}  // namespace tacet::lift
