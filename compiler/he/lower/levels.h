#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/he/lower/trace.h"
#include "engine/he_model/noise_bounds.h"
#include "engine/he_model/noise_model.h"
#include "engine/he_model/operation_times.h"

namespace tacet::he_lower {

/// What a program would run under: a scheme, a ring, t, and the sizes of primes that exist.
struct Setting {
  he::Scheme scheme = he::Scheme::Bfv;
  size_t ring_dimension = 0;
  uint64_t plain_modulus = 0;
  std::vector<unsigned> data_prime_bits{};
  std::vector<unsigned> special_prime_bits{};
  std::vector<double> data_sizes{};     ///< log2 of the primes of these sizes
  std::vector<double> special_sizes{};  ///< likewise
  /// Results hide the server's numbers: then they have degree one, and budgets of integers are what
  /// `he::NoiseBounds` leaves.
  bool is_hidden = false;
};

/// How many primes what has. A statement takes operands of `of_statement` primes, dropping those
/// that are too many first, and drops its result to what its group has.
struct Levels {
  std::vector<uint32_t> of_group;
  std::vector<uint32_t> of_statement;  ///< 0 for what makes no ciphertext
  /// Of reals: whether a statement's result is divided by its last prime. Other primes are left
  /// away, and the scale brought in line.
  std::vector<bool> is_rescaled{};
};

/// What an assignment of primes comes to, by the models of noise and time.
struct Outcome {
  Levels levels;
  double budget = 0;        ///< of the output with the least, in bits
  double microseconds = 0;  ///< on one thread, encryption and decryption included
};

/// Simulates a trace under a setting, as the engine would estimate it.
class LevelSimulation {
 public:
  LevelSimulation(const Trace& trace, const Setting& setting, const he::OperationTimes& times);

  /// Drops primes of a result as soon as that costs no more than `loss` bits of its budget; no
  /// group gets more primes than `caps` says. A program with drops of its own keeps those, and gets
  /// no others.
  [[nodiscard]] auto run(double loss, std::vector<uint32_t> caps) -> Outcome;

  /// No group has less than all primes.
  [[nodiscard]] auto full_caps() const -> std::vector<uint32_t>;

  /// Steps simulated so far.
  [[nodiscard]] auto n_steps() const -> size_t { return n_steps_; }

 private:
  /// What is known of a value.
  struct State {
    he::NoiseState noise;
    size_t degree = 1;
    double bound = 0;  ///< of the noise, if results are hidden
    /// BGV: what the message is multiplied by, as a fingerprint of what it is a product of.
    uint64_t correction = 1;
  };

  /// What is done to each part of a ciphertext takes so many times as long as with two.
  [[nodiscard]] static auto size_of(const State& state) -> double {
    return static_cast<double>(state.degree + 1) / 2;
  }
  auto pass(double loss, std::vector<uint32_t>& caps, Outcome& outcome) -> bool;
  /// Inputs have as many primes as their caps.
  void encrypt_inputs(const std::vector<uint32_t>& caps, Outcome& outcome);
  /// The result of a step; the operand with more primes drops them first.
  auto computed(const Step& step, Outcome& outcome) const -> State;
  /// Drops primes of a result to what its group has. False if it has fewer.
  auto settle(const Step& step, double loss, std::vector<uint32_t>& caps, State& result,
              Outcome& outcome) const -> bool;
  void decrypt_outputs(Outcome& outcome) const;
  auto lower_to_uses(const Levels& levels, std::vector<uint32_t>& caps) const -> bool;
  [[nodiscard]] auto applied(const Step& step, const State& a, const State& b) const -> State;
  [[nodiscard]] auto sum(State a, const State& b) const -> State;
  void drop_to(size_t n_primes, State& state) const;
  [[nodiscard]] auto budget(const State& state) const -> double;
  [[nodiscard]] auto output_budget(const State& state) const -> double;
  [[nodiscard]] auto worthwhile(const State& state, uint32_t cap, double loss) const -> uint32_t;
  [[nodiscard]] auto time_of(const Step& step, uint32_t n_primes) const -> double;
  [[nodiscard]] auto time(he::Operation operation, size_t n_primes) const -> double {
    return times_[static_cast<size_t>(operation)][n_primes - 1];
  }

  const Trace& trace_;
  he::Scheme scheme_;
  double log_t_;
  uint32_t n_primes_;
  he::NoiseModel model_;
  std::optional<he::NoiseBounds> bounds_;  ///< if results are hidden
  std::vector<double> key_switch_noise_;   ///< by number of primes, less one
  std::array<std::vector<double>, he::kOperations> times_;
  std::vector<uint64_t> fingerprints_;  ///< of primes
  std::vector<State> states_;
  size_t n_steps_ = 0;
};

}  // namespace tacet::he_lower
