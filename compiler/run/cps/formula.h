#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// The type of each part of a formula, or what is wrong with it.
struct FormulaTypes {
  std::vector<Type> of_node;
  std::string fault;
};

/// What the parts of `formula` give on operands of the types `operands`. Safe on any formula.
auto formula_types(const Program& program, const Formula& formula, std::span<const Type> operands)
    -> FormulaTypes;

/// Do two formulas compute the same of equal operands, for all that their texts say? Which member
/// of a class they run does not matter.
auto compute_alike(const Formula& a, const Formula& b) -> bool;

/// The word of a formula's part in the text, none for those that have no word of their own.
auto formula_word(FormulaKind kind) -> std::string_view;

}  // namespace tacet::cps
