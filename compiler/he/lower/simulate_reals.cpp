#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {
namespace {

using he::NoiseState;
using he::Operation;

/// What the engine adds to a plaintext by rounding it, as `he::rounding_noise` has it: the least is
/// of rounding to integers, the rest of computing in doubles.
auto rounding_noise(double scale, double bound) -> double {
  constexpr double kDoubleBits = 53 - 2;
  return std::max(-1.0, std::log2(scale * bound) - kDoubleBits);
}

constexpr double kUnknown = -1;

/// With what it costs that the scales are not quite equal.
auto sum_noise(double a, double b, double scale, const NoiseState& other) -> double {
  const double sum = he::add_logarithms(a, b);
  const double difference = std::abs(scale - other.scale) * other.magnitude;
  return difference == 0 ? sum : he::add_logarithms(sum, std::log2(difference));
}

}  // namespace

RealSimulation::RealSimulation(const Trace& trace, const Setting& setting, unsigned scale_bits,
                               const he::OperationTimes& times)
    : trace_(trace),
      setting_(setting),
      times_(times),
      model_(setting.scheme, setting.ring_dimension, 0, setting.data_sizes, setting.special_sizes) {
  for (const double size : setting.data_sizes) {
    primes_.push_back(std::exp2(size));
  }
  for (size_t n_primes = 1; trace.needs_keys && n_primes <= primes_.size(); ++n_primes) {
    key_switch_noise_.push_back(model_.key_switch(n_primes));
  }
  for (std::vector<double>& known : known_times_) {
    known.assign(primes_.size() + 1, kUnknown);
  }
  scales_ = he::level_scales(std::exp2(scale_bits), primes_);
}

auto RealSimulation::run(const Levels& levels) -> RealOutcome {
  outcome_ = {.budget = std::numeric_limits<double>::infinity()};
  values_.clear();
  for (uint32_t i = 0; i < trace_.n_inputs(); ++i) {
    n_times_ = trace_.input_times[i];
    add_input(levels.of_group[trace_.input_groups[i]], trace_.input_bounds[i]);
  }
  for (const Step& step : trace_.steps) {
    n_times_ = step.times;
    add_step(step, levels);
  }
  n_steps_ += trace_.steps.size();
  n_times_ = 1;
  for (const uint32_t output : trace_.outputs) {
    const State& state = values_[output];
    outcome_.error = std::max(outcome_.error, model_.error(state.noise));
    spend(Operation::Decrypt, state.noise.n_primes, size_of(state));
  }
  return outcome_;
}

void RealSimulation::spend(Operation operation, size_t n_primes, double times) {
  double& known = known_times_[static_cast<size_t>(operation)][n_primes];
  if (known == kUnknown) {
    known = times_.of(operation, {.scheme = setting_.scheme,
                                  .ring_dimension = setting_.ring_dimension,
                                  .n_primes = n_primes,
                                  .n_special = setting_.special_sizes.size()});
  }
  outcome_.microseconds += n_times_ * times * known;
}

void RealSimulation::keep(const State& state) {
  outcome_.budget = std::min(outcome_.budget, model_.budget(state.noise));
  values_.push_back(state);
}

void RealSimulation::add_input(uint32_t n_primes, double bound) {
  State state;
  state.noise.n_primes = n_primes;
  state.noise.scale = scales_[n_primes - 1];
  state.noise.magnitude = bound;
  state.noise.noise =
      he::add_logarithms(model_.fresh_symmetric(), rounding_noise(state.noise.scale, bound));
  spend(Operation::Encrypt, n_primes);
  keep(state);
}

void RealSimulation::add_step(const Step& step, const Levels& levels) {
  const uint32_t level = levels.of_statement[step.statement];
  const bool has_two = step.kind == StepKind::Add || step.kind == StepKind::Multiply;
  const State a = lowered(values_[step.a], level);
  const State b = has_two && step.b != step.a ? lowered(values_[step.b], level) : a;
  State made = applied(step, a, b);
  spend_on(step, made, level);
  if (levels.is_rescaled[step.statement]) {
    outcome_.budget = std::min(outcome_.budget, model_.budget(made.noise));
    spend(Operation::Drop, made.noise.n_primes, size_of(made));
    made = dropped(made);
    made.power -= 1;
  }
  keep(lowered(made, levels.of_group[trace_.statement_group[step.statement]]));
}

void RealSimulation::spend_on(const Step& step, const State& made, uint32_t level) {
  switch (step.kind) {
    case StepKind::Add:
      return spend(Operation::Add, level, size_of(made));
    case StepKind::AddPlain:
      return spend(Operation::AddPlain, level);
    case StepKind::Multiply:
      return spend(Operation::Multiply, level);
    case StepKind::MultiplyPlain:
      return spend(Operation::MultiplyPlain, level, size_of(made));
    case StepKind::Relinearise:
      return spend(Operation::Relinearise, level);
    case StepKind::Rotate: {
      const uint32_t n = trace_.n_rotations[step.a];
      if (n == 1) {
        return spend(Operation::Rotate, level);
      }
      spend(Operation::RotateHoisted, level);
      return spend(Operation::Hoist, level, 1.0 / n);
    }
    case StepKind::Drop:
    case StepKind::Rename:
      return;
  }
}

auto RealSimulation::applied(const Step& step, const State& a, const State& b) const -> State {
  State made = a;
  NoiseState& noise = made.noise;
  switch (step.kind) {
    case StepKind::Add:
      noise.noise = sum_noise(noise.noise, b.noise.noise, noise.scale, b.noise);
      noise.n_factors = std::max(noise.n_factors, b.noise.n_factors);
      noise.magnitude += b.noise.magnitude;
      made.degree = std::max(a.degree, b.degree);
      return made;
    case StepKind::AddPlain:
      noise.noise = he::add_logarithms(noise.noise, rounding_noise(noise.scale, step.bound));
      noise.magnitude += step.bound;
      return made;
    case StepKind::Multiply:
      multiply(made, b.noise);
      made.degree = 2;
      return made;
    case StepKind::MultiplyPlain: {
      const double scale = scales_[noise.n_primes - 1];
      multiply(made, {.noise = rounding_noise(scale, step.bound),
                      .scale = scale,
                      .magnitude = step.bound,
                      .n_primes = noise.n_primes});
      return made;
    }
    case StepKind::Rotate:
    case StepKind::Relinearise:
      noise.noise = he::add_logarithms(noise.noise, key_switch_noise_[noise.n_primes - 1]);
      made.degree = 1;
      return made;
    case StepKind::Drop:
    case StepKind::Rename:
      return made;
  }
  return made;
}

void RealSimulation::multiply(State& made, const NoiseState& b) const {
  const he::NoiseGrowth growth = model_.product(made.noise, b);
  made.noise.noise = growth.noise;
  made.noise.n_factors = growth.n_factors;
  made.noise.scale *= b.scale;
  made.noise.magnitude *= b.magnitude;
  made.power += 1;
}

/// Without its last prime, by which it is divided.
auto RealSimulation::dropped(State state) const -> State {
  const he::NoiseGrowth growth = model_.dropped(state.noise, state.degree);
  state.noise.noise = growth.noise;
  state.noise.n_factors = growth.n_factors;
  state.noise.scale /= primes_[--state.noise.n_primes];
  return state;
}

/// As `he::rescale_to` does it.
auto RealSimulation::lowered(State state, size_t n_primes) -> State {
  if (state.noise.n_primes == n_primes) {
    return state;
  }
  const double wanted = std::pow(scales_[n_primes - 1], state.power);
  const double factor =
      std::max(std::nearbyint(wanted * primes_[n_primes] / state.noise.scale), 1.0);
  state.noise.n_primes = n_primes + 1;
  state.noise.scale *= factor;
  state.noise.noise += std::log2(factor);
  spend(Operation::MultiplyPlain, n_primes + 1, size_of(state));
  spend(Operation::Drop, n_primes + 1, size_of(state));
  return dropped(state);
}

}  // namespace tacet::he_lower
