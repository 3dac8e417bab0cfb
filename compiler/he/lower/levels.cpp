#include "compiler/he/lower/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacet::he_lower {

using he::Operation;
using he::Scheme;

namespace {

constexpr uint32_t kUnset = 0xffffffff;

/// Products of fingerprints, which are odd: equal factors give equal products in any order.
auto fingerprint_of_prime(size_t prime) -> uint64_t {
  uint64_t x = (static_cast<uint64_t>(prime) + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return (x ^ (x >> 31)) | 1;
}

}  // namespace

LevelSimulation::LevelSimulation(const Trace& trace, const Setting& setting,
                                 const he::OperationTimes& times)
    : trace_(trace),
      scheme_(setting.scheme),
      log_t_(std::log2(static_cast<double>(setting.plain_modulus))),
      n_primes_(static_cast<uint32_t>(setting.data_sizes.size())),
      model_(setting.scheme, setting.ring_dimension, static_cast<double>(setting.plain_modulus),
             setting.data_sizes, setting.special_sizes) {
  if (setting.is_hidden) {
    bounds_.emplace(setting.scheme, setting.ring_dimension,
                    static_cast<double>(setting.plain_modulus), setting.data_sizes,
                    setting.special_sizes);
  }
  for (size_t m = 1; m <= n_primes_; ++m) {
    key_switch_noise_.push_back(trace.needs_keys ? model_.key_switch(m) : 0);
    for (size_t i = 0; i < he::kOperations; ++i) {
      times_[i].push_back(
          times.of(static_cast<Operation>(i), {.scheme = setting.scheme,
                                               .ring_dimension = setting.ring_dimension,
                                               .n_primes = m,
                                               .n_special = setting.special_sizes.size()}));
    }
  }
  for (uint32_t prime = 0; prime < n_primes_; ++prime) {
    fingerprints_.push_back(fingerprint_of_prime(prime));
  }
  states_.resize(trace.n_inputs() + trace.steps.size());
}

auto LevelSimulation::full_caps() const -> std::vector<uint32_t> {
  return std::vector<uint32_t>(trace_.n_groups, n_primes_);
}

auto LevelSimulation::run(double loss, std::vector<uint32_t> caps) -> Outcome {
  Outcome outcome;
  bool is_lowered = false;
  for (;;) {
    outcome = {};
    if (!pass(loss, caps, outcome)) {
      continue;  // some caps are lower now
    }
    if (is_lowered || trace_.has_drops || !lower_to_uses(outcome.levels, caps)) {
      return outcome;
    }
    is_lowered = true;
  }
}

/// What every use drops anyway may be dropped once, where it is made. False if there is none.
auto LevelSimulation::lower_to_uses(const Levels& levels, std::vector<uint32_t>& caps) const
    -> bool {
  std::vector<uint32_t> most(trace_.n_groups);
  for (const Step& step : trace_.steps) {
    for (const uint32_t operand : {step.a, step.b}) {
      uint32_t& primes = most[trace_.group_of(operand)];
      primes = std::max(primes, levels.of_statement[step.statement]);
    }
  }
  for (const uint32_t output : trace_.outputs) {
    most[trace_.group_of(output)] = n_primes_;
  }
  bool is_lower = false;
  for (uint32_t group = 0; group < trace_.n_groups; ++group) {
    const uint32_t cap = std::min(caps[group], std::max(most[group], 1U));
    // Groups without a value have no number of primes.
    is_lower = is_lower || (cap < caps[group] && levels.of_group[group] != kUnset &&
                            cap < levels.of_group[group]);
    caps[group] = cap;
  }
  return is_lower;
}

/// Goes through the trace once. False if a group turned out to need less primes than it was given;
/// then its cap is lower than before, so that passes come to an end.
auto LevelSimulation::pass(double loss, std::vector<uint32_t>& caps, Outcome& outcome) -> bool {
  outcome.microseconds = 0;
  outcome.levels.of_group.assign(trace_.n_groups, kUnset);
  outcome.levels.of_statement.assign(trace_.statement_group.size(), 0);
  encrypt_inputs(caps, outcome);
  bool is_stable = true;
  for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
    const Step& step = trace_.steps[i];
    State result = computed(step, outcome);
    is_stable = settle(step, loss, caps, result, outcome) && is_stable;
    states_[trace_.n_inputs() + i] = result;
  }
  n_steps_ += trace_.steps.size();
  decrypt_outputs(outcome);
  return is_stable;
}

void LevelSimulation::encrypt_inputs(const std::vector<uint32_t>& caps, Outcome& outcome) {
  for (uint32_t i = 0; i < trace_.n_inputs(); ++i) {
    const uint32_t group = trace_.input_groups[i];
    outcome.levels.of_group[group] = caps[group];
    states_[i] = {.noise = {.noise = model_.fresh_symmetric(), .n_primes = caps[group]},
                  .bound = bounds_ ? bounds_->fresh_symmetric() : 0};
    outcome.microseconds += time(Operation::Encrypt, caps[group]) * trace_.input_times[i];
  }
}

auto LevelSimulation::computed(const Step& step, Outcome& outcome) const -> State {
  const State& a = states_[step.a];
  const State& b = states_[step.b];
  const size_t level = std::min(a.noise.n_primes, b.noise.n_primes);
  State result;
  if (a.noise.n_primes == b.noise.n_primes) {
    result = applied(step, a, b);
  } else {
    const bool is_first = a.noise.n_primes > level;
    State lower = is_first ? a : b;
    outcome.microseconds += time(Operation::Drop, lower.noise.n_primes) * step.times *
                            static_cast<double>(lower.noise.n_primes - level) * size_of(lower);
    drop_to(level, lower);
    result = is_first ? applied(step, lower, b) : applied(step, a, lower);
  }
  outcome.levels.of_statement[step.statement] = static_cast<uint32_t>(level);
  const bool grows = step.kind == StepKind::Add || step.kind == StepKind::MultiplyPlain;
  outcome.microseconds +=
      time_of(step, static_cast<uint32_t>(level)) * step.times * (grows ? size_of(result) : 1);
  return result;
}

auto LevelSimulation::settle(const Step& step, double loss, std::vector<uint32_t>& caps,
                             State& result, Outcome& outcome) const -> bool {
  const auto n_left = static_cast<uint32_t>(result.noise.n_primes);
  const uint32_t group = trace_.statement_group[step.statement];
  uint32_t& wanted = outcome.levels.of_group[group];
  if (wanted == kUnset) {
    // Within the cap also where the program says what it drops: else a group whose iterations end
    // with fewer and fewer primes would be found too large again and again.
    wanted =
        trace_.has_drops ? std::min(n_left, caps[group]) : worthwhile(result, caps[group], loss);
  }
  const bool has_enough = wanted <= n_left;
  if (!has_enough) {
    caps[group] = wanted = n_left;
  }
  if (wanted < n_left) {
    outcome.microseconds +=
        time(Operation::Drop, n_left) * (n_left - wanted) * step.times * size_of(result);
    drop_to(wanted, result);
  }
  return has_enough;
}

void LevelSimulation::decrypt_outputs(Outcome& outcome) const {
  outcome.budget = std::numeric_limits<double>::infinity();
  for (const uint32_t output : trace_.outputs) {
    const State& state = states_[output];
    outcome.budget = std::min(outcome.budget, output_budget(state));
    outcome.microseconds += time(Operation::Decrypt, state.noise.n_primes) * size_of(state);
    if (bounds_) {
      outcome.microseconds += time(Operation::Encrypt, state.noise.n_primes);
    }
  }
}

auto LevelSimulation::applied(const Step& step, const State& a, const State& b) const -> State {
  State result = a;
  he::NoiseState& noise = result.noise;
  switch (step.kind) {
    case StepKind::Add:
      return sum(a, b);
    case StepKind::AddPlain:
      noise.noise = he::add_logarithms(noise.noise, -1);
      if (bounds_) {
        result.bound = bounds_->sum(a.bound, 0);
      }
      return result;
    case StepKind::Multiply: {
      const he::NoiseGrowth growth = model_.product(a.noise, b.noise);
      noise.noise = growth.noise;
      noise.n_factors = growth.n_factors;
      if (bounds_) {
        result.bound = bounds_->product(a.bound, b.bound);
      }
      result.degree = 2;
      result.correction = a.correction * b.correction;
      return result;
    }
    case StepKind::MultiplyPlain:
      noise.noise = model_.plain_product(noise.noise, std::exp2(log_t_ - 1));
      if (bounds_) {
        result.bound = bounds_->plain_product(a.bound, std::exp2(log_t_ - 1));
      }
      return result;
    case StepKind::Rotate:
    case StepKind::Relinearise:
      noise.noise = he::add_logarithms(noise.noise, key_switch_noise_[noise.n_primes - 1]);
      if (bounds_) {
        result.bound = bounds_->switched(a.bound, noise.n_primes);
      }
      result.degree = 1;
      return result;
    case StepKind::Drop:
      drop_to(a.noise.n_primes - std::min<size_t>(step.count, a.noise.n_primes - 1), result);
      return result;
    case StepKind::Rename:
      return result;
  }
  return result;
}

/// Two ciphertexts that were not dropped alike have messages times different numbers modulo t, and
/// are first multiplied by small ones, about the root of t, that make them equal.
auto LevelSimulation::sum(State a, const State& b) const -> State {
  double other = b.noise.noise;
  double other_bound = b.bound;
  if (scheme_ == Scheme::Bgv && a.correction != b.correction) {
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
  a.degree = std::max(a.degree, b.degree);
  return a;
}

void LevelSimulation::drop_to(size_t n_primes, State& state) const {
  while (state.noise.n_primes > n_primes) {
    const he::NoiseGrowth growth = model_.dropped(state.noise, state.degree);
    state.noise.noise = growth.noise;
    state.noise.n_factors = growth.n_factors;
    if (bounds_) {
      state.bound = bounds_->dropped(state.bound, state.noise.n_primes, state.degree);
    }
    state.correction *= fingerprints_[--state.noise.n_primes];
  }
}

/// Of a value on the way: of the noise as it is, or as it is at most.
auto LevelSimulation::budget(const State& state) const -> double {
  return bounds_ ? model_.modulus_bits(state.noise.n_primes) - 1 - log_t_ - state.bound
                 : model_.budget(state.noise);
}

auto LevelSimulation::output_budget(const State& state) const -> double {
  return bounds_ ? bounds_->hidden_budget(state.bound, state.noise.n_primes, trace_.outputs.size())
                 : model_.budget(state.noise);
}

/// How many primes to leave a value that was just made.
auto LevelSimulation::worthwhile(const State& state, uint32_t cap, double loss) const -> uint32_t {
  const double before = budget(state);
  State left = state;
  while (left.noise.n_primes > 1) {
    State fewer = left;
    drop_to(left.noise.n_primes - 1, fewer);
    if (left.noise.n_primes <= cap && budget(fewer) < before - loss) {
      break;
    }
    left = fewer;
  }
  return static_cast<uint32_t>(left.noise.n_primes);
}

auto LevelSimulation::time_of(const Step& step, uint32_t n_primes) const -> double {
  switch (step.kind) {
    case StepKind::Add:
      return time(Operation::Add, n_primes);
    case StepKind::AddPlain:
      return time(Operation::AddPlain, n_primes);
    case StepKind::Multiply:
      return time(Operation::Multiply, n_primes);
    case StepKind::MultiplyPlain:
      return time(Operation::MultiplyPlain, n_primes);
    case StepKind::Relinearise:
      return time(Operation::Relinearise, n_primes);
    case StepKind::Rotate: {
      const uint32_t n = trace_.n_rotations[step.a];
      return n == 1
                 ? time(Operation::Rotate, n_primes)
                 : time(Operation::RotateHoisted, n_primes) + time(Operation::Hoist, n_primes) / n;
    }
    case StepKind::Drop:
      return time(Operation::Drop, n_primes) * step.count;
    case StepKind::Rename:
      return 0;
  }
  return 0;
}

}  // namespace tacet::he_lower
