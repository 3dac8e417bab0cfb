#pragma once

#include "compiler/he/circuit/node_facts.h"

namespace tacet::circuit {

/// The cost of a circuit, with all loops unrolled. A node is evaluated once for each value of the
/// loops that it depends on, as `lower` does it.
struct Counts {
  size_t input_ciphertexts = 0;   ///< elements of families, all of which are sent
  size_t input_plaintexts = 0;    ///< vectors that are encoded
  size_t output_ciphertexts = 0;  ///< elements of statements that outputs read
  size_t rotations = 0;           ///< of ciphertexts, by other than nothing, and swaps
  size_t swaps = 0;               ///< of these
  /// Rotations of ciphertexts that are also rotated by other steps, but for one each: they share
  /// most of their work with that one (Halevi and Shoup's hoisting).
  size_t hoisted_rotations = 0;
  size_t rotation_keys = 0;  ///< different steps, and swapping
  size_t ct_ct_products = 0;
  size_t ct_pt_products = 0;
  size_t relinearisations = 0;
  size_t ct_ct_additions = 0;  ///< and subtractions
  size_t ct_pt_additions = 0;
  size_t negations = 0;
  size_t native_operations = 0;
  size_t bootstraps = 0;  ///< of programs
  uint32_t depth = 0;  ///< products of ciphertexts on the longest path to any statement

  friend auto operator==(const Counts&, const Counts&) -> bool = default;
};

/// Of a valid circuit: nodes times the values of the loops in formulas of rotations.
auto counts_of(const Circuit& circuit) -> Counts;

/// The same of a program that is valid. Linear in its unrolled instructions.
auto counts_of(const engine::HeProgram& program) -> Counts;

/// For how many values of the loops in it a formula is no multiple of `modulus`, as a part of all
/// their values. Many values are not all tried: then, all of them.
auto nonzero_part(const LoopFormula& formula, const Circuit& circuit) -> double;

/// What each thing that is counted costs, in any unit.
struct Weights {
  double input_ciphertext = 0;
  double input_plaintext = 0;
  double output_ciphertext = 0;
  double rotation = 0;          ///< alone, or the first of those that share their source
  double hoisted_rotation = 0;  ///< another one
  double rotation_key = 0;
  double ct_ct_product = 0;
  double ct_pt_product = 0;
  double relinearisation = 0;
  double ct_ct_addition = 0;
  double ct_pt_addition = 0;
  double negation = 0;
  double native_operation = 0;
  double depth = 0;  ///< of each level of products of ciphertexts
};

auto cost_of(const Counts& counts, const Weights& weights) -> double;

/// The weights that Recto and Myers print for vectors of so many slots: 4096, 8192, 16384, or
/// others. They count relinearisation with the product, and let no rotation share anything.
auto recto_myers_weights(size_t n_slots) -> Weights;

}  // namespace tacet::circuit
