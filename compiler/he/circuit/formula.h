#pragma once

#include <functional>

#include "compiler/he/circuit/circuit.h"

/// Arithmetic on the formulas that stand for indices and steps.
namespace tacet::circuit {

/// Values of loops, by loop.
using LoopValues = std::vector<int64_t>;

/// A number in all iterations.
auto constant_formula(int64_t number) -> LoopFormula;
/// factor * loop.
auto loop_formula(LoopId loop, int64_t factor = 1) -> LoopFormula;

/// The same function of the loops with terms as `LoopFormula` wants them: sorted, joined, without
/// zeros; a table whose numbers are all the same, or of which one is read, is no table.
auto normal(LoopFormula formula) -> LoopFormula;

auto is_affine(const LoopFormula& formula) -> bool;
auto is_number(const LoopFormula& formula, int64_t number) -> bool;
auto mentions(const LoopFormula& formula, LoopId loop) -> bool;

/// Of affine formulas.
auto sum_of(const LoopFormula& a, const LoopFormula& b) -> LoopFormula;
/// Of an affine formula, or the numbers of a table.
auto times(const LoopFormula& formula, int64_t factor) -> LoopFormula;
/// With affine `by` in place of a loop.
auto substitute(const LoopFormula& formula, LoopId loop, const LoopFormula& by) -> LoopFormula;
/// Numbers and factors brought near zero, to (-modulus / 2, modulus / 2], which changes no rotation
/// of so many columns.
auto reduced(LoopFormula formula, int64_t modulus) -> LoopFormula;

/// Its value for these values of the loops. An index outside of the table is a bug.
auto evaluate(const LoopFormula& formula, const LoopValues& values) -> int64_t;

/// The least and the greatest number over all values of the loops: exact if there is no table, else
/// of all numbers in the table.
struct FormulaRange {
  int64_t low = 0;
  int64_t high = 0;
};
auto range_of(const LoopFormula& formula, const Circuit& circuit) -> FormulaRange;
/// Of the sum alone, which may be an index into the table.
auto sum_range_of(const LoopFormula& formula, const Circuit& circuit) -> FormulaRange;

/// As people read it: `2*i + 1`, `{0, 3, 1}[i]`.
auto formula_text(const LoopFormula& formula, const std::function<std::string(LoopId)>& name)
    -> std::string;

}  // namespace tacet::circuit
