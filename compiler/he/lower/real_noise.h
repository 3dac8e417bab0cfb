#pragma once

#include <vector>

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// The noise, scale and magnitude of ciphertexts of reals, for `Simulation`.
class RealNoise {
 public:
  struct State {
    he::NoiseState noise;
    size_t degree = 1;
    int power = 1;  ///< of the scale
  };

  RealNoise(const Trace& trace, const Setting& setting);

  [[nodiscard]] auto fresh(size_t n_primes, double bound) const -> State;
  void add(State& a, const State& b) const;
  void add_plain(State& a, double bound) const;
  void multiply(State& a, const State& b) const;
  void multiply_plain(State& a, double bound) const;
  void switch_key(State& a, he::KeyOrigin origin) const;
  /// Divides one factor of the scale by the last prime.
  void drop_prime(State& a) const;
  /// As `he::rescale_to` does it.
  void lower_to(size_t n_primes, State& a) const;
  /// As `he::Bootstrapper` does it, of numbers up to `bound`.
  void bootstrap(State& a, double bound) const;

  /// A value as if there were no error in it yet.
  [[nodiscard]] static auto exact(State a) -> State;
  /// The deviation of a coefficient, of reals as they are meant.
  [[nodiscard]] static auto deviation(const State& a) -> double;
  /// By how many deviations of a coefficient a slot is off at most.
  [[nodiscard]] auto most_in_slot() const -> double { return model_.error({}); }
  /// To what is known of the deviation.
  static void limit(double deviation, State& a);

  /// Every message must stay below the modulus.
  void observe(const State& a, Outcome& outcome) const;
  void observe_output(const State& a, size_t n_outputs, Outcome& outcome) const;

 private:
  void multiply(State& a, const he::NoiseState& b) const;
  void divide(State& a) const;

  he::NoiseModel model_;
  size_t n_summed_;                       ///< slots that an element of the output is the sum of
  std::vector<double> primes_, scales_;   ///< without those that bootstrapping alone uses
  std::vector<double> key_switch_noise_;  ///< by number of primes, less one
};

}  // namespace tacet::he_lower
