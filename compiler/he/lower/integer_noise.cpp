#include "compiler/he/lower/integer_noise.h"

#include <algorithm>

namespace tacet::he_lower {

/// Products of fingerprints, which are odd: equal factors give equal products in any order.
static auto fingerprint_of_prime(size_t prime) -> uint64_t {
  uint64_t x = (static_cast<uint64_t>(prime) + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return (x ^ (x >> 31)) | 1;
}

IntegerNoise::IntegerNoise(const Trace& trace, const Setting& setting)
    : scheme_(setting.scheme),
      log_t_(std::log2(static_cast<double>(setting.plain_modulus))),
      model_(setting.scheme, setting.ring_dimension, static_cast<double>(setting.plain_modulus),
             setting.data_sizes, setting.special_sizes, setting.n_key_holders),
      n_key_holders_(setting.n_key_holders),
      n_contributions_(setting.n_contributions),
      is_hidden_(setting.is_hidden) {
  if (setting.has_linear_results()) {
    bounds_.emplace(setting.scheme, setting.ring_dimension,
                    static_cast<double>(setting.plain_modulus), setting.data_sizes,
                    setting.special_sizes, setting.n_key_holders);
  }
  for (size_t prime = 0; prime < setting.data_sizes.size(); ++prime) {
    for (const he::KeyOrigin origin : {he::KeyOrigin::Square, he::KeyOrigin::Image}) {
      key_switch_noise_.push_back(trace.needs_keys ? model_.key_switch(prime + 1, origin) : 0);
    }
    fingerprints_.push_back(fingerprint_of_prime(prime));
  }
}

auto IntegerNoise::fresh(size_t n_primes, double /*bound*/) const -> State {
  if (n_key_holders_ > 1) {
    const double more = std::log2(static_cast<double>(n_contributions_));
    return {.noise = {.noise = model_.fresh_public() + more, .n_primes = n_primes},
            .bound = bounds_->fresh_sum(n_contributions_)};
  }
  return {.noise = {.noise = model_.fresh_symmetric(), .n_primes = n_primes},
          .bound = bounds_ ? bounds_->fresh_symmetric() : 0};
}

void IntegerNoise::add(State& a, const State& b) const {
  double other = b.noise.noise;
  double other_bound = b.bound;
  if (scheme_ == he::Scheme::Bgv && a.correction != b.correction) {
    a.noise.noise += log_t_ / 2;
    other += log_t_ / 2;
    if (bounds_) {
      a.bound = bounds_->multiple(a.bound, std::exp2(log_t_ / 2));
      other_bound = bounds_->multiple(other_bound, std::exp2(log_t_ / 2));
    }
    a.correction = a.correction * 3 + b.correction * 5;  // of neither
  }
  a.noise.noise = he::add_logarithms(a.noise.noise, other);
  a.noise.n_factors = std::max(a.noise.n_factors, b.noise.n_factors);
  if (bounds_) {
    a.bound = bounds_->sum(a.bound, other_bound);
  }
}

void IntegerNoise::add_plain(State& a, double /*bound*/) const {
  a.noise.noise = he::add_logarithms(a.noise.noise, -1);
  if (bounds_) {
    a.bound = bounds_->sum(a.bound, 0);
  }
}

void IntegerNoise::multiply(State& a, const State& b) const {
  const he::NoiseGrowth growth = model_.product(a.noise, b.noise);
  a.noise.noise = growth.noise;
  a.noise.n_factors = growth.n_factors;
  if (bounds_) {
    a.bound = bounds_->product(a.bound, b.bound);
  }
  a.correction *= b.correction;
}

void IntegerNoise::multiply_plain(State& a, double /*bound*/) const {
  a.noise.noise = model_.plain_product(a.noise.noise, std::exp2(log_t_ - 1));
  if (bounds_) {
    a.bound = bounds_->plain_product(a.bound, std::exp2(log_t_ - 1));
  }
}

void IntegerNoise::switch_key(State& a, he::KeyOrigin origin) const {
  const size_t at = 2 * (a.noise.n_primes - 1) + (origin == he::KeyOrigin::Square ? 0 : 1);
  a.noise.noise = he::add_logarithms(a.noise.noise, key_switch_noise_[at]);
  if (bounds_) {
    a.bound = bounds_->switched(a.bound, a.noise.n_primes, origin);
  }
}

void IntegerNoise::drop_prime(State& a) const {
  const he::NoiseGrowth growth = model_.dropped(a.noise, a.degree);
  a.noise.noise = growth.noise;
  a.noise.n_factors = growth.n_factors;
  if (bounds_) {
    a.bound = bounds_->dropped(a.bound, a.noise.n_primes, a.degree);
  }
  a.correction *= fingerprints_[--a.noise.n_primes];
}

void IntegerNoise::lower_to(size_t n_primes, State& a) const {
  while (a.noise.n_primes > n_primes) {
    drop_prime(a);
  }
}

void IntegerNoise::observe_output(const State& a, size_t n_outputs, Outcome& outcome) const {
  if (n_key_holders_ == 1) {
    const double left = bounds_ ? bounds_->hidden_budget(a.bound, a.noise.n_primes, n_outputs)
                                : model_.budget(a.noise);
    outcome.budget = std::min(outcome.budget, left);
    return;
  }
  // The holders flood this, and take nothing with a larger estimate for a result of the program.
  const double largest_estimated = a.noise.noise + std::log2(10);
  const double bound =
      is_hidden_ ? bounds_->hiding_bits(a.bound, n_outputs) : std::max(a.bound, largest_estimated);
  // All results are flooded as the one with the most noise, whatever primes they have.
  const auto flooded = [&](double noise) { return bounds_->flooded(noise, n_key_holders_); };
  const double before = outcome.budget + flooded(outcome.noise_bound);
  const double room =
      bounds_->flooded_budget(bound, a.noise.n_primes, n_key_holders_) + flooded(bound);
  outcome.noise_bound = std::max(outcome.noise_bound, bound);
  outcome.budget = std::min(before, room) - flooded(outcome.noise_bound);
}

auto IntegerNoise::budget(const State& a) const -> double {
  return bounds_ ? model_.modulus_bits(a.noise.n_primes) - 1 - log_t_ - a.bound
                 : model_.budget(a.noise);
}

}  // namespace tacet::he_lower
