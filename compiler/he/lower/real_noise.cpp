#include "compiler/he/lower/real_noise.h"

#include <algorithm>
#include <cmath>

#include "engine/he_model/bootstrapping.h"

namespace tacet::he_lower {
namespace {

using he::NoiseState;

/// What the engine adds to a plaintext by rounding it, as `he::rounding_noise` has it: the least is
/// of rounding to integers, the rest of computing in doubles.
auto rounding_noise(double scale, double bound) -> double {
  constexpr double kDoubleBits = 53 - 2;
  return std::max(-1.0, std::log2(scale * bound) - kDoubleBits);
}

/// With what it costs that the scales are not quite equal.
auto sum_noise(double a, double b, double scale, const NoiseState& other) -> double {
  const double sum = he::add_logarithms(a, b);
  const double difference = std::abs(scale - other.scale) * other.magnitude;
  return difference == 0 ? sum : he::add_logarithms(sum, std::log2(difference));
}

}  // namespace

RealNoise::RealNoise(const Trace& trace, const Setting& setting)
    : model_(setting.scheme, setting.ring_dimension, 0, setting.data_sizes, setting.special_sizes),
      n_summed_(trace.n_summed) {
  for (const double size : setting.data_sizes) {
    primes_.push_back(std::exp2(size));
  }
  primes_.resize(primes_.size() - setting.n_own_primes);
  for (size_t n_primes = 1; trace.needs_keys && n_primes <= primes_.size(); ++n_primes) {
    key_switch_noise_.push_back(model_.key_switch(n_primes));
  }
  scales_ = he::level_scales(std::exp2(setting.scale_bits), primes_);
}

auto RealNoise::fresh(size_t n_primes, double bound) const -> State {
  State state;
  state.noise.n_primes = n_primes;
  state.noise.scale = scales_[n_primes - 1];
  state.noise.magnitude = bound;
  state.noise.noise =
      he::add_logarithms(model_.fresh_symmetric(), rounding_noise(state.noise.scale, bound));
  return state;
}

void RealNoise::add(State& a, const State& b) const {
  a.noise.noise = sum_noise(a.noise.noise, b.noise.noise, a.noise.scale, b.noise);
  a.noise.n_factors = std::max(a.noise.n_factors, b.noise.n_factors);
  a.noise.magnitude += b.noise.magnitude;
}

void RealNoise::add_plain(State& a, double bound) const {
  a.noise.noise = he::add_logarithms(a.noise.noise, rounding_noise(a.noise.scale, bound));
  a.noise.magnitude += bound;
}

void RealNoise::multiply(State& a, const State& b) const {
  multiply(a, b.noise);
}

void RealNoise::multiply(State& a, const NoiseState& b) const {
  const he::NoiseGrowth growth = model_.product(a.noise, b);
  a.noise.noise = growth.noise;
  a.noise.n_factors = growth.n_factors;
  a.noise.scale *= b.scale;
  a.noise.magnitude *= b.magnitude;
  a.power += 1;
}

void RealNoise::multiply_plain(State& a, double bound) const {
  const double scale = scales_[a.noise.n_primes - 1];
  multiply(a, {.noise = rounding_noise(scale, bound),
               .scale = scale,
               .magnitude = bound,
               .n_primes = a.noise.n_primes});
}

void RealNoise::switch_key(State& a, he::KeyOrigin /*origin*/) const {
  a.noise.noise = he::add_logarithms(a.noise.noise, key_switch_noise_[a.noise.n_primes - 1]);
}

/// The modulus and the scale, whatever its power.
void RealNoise::divide(State& a) const {
  const he::NoiseGrowth growth = model_.dropped(a.noise, a.degree);
  a.noise.noise = growth.noise;
  a.noise.n_factors = growth.n_factors;
  a.noise.scale /= primes_[--a.noise.n_primes];
}

void RealNoise::drop_prime(State& a) const {
  divide(a);
  a.power -= 1;
}

void RealNoise::lower_to(size_t n_primes, State& a) const {
  if (a.noise.n_primes == n_primes) {
    return;
  }
  const double wanted = std::pow(scales_[n_primes - 1], a.power);
  const double factor = std::max(std::nearbyint(wanted * primes_[n_primes] / a.noise.scale), 1.0);
  a.noise.n_primes = n_primes + 1;
  a.noise.scale *= factor;
  a.noise.noise += std::log2(factor);
  divide(a);
}

void RealNoise::bootstrap(State& a, double bound) const {
  const auto n = static_cast<size_t>(model_.ring_dimension());
  const he::BootstrappingShape shape = he::bootstrapping_shape(n);
  const double error =
      model_.error(a.noise) + he::bootstrapping_error(model_, primes_.size(), shape,
                                                      scales_[shape.n_operand_primes() - 1],
                                                      he::rounded_bound(bound));
  a.noise.n_primes = primes_.size();
  a.noise.scale = scales_.back();
  a.noise.magnitude = bound;
  a.noise.n_factors = 1;
  a.noise.noise = model_.noise_of(error, a.noise.scale);
}

auto RealNoise::exact(State a) -> State {
  constexpr double kNone = -500;
  a.noise.noise = kNone;
  return a;
}

auto RealNoise::deviation(const State& a) -> double {
  return std::exp2(a.noise.noise) / a.noise.scale;
}

void RealNoise::limit(double deviation, State& a) {
  a.noise.noise = std::min(a.noise.noise, std::log2(deviation * a.noise.scale));
}

void RealNoise::observe(const State& a, Outcome& outcome) const {
  outcome.budget = std::min(outcome.budget, model_.budget(a.noise));
}

void RealNoise::observe_output(const State& a, size_t /*n_outputs*/, Outcome& outcome) const {
  outcome.error = std::max(outcome.error, static_cast<double>(n_summed_) * model_.error(a.noise));
}

}  // namespace tacet::he_lower
