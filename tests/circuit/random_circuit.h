#pragma once

#include <random>

#include "compiler/he/circuit/circuit.h"
#include "engine/program/he/gather.h"

namespace tacet::circuit {

struct RandomCircuitOptions {
  uint32_t n_columns = 8;
  size_t n_statements = 3;
  int depth = 4;        ///< of expressions
  int64_t extent = 4;   ///< of loops, at most
  int percent_any = 8;  ///< of gathers: how many leave slots outside undefined
  uint64_t modulus = 65537;
};

/// A valid circuit over all that there is: families by affine and cyclic indices with conditions,
/// reductions, rotations by formulas and tables, results of earlier statements, shared nodes. Its
/// outputs read slots that do not depend on undefined ones.
auto random_circuit(std::mt19937_64& random, const RandomCircuitOptions& options = {}) -> Circuit;

/// Numbers for its inputs, from all that fit the modulus.
auto random_values(std::mt19937_64& random, const Circuit& circuit, uint64_t modulus)
    -> engine::HeValues;

}  // namespace tacet::circuit
