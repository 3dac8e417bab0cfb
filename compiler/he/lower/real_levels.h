#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/he/lower/levels.h"

/// Where reals are rescaled, and what that comes to.
namespace tacet::he_lower {

/// When a product is divided by a prime, which brings its scale back.
enum class Rescaling : uint8_t {
  Early,  ///< at once
  Late,   ///< when it must have one factor of the scale: sums of products are divided once
};

/// Whether results that have the scale twice are rescaled too.
enum class RescaleResults : uint8_t { No, Yes };

/// Numbers of primes under any setting: a result has so many more than the least.
struct RealPlan {
  Levels levels;        ///< counted from 1, the least that anything has
  uint32_t n_most = 1;  ///< of what has the most
};

/// Gives every value of a trace of reals one factor of the scale or two, and as many primes as that
/// takes: products are of values with one, sums of equals. A value is rescaled where it is made, as
/// soon as one use needs that; copies, rotations and relinearisations of it then work on fewer
/// primes. Inputs begin with what their uses need. O(steps), times the longest chain of uses that
/// need more than was known.
auto plan_rescaling(const Trace& trace, Rescaling rescaling, RescaleResults results) -> RealPlan;

/// What a plan comes to under a setting, by the models of noise and time.
struct RealOutcome {
  double budget = 0;        ///< of what has the least bits of the modulus above its message
  double error = 0;         ///< a bound of how far the results are from exact ones
  double microseconds = 0;  ///< on one thread, encryption and decryption included
};

/// What is decided of a trace of reals; numbers of primes follow.
struct RescaleChoice {
  std::vector<bool> is_rescaled;  ///< by group: what of it has the scale twice is divided at once
  std::vector<uint32_t> caps;     ///< by group: the most primes
};

/// Every value with as many primes as its operands and its cap leave it, and no more than its uses
/// take. Nothing if a product has a factor with the scale twice, a sum has unequal operands, or
/// primes run out. Outputs keep what they have. O(steps), times the longest chain as above.
auto settled(const Trace& trace, const RescaleChoice& choice) -> std::optional<Levels>;

/// The choice that gave these levels.
auto choice_of(const Trace& trace, const Levels& levels) -> RescaleChoice;

/// All ways to rescale groups that a trace can take (`RescaleChoice::is_rescaled`); none if there
/// are more than `most`, or finding them takes more than a few thousand steps.
auto ways_to_rescale(const Trace& trace, size_t most) -> std::vector<std::vector<bool>>;

/// The plan with `n_least` primes where it has one.
auto raised(const RealPlan& plan, uint32_t n_least) -> Levels;

/// Simulates traces of reals under a setting, as the engine would estimate them. What is done to
/// each part of a ciphertext takes half as long again with three parts.
class RealSimulation {
 public:
  /// `scale_bits` is log2 of the scale of fresh ciphertexts.
  RealSimulation(const Trace& trace, const Setting& setting, unsigned scale_bits,
                 const he::OperationTimes& times);

  /// A plan whose levels are counted as they are meant. O(steps).
  auto run(const Levels& levels) -> RealOutcome;

  /// Steps simulated so far.
  [[nodiscard]] auto n_steps() const -> size_t { return n_steps_; }

 private:
  struct State {
    he::NoiseState noise;
    size_t degree = 1;
    int power = 1;  ///< of the scale
  };

  [[nodiscard]] static auto size_of(const State& state) -> double {
    return static_cast<double>(state.degree + 1) / 2;
  }
  void spend(he::Operation operation, size_t n_primes, double times = 1);
  void keep(const State& state);
  void add_input(uint32_t n_primes, double bound);
  void add_step(const Step& step, const Levels& levels);
  void spend_on(const Step& step, const State& made, uint32_t level);
  [[nodiscard]] auto applied(const Step& step, const State& a, const State& b) const -> State;
  void multiply(State& made, const he::NoiseState& b) const;
  [[nodiscard]] auto dropped(State state) const -> State;
  auto lowered(State state, size_t n_primes) -> State;

  const Trace& trace_;
  const Setting& setting_;
  const he::OperationTimes& times_;
  he::NoiseModel model_;
  std::vector<double> primes_, scales_;
  std::vector<double> key_switch_noise_;                          ///< by number of primes, less one
  std::array<std::vector<double>, he::kOperations> known_times_;  ///< by number of primes
  std::vector<State> values_;
  RealOutcome outcome_;
  uint32_t n_times_ = 1;  ///< that the step at hand is there
  size_t n_steps_ = 0;
};

}  // namespace tacet::he_lower
