#pragma once

#include <cstdint>
#include <vector>

#include "tests/mpc_lower/machine_case.h"

/// Random programs of fixed-point numbers, and between which bounds their results must be.
namespace tacet::mpc_lower {

/// A real number and by how much a result may differ from it.
struct Bounded {
  long double value = 0;
  long double error = 0;
};

struct FixedCase {
  MachineCase run;                            ///< without results
  std::vector<std::vector<Bounded>> outputs;  ///< by output and element
};

/// A straight line of about `n_steps` operations on secret arrays modulo 2^64, with 18 bits behind
/// the point. Operands are in the range of what is done with them, and errors stay small: each step
/// adds what `mpc_model::bound_of` states, or one unit for a product, to what the errors of its
/// operands become. The same for equal seeds.
auto random_fixed_case(uint64_t seed, int n_steps) -> FixedCase;

}  // namespace tacet::mpc_lower
