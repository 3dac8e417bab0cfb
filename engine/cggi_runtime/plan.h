#pragma once

#include <cstdint>
#include <vector>

#include "engine/cggi/gates.h"
#include "engine/cggi_format/program.h"

namespace tacet::engine {

/// A program as the engine evaluates it. Wires that are alive at the same time have different
/// ciphertexts; when the last gate that reads one is done, its ciphertext is used again.
struct CggiPlan {
  /// Gates that need nothing of each other.
  std::vector<std::vector<cggi::Gate>> levels;
  size_t n_ciphertexts = 0;
  std::vector<uint32_t> inputs;  ///< by input bit: its ciphertext
  /// By output bit: a ciphertext, or its inverse.
  std::vector<cggi::GateInput> outputs;
  uint32_t zero = 0;  ///< holds false
};

/// Every gate is evaluated as early as possible. The program must be valid. O(gates).
auto plan_of(const CggiProgram& program) -> CggiPlan;

}  // namespace tacet::engine
