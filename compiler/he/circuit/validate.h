#pragma once

#include "base/result.h"
#include "compiler/he/circuit/circuit.h"

namespace tacet::circuit {

/// Is it well formed? Nodes follow their operands and are equal to none before them; formulas are
/// as `normal` makes them and mention loops that are in scope; each loop is bound once on every
/// path from a statement to a leaf; statements read earlier ones; indices are in range for all
/// values of the loops, as are all numbers in tables; families gather what their kind may hold, and
/// outputs give each element once. An error says where.
auto validate(const Circuit& circuit) -> Status;

/// The circuit's families, and a vector of nothing for each value of each statement, which outputs
/// read: what the format of programs can say of it. Registers: families, then statements. Names
/// are those of the circuit, made distinct. Slots are integers modulo `modulus`, or reals if
/// there is one row of them.
auto declarations(const Circuit& circuit, uint64_t modulus) -> engine::HeProgram;

}  // namespace tacet::circuit
