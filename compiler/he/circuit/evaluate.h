#pragma once

#include "compiler/he/circuit/circuit.h"
#include "engine/program/he/clear.h"

namespace tacet::circuit {

/// What a circuit means, slot by slot: the judge of whatever is made of it, and slow. `values` has
/// the arrays of client and server; slots are integers modulo `modulus`. With a seed, slots outside
/// of what was gathered whose content does not matter hold random numbers.
struct CircuitValues {
  /// By statement, by element, row-major over its loops.
  std::vector<std::vector<engine::HeSlots>> statements;
  engine::HeValues outputs;
};

/// Of a valid circuit. An error says what is missing among the values.
auto evaluate(const Circuit& circuit, uint64_t modulus, const engine::HeValues& values,
              std::optional<uint64_t> garbage_seed = std::nullopt) -> Result<CircuitValues>;

}  // namespace tacet::circuit
