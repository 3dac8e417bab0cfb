#pragma once

#include <cstddef>
#include <vector>

#include "engine/he_model/noise_model.h"
#include "engine/he_model/operation_times.h"

/// What bootstrapping of CKKS takes and gives, without keys and ciphertexts: the primes that it
/// uses up, and the error that it adds.
///
/// A ciphertext of real numbers with few primes left becomes one with many: its slots become
/// coefficients, which are read modulo a much larger modulus as m + q I with small integers I;
/// then coefficients become slots, and a sine takes the multiples of q away (Cheon, Han, Kim, Kim
/// and Song, "Bootstrapping for Approximate Homomorphic Encryption", with what came later: see
/// `he::Bootstrapper`).
namespace tacet::he {

/// How the data primes are used. From the first: the one that a message is raised from; primes for
/// the transform to coefficients; those for the program, which a result has in addition to the
/// former; then those that bootstrapping itself uses up, for the sine and for the transform to
/// slots.
struct BootstrappingShape {
  /// Factors of the transform to coefficients, of a level each.
  size_t n_to_coefficients = 3;
  /// Likewise to slots.
  size_t n_to_slots = 4;

  /// Primes that an operand has at least.
  [[nodiscard]] auto n_operand_primes() const -> size_t { return 1 + n_to_coefficients; }
  /// Primes beyond those of results.
  [[nodiscard]] auto n_own_primes() const -> size_t;

  friend auto operator==(const BootstrappingShape&, const BootstrappingShape&) -> bool = default;
};

/// The ring in which the compiler bootstraps: smaller ones leave too few levels.
inline constexpr size_t kBootstrappedDimension = size_t{1} << 16;

/// As programs use it in a ring of this dimension.
auto bootstrapping_shape(size_t ring_dimension) -> BootstrappingShape;

/// Coefficients that are not zero of the secret under which messages are raised (Bossuat, Troncoso-
/// Pastoriza and Hubaux, "Bootstrapping for Approximate Homomorphic Encryption with Negligible
/// Failure-Probability by Using Sparse-Secret Encapsulation", IACR ePrint 2022/024).
inline constexpr size_t kEncapsulationWeight = 32;
/// The largest modulus at which a sparse secret is used, by the ring: those of the parameter sets
/// of 2022/024. Nothing is encrypted under it but one switching key.
auto max_encapsulation_bits(size_t ring_dimension) -> unsigned;

/// |m + q I| is below q times this, whatever the message: each of the 32 terms of the product with
/// the secret is at most q / 2, and so is the one beside it; the message is a small part of q.
inline constexpr double kSineRange = 17;
/// The polynomial that approximates cos((2 pi x - pi/2) / 2^kDoublings) for |x| up to `kSineRange`
/// has this degree, and an error below 2^-44; its angle is doubled so often.
inline constexpr size_t kCosineDegree = 27;
inline constexpr size_t kCosineLevels = 5;
inline constexpr size_t kDoublings = 4;

/// log2 of the message's part of q: the largest coefficient by q. Where it is smaller, the sine is
/// nearer to its angle, and what noise it has counts more.
inline constexpr double kMessagePart = -10;

/// Bounds of numbers are rounded up to powers of two, and a sixteenth more: the number of this one,
/// and the bound with a number. One takes plaintexts of its own.
auto step_of_bound(double bound) -> int;
auto bound_of_step(int step) -> double;
inline auto rounded_bound(double bound) -> double {
  return bound_of_step(step_of_bound(bound));
}

/// Rotations of the transforms to slots, whose keys are the largest.
auto bootstrapping_rotations(size_t ring_dimension, const BootstrappingShape& shape) -> double;

/// On one thread, in microseconds, with `n_data` data primes and so many special ones.
auto bootstrapping_time(const OperationTimes& times, size_t ring_dimension,
                        const BootstrappingShape& shape, size_t n_data, size_t n_special) -> double;

/// A bound of what a slot of the result is off by beyond what the operand is, as ten standard
/// deviations and the sine's own error, for slots of which none exceeds `bound`: under the model's
/// primes, with `n_result_primes` of results.
auto bootstrapping_error(const NoiseModel& model, size_t n_result_primes,
                         const BootstrappingShape& shape, double operand_scale, double bound)
    -> double;

}  // namespace tacet::he
