#pragma once

#include <algorithm>
#include <vector>

#include "compiler/he/lower/trace.h"
#include "engine/he_model/noise_model.h"
#include "engine/he_model/operation_times.h"

namespace tacet::he_lower {

/// Primes of fewer bits are too rare, and hold too little beside the noise.
inline constexpr unsigned kLeastPrimeBits = 18;

/// The parameters of a program: a scheme, a ring, t or a scale, and the sizes of primes that exist.
struct Setting {
  he::Scheme scheme = he::Scheme::Bfv;
  size_t ring_dimension = 0;
  uint64_t plain_modulus = 0;  ///< of integers
  unsigned scale_bits = 0;     ///< of reals: log2 of the scale of fresh ciphertexts
  std::vector<unsigned> data_prime_bits{};
  std::vector<unsigned> special_prime_bits{};
  std::vector<double> data_sizes{};     ///< log2 of the primes of these sizes
  std::vector<double> special_sizes{};  ///< likewise
  /// Of the data primes, how many at the end bootstrapping alone uses.
  size_t n_own_primes = 0;
  /// Results hide the server's numbers: then they have degree one, and budgets of integers are what
  /// `he::NoiseBounds` leaves.
  bool is_hidden = false;
  /// Of a joint key, whose holders flood what they decrypt: then results have degree one, budgets
  /// of integers are what `he::NoiseBounds::flooded_budget` leaves, and a fresh ciphertext is the
  /// sum of at most `n_contributions` under the public key.
  unsigned n_key_holders = 1;
  size_t n_contributions = 1;

  [[nodiscard]] auto is_joint() const -> bool { return n_key_holders > 1; }
  [[nodiscard]] auto has_linear_results() const -> bool { return is_hidden || is_joint(); }
};

/// The sum of the sizes of all primes.
auto total_bits(const Setting& setting) -> unsigned;
/// Whether their product has at most so many: a prime may be a little above the power of two.
auto has_at_most(const Setting& setting, unsigned bits) -> bool;

/// The numbers of primes of values. A statement takes operands of `of_statement` primes, dropping
/// those that are too many first, and drops its result to the number of its group.
struct Levels {
  /// Of groups without a value, in integer programs.
  static constexpr uint32_t kUnset = 0xffffffff;

  std::vector<uint32_t> of_group;
  std::vector<uint32_t> of_statement;  ///< 0 for what makes no ciphertext
  /// Of reals: whether a statement's result is divided by its last prime. Other primes are left
  /// away, and the scale brought in line.
  std::vector<bool> is_rescaled{};
};

/// The primes left after a step on operands of `n_primes`, before any are dropped for its group.
inline auto primes_after(const Step& step, uint32_t n_primes) -> uint32_t {
  return step.kind == StepKind::Drop ? n_primes - std::min(step.count, n_primes - 1) : n_primes;
}

/// An assignment of primes, with its noise and time by the models.
struct Outcome {
  Levels levels;
  /// Of integers: the bits of noise left in the output with the least. Of reals: the bits of the
  /// modulus above the message, of the value with the least.
  double budget = 0;
  double error = 0;         ///< of reals: a bound of how far the results are from exact ones
  double noise_bound = 0;   ///< of a joint key: log2 of what the noise of results is at most
  double microseconds = 0;  ///< on one thread, encryption and decryption included
  /// Of reals, by register: as `HeRegister::error`, 0 if nothing is known; or none.
  std::vector<double> register_errors{};
};

}  // namespace tacet::he_lower
