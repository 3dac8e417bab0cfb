#pragma once

#include "engine/he_runtime/client.h"
#include "engine/program/he/states.h"

namespace tacet::engine {

inline constexpr uint32_t kNoNode = 0xffffffff;

/// A value of an unrolled program, assigned once, and how it is made.
struct PlanNode {
  enum class Kind : uint8_t {
    Gather,  ///< a clear vector from arrays: `element`
    Clear,   ///< `opcode` on clear vectors
    Encode,  ///< a clear vector as a plaintext
    Factor,  ///< a plaintext made ready for products with ciphertexts of up to `n_primes`
    Input,   ///< ciphertext number `count` of the client
    /// A ciphertext that another machine makes (`CiphertextExchange`).
    Received,
    Cipher,  ///< `opcode` on ciphertexts, or on one and a clear vector, an encoding or a factor
    Hoist,   ///< the digits of a ciphertext, for its rotations
  };

  Kind kind = Kind::Clear;
  HeOpcode opcode = HeOpcode::Copy;
  HeOperationKind operation = HeOperationKind::Native;
  uint32_t operands[2] = {kNoNode, kNoNode};
  uint32_t steps = 0;
  uint32_t count = 0;
  uint32_t n_primes = 0;
  uint32_t scale = 1;  ///< of reals: the factors of the scale that a truncated operand has
  double bound = 0;    ///< of the numbers of a ciphertext, if the program knows one
  double error = 0;    ///< likewise, as `HeRegister::error`
  HeElement element{};
};

/// A program as a graph of values. Copies and rotations by zero are removed; clear vectors,
/// encodings and factors are nodes, once each, however often loops use them.
struct Plan {
  /// In an order in which they can be made; what a node needs for the first time stands right
  /// before it.
  std::vector<PlanNode> nodes;
  std::vector<uint32_t> outputs;  ///< in the order of `output_elements`
  HeStatistics statistics;        ///< the counts
};

/// Whether a node is made from the server's and constant numbers alone.
auto is_clear(const PlanNode& node) -> bool;

/// Sets the counts of a plan's statistics, which must be zero.
void count_operations(const HeProgram& program, Plan& plan);

/// The plan of a valid program. Linear in the number of unrolled instructions, but for a logarithm.
auto make_plan(const HeProgram& program) -> Plan;

}  // namespace tacet::engine
