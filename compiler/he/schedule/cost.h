#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/he/circuit/circuit.h"

/// What schedules cost.
namespace tacet::schedule {

/// How many of what a circuit takes, before anything is optimised: those of `circuit::Counts` that
/// are known without running through loops, and the same numbers. Plaintext operations are not
/// counted, but the vectors that meet ciphertexts are.
struct Counts {
  int64_t input_ciphers = 0;   ///< that the client encrypts
  int64_t plains = 0;          ///< clear vectors that meet ciphertexts
  int64_t output_ciphers = 0;  ///< of the last statement
  int64_t rotations = 0;       ///< by other steps than none, row swaps too
  int64_t row_swaps = 0;
  /// Rotations of what is also rotated by other steps, but for one each: they share work with it.
  int64_t hoisted_rotations = 0;
  int64_t products = 0;         ///< of ciphertexts
  int64_t squares = 0;          ///< of them, those of a ciphertext with itself
  int64_t plain_products = 0;   ///< of a ciphertext by a plaintext vector or number, but not -1
  int64_t additions = 0;        ///< and subtractions, of ciphertexts
  int64_t plain_additions = 0;  ///< likewise with a plaintext vector or number
  int64_t depth = 0;            ///< sequential products of ciphertexts
  int64_t plain_depth = 0;      ///< products by plaintexts on any path

  friend auto operator==(const Counts&, const Counts&) -> bool = default;
};

/// O(nodes * loops), and up to 4096 values of the loops that the steps of a rotation mention.
auto count(const circuit::Circuit& circuit) -> Counts;

/// What a ring takes for each, in any unit of time, and the depth that its moduli allow.
struct RingCost {
  uint32_t n_columns = 0;
  double input_cipher = 0;
  double plain = 0;
  double output_cipher = 0;
  double rotation = 0;
  double hoisted_rotation = 0;
  double product = 0;  ///< relinearised
  double plain_product = 0;
  double addition = 0;
  double plain_addition = 0;
  double depth = 0;                     ///< for each product on the longest path
  double most_depth = 0;                ///< products of ciphertexts
  double depth_of_plain_product = 0.6;  ///< as a part of one of ciphertexts
};

/// The time of so many; infinite if the ring does not allow the depth.
auto time_of(const Counts& counts, const RingCost& ring) -> double;

/// The weights by which Recto and Myers, "A Compiler from Array Programs to Vectorized Homomorphic
/// Encryption", compare schedules (their times of SEAL, rounded), for rows of 2048 to 16384 columns
/// where they have vectors of so many slots. Theirs leave rotations out of the sum, though they
/// give them a weight; here they count.
auto published_rings() -> std::vector<RingCost>;

/// Whether a is at most b in every count.
auto dominates(const Counts& a, const Counts& b) -> bool;

}  // namespace tacet::schedule
