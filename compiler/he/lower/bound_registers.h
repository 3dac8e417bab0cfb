#pragma once

#include <map>
#include <string>

#include "compiler/device/array/real_functions.h"
#include "compiler/he/lower/noise_stages.h"
#include "compiler/he/lower/slot_sizes.h"
#include "engine/program/he/program.h"

namespace tacet::he_lower {

/// The numbers of inputs, by name.
using InputRanges = std::map<std::string, array::RealInterval>;

class BoundedPrograms;

/// Finds how large the numbers in all slots of each cipher of a program of reals become, and writes
/// that to its registers (`HeRegister::bound`). What is in slots that nobody reads counts too,
/// since a message must fit as a whole.
///
/// Intervals alone would not do: of T = 2 u u - 1 for u in [-1, 1] they say [-3, 1], and of what is
/// made of it ever more. So each value is known as a polynomial in other values that it depends on
/// alone, slot by slot, in the basis of Chebyshev polynomials of their intervals; its range is
/// found from that (`approximate::range_of`). Sums and products of polynomials in one value are
/// polynomials in it; what depends on several is an interval. The greater of a and b, written as
/// b + p(a - b) where p is near max(x, 0), is recognised.
///
/// O(steps), times the square of the largest degree, which is cut off at 256.
///
/// The same polynomials say what errors become: see `find_noise_stages`. `known`: what was found
/// before, if that is kept. `parts`: of weights (`SlotSizes`).
auto bound_registers(const InputRanges& ranges, engine::HeProgram& program,
                     BoundedPrograms* known = nullptr, const InputParts& parts = {})
    -> std::vector<NoiseStage>;

/// What `bound_registers` finds, once for each program: searches for different precisions meet the
/// same ones.
class BoundedPrograms {
 public:
  /// As `bound_registers`.
  auto bound(const InputRanges& ranges, engine::HeProgram& program, const InputParts& parts)
      -> std::vector<NoiseStage>;

 private:
  struct Entry {
    InputRanges ranges;
    InputParts parts;
    engine::HeProgram before;
    std::vector<engine::HeRegister> registers;
    std::vector<NoiseStage> stages;
  };

  KnownPolynomials polynomials_;
  std::vector<Entry> entries_;
};

}  // namespace tacet::he_lower
