#pragma once

#include <array>
#include <map>
#include <set>

#include "engine/program/he/program.h"

namespace tacet::engine {

/// Instructions by opcode and kind, loops unrolled.
class HeCounts {
 public:
  [[nodiscard]] auto of(HeOpcode opcode, HeOperationKind kind) const -> size_t {
    return counts_[place(opcode, kind)];
  }
  void add(HeOpcode opcode, HeOperationKind kind) { ++counts_[place(opcode, kind)]; }

  friend auto operator==(const HeCounts&, const HeCounts&) -> bool = default;

 private:
  static auto place(HeOpcode opcode, HeOperationKind kind) -> size_t {
    return 4 * static_cast<size_t>(opcode) + static_cast<size_t>(kind);
  }

  std::array<size_t, 4 * (static_cast<size_t>(HeOpcode::End) + 1)> counts_{};
};

/// What can be said of a program without running it.
struct HeFacts {
  HeCounts counts;
  uint32_t depth = 0;  ///< products of ciphertexts on the longest path
  size_t n_input_ciphers = 0;
  /// Which keys the client has to make, and for how many primes each: of what is rotated.
  std::map<uint32_t, uint32_t> rotations;  ///< by steps in [1, n_columns)
  bool needs_swap = false;
  uint32_t n_swap_primes = 0;
  bool needs_relinearisation = false;
  uint32_t n_relinearisation_primes = 0;
  /// The fewest primes of what is bootstrapped, and the bounds of its numbers; 0 and none if nothing
  /// is.
  uint32_t n_bootstrapped_primes = 0;
  std::set<double> bootstrapped_bounds;
  /// Whether results depend on numbers that the client must not learn.
  bool has_server_inputs = false;
};

/// Whether it has arrays of the server.
auto has_server_inputs(const HeProgram& program) -> bool;

/// Of a program that is valid. Linear in the number of unrolled instructions.
auto facts_of(const HeProgram& program) -> HeFacts;

}  // namespace tacet::engine
