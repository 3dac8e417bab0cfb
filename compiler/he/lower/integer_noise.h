#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/he/lower/levels.h"
#include "engine/he_model/noise_bounds.h"

namespace tacet::he_lower {

/// The noise of ciphertexts of integers modulo t, for `Simulation`.
class IntegerNoise {
 public:
  struct State {
    he::NoiseState noise;
    size_t degree = 1;
    double bound = 0;  ///< of the noise, if results are hidden or flooded
    /// BGV: what the message is multiplied by, as a fingerprint of its factors.
    uint64_t correction = 1;
  };

  IntegerNoise(const Trace& trace, const Setting& setting);

  [[nodiscard]] auto fresh(size_t n_primes, double bound) const -> State;
  /// Two ciphertexts that were not dropped alike have messages times different numbers modulo t,
  /// and are first multiplied by small ones, about the root of t, that make them equal.
  void add(State& a, const State& b) const;
  void add_plain(State& a, double bound) const;
  void multiply(State& a, const State& b) const;
  void multiply_plain(State& a, double bound) const;
  void switch_key(State& a, he::KeyOrigin origin) const;
  void drop_prime(State& a) const;
  void lower_to(size_t n_primes, State& a) const;

  /// Only outputs must be decrypted.
  void observe(const State& /*a*/, Outcome& /*outcome*/) const {}
  void observe_output(const State& a, size_t n_outputs, Outcome& outcome) const;

  /// Of an intermediate value: of its actual noise, or of the bound.
  [[nodiscard]] auto budget(const State& a) const -> double;

 private:
  he::Scheme scheme_;
  double log_t_;
  he::NoiseModel model_;
  unsigned n_key_holders_;
  size_t n_contributions_;
  bool is_hidden_;
  std::optional<he::NoiseBounds> bounds_;  ///< if results are hidden or flooded
  /// By number of primes, less one, of each two: of products, and of rotations.
  std::vector<double> key_switch_noise_;
  std::vector<uint64_t> fingerprints_;  ///< of primes
};

}  // namespace tacet::he_lower
