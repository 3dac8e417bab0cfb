#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cggi/gates.h"
#include "engine/cggi_format/program.h"

namespace tacet::engine {

/// An addition of up to three bits of which at most one is set.
struct CggiSum {
  std::array<cggi::GateInput, 3> inputs{};
  size_t n_inputs = 0;
  uint32_t output = 0;
};

/// Gates that need nothing of each other, and the sums that come behind them, in order.
struct CggiLevel {
  std::vector<cggi::Gate> gates;
  std::vector<CggiSum> sums;
};

/// A program as the engine evaluates it. Wires that are alive at the same time have different
/// ciphertexts; when the last gate that reads one is done, its ciphertext is used again.
struct CggiPlan {
  std::vector<CggiLevel> levels;  ///< the first one has sums of inputs alone
  size_t n_ciphertexts = 0;
  std::vector<uint32_t> inputs;  ///< by input bit: its ciphertext
  /// By output bit: a ciphertext, or its inverse.
  std::vector<cggi::GateInput> outputs;
  uint32_t zero = 0;  ///< holds false
};

/// Every gate is evaluated as early as possible. The program must be valid. O(gates).
auto plan_of(const CggiProgram& program) -> CggiPlan;

}  // namespace tacet::engine
