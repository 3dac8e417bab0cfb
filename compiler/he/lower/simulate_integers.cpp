#include <algorithm>
#include <utility>

#include "compiler/he/lower/integer_levels.h"
#include "compiler/he/lower/level_pass.h"

namespace tacet::he_lower {

/// The number of primes to leave a value that was just made.
static auto worthwhile(const IntegerNoise& noise, const IntegerNoise::State& made, uint32_t cap,
                       double loss) -> uint32_t {
  const double before = noise.budget(made);
  IntegerNoise::State left = made;
  while (left.noise.n_primes > 1) {
    IntegerNoise::State fewer = left;
    noise.drop_prime(fewer);
    if (left.noise.n_primes <= cap && noise.budget(fewer) < before - loss) {
      break;
    }
    left = fewer;
  }
  return static_cast<uint32_t>(left.noise.n_primes);
}

auto IntegerSimulation::run(double loss, std::vector<uint32_t> caps) -> Outcome {
  LevelPass pass(trace_, std::move(caps), std::vector<bool>(trace_.n_groups));
  // Of programs with drops of their own a group keeps what its first value has, within its cap:
  // else one whose iterations end with fewer and fewer primes would be too large in every pass.
  const auto keep = [&](const Step& step, uint32_t level, const IntegerNoise::State& made) {
    const uint32_t group = trace_.statement_group[step.statement];
    uint32_t& wanted = pass.levels.of_group[group];
    if (wanted == LevelPass::kUnset && !trace_.has_drops) {
      wanted = worthwhile(simulation_.noise(), made, pass.caps[group], loss);
    }
    return pass.keep(step, {.n_primes = level}).n_primes;
  };
  Outcome outcome;
  pass.settle(1, [&] {
    pass.begin();
    outcome = simulation_.walk(pass.levels, keep);
    return true;
  });
  outcome.levels = std::move(pass.levels);
  return outcome;
}

auto IntegerSimulation::caps_of(const Levels& levels) const -> std::vector<uint32_t> {
  std::vector<uint32_t> caps = levels.of_group;
  for (uint32_t& cap : caps) {
    cap = std::min(cap, n_primes_);
  }
  return caps;
}

}  // namespace tacet::he_lower
