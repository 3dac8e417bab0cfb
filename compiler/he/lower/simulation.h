#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/he/lower/level_times.h"
#include "compiler/he/lower/stage_errors.h"

namespace tacet::he_lower {

/// Walks a trace under a setting, as the engine would run it, and estimates noise and time.
///
/// `Noise` knows the numbers that are encrypted, integers or reals. Its `State` has at least the
/// `noise` and the `degree` of a value, and it has these operations on states, which leave the
/// degree alone:
///
///   fresh(n_primes, bound)                      an input
///   add, multiply(a, b)                         with a ciphertext
///   add_plain, multiply_plain(a, bound)         with a plaintext whose numbers have this bound
///   switch_key(a, origin)
///   drop_prime(a)                               divides by the last prime
///   lower_to(n_primes, a)                       to fewer primes
///   bootstrap(a, bound)                         to all primes, where traces have such steps
///   observe, observe_output(a, …, outcome)      notes budget and error
///
/// and, if traces have stages (`StageErrors`), `exact`, `deviation`, `limit` and `most_in_slot`.
template <class Noise>
class Simulation {
 public:
  using State = typename Noise::State;

  Simulation(const Trace& trace, const Setting& setting, const he::OperationTimes& times)
      : trace_(trace),
        noise_(trace, setting),
        times_(setting, times),
        is_hidden_(setting.is_hidden),
        stage_errors_(trace, most_in_slot(noise_)),
        states_(trace.n_inputs() + trace.steps.size()) {}

  /// Walks once, or twice where imaginary parts of errors matter. Inputs have the primes of their
  /// groups, and statements are rescaled as `levels` says. `keep(step, level, made)` is the number
  /// of primes that a result keeps, of a step on operands of `level` primes. The outcome has no
  /// levels. O(steps).
  template <class Keep>
  auto walk(const Levels& levels, const Keep& keep) -> Outcome {
    if (stage_errors_.has_continuity()) {
      (void)walk(levels, keep, StageErrors::Track::Imaginary);
      stage_errors_.keep_imaginary();
    }
    return walk(levels, keep, StageErrors::Track::Results);
  }

  [[nodiscard]] auto noise() const -> const Noise& { return noise_; }

  /// Steps simulated so far.
  [[nodiscard]] auto n_steps() const -> size_t { return n_steps_; }

 private:
  template <class Keep>
  auto walk(const Levels& levels, const Keep& keep, StageErrors::Track track) -> Outcome {
    outcome_ = {.levels = {}, .budget = std::numeric_limits<double>::infinity()};
    track_ = track;
    stage_errors_.begin(track);
    for (uint32_t i = 0; i < trace_.n_inputs(); ++i) {
      const uint32_t n_primes = levels.of_group[trace_.input_groups[i]];
      states_[i] = noise_.fresh(n_primes, trace_.input_bounds[i]);
      narrow(i, states_[i]);
      spend(trace_.input_times[i] * times_.of(he::Operation::Encrypt, n_primes));
      note_input(i);
      noise_.observe(states_[i], outcome_);
    }
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      const Step& step = trace_.steps[i];
      const size_t level = level_of(step);
      const uint32_t value = trace_.n_inputs() + i;
      const bool is_rescaled = levels.is_rescaled[step.statement];
      State made = computed(step, level);
      narrow(value, made);
      if (is_rescaled) {
        rescale(step, made);
      }
      const size_t n_kept = keep(step, static_cast<uint32_t>(level), std::as_const(made));
      lower(step, n_kept, made);
      note_step(step, value, level, is_rescaled, n_kept, made);
      noise_.observe(made, outcome_);
      states_[trace_.n_inputs() + i] = made;
    }
    n_steps_ += trace_.steps.size();
    decrypt_outputs();
    if (stage_errors_.is_known()) {
      outcome_.register_errors = stage_errors_.register_errors();
    }
    return std::move(outcome_);
  }

  static auto most_in_slot(const Noise& noise) -> double {
    if constexpr (requires { noise.most_in_slot(); }) {
      return noise.most_in_slot();
    }
    return 1;
  }

  /// What is done to each part of a ciphertext takes so many times as long as with two.
  [[nodiscard]] static auto size_of(const State& state) -> double {
    return static_cast<double>(state.degree + 1) / 2;
  }

  /// To what is known of a value beside what its operands say.
  void narrow(uint32_t value, State& state) const {
    if (!trace_.bounds.empty()) {
      state.noise.magnitude = std::min(state.noise.magnitude, trace_.bounds[value]);
    }
  }

  void note_input(uint32_t input) {
    if constexpr (requires { &Noise::deviation; }) {
      if (stage_errors_.is_known()) {
        stage_errors_.note_input(trace_.input_groups[input], Noise::deviation(states_[input]));
      }
    }
  }

  /// What errors the step makes itself: of operands without any.
  void note_step(const Step& step, uint32_t value, size_t level, bool is_rescaled, size_t n_kept,
                 State& made) {
    if constexpr (requires { &Noise::deviation; }) {
      if (!stage_errors_.is_known()) {
        return;
      }
      if (stage_errors_.counts(step.statement)) {
        State own = Noise::exact(states_[step.a]);
        State b = Noise::exact(states_[step.b]);
        noise_lower(level, own);
        noise_lower(level, b);
        apply(step, own, step.a == step.b ? State(own) : b);
        narrow(value, own);
        if (is_rescaled) {
          noise_.drop_prime(own);
        }
        noise_lower(n_kept, own);
        // Scales of what is added are not quite equal: an error in proportion to numbers.
        // So is the sine in place of its angle.
        const bool is_systematic = step.kind == StepKind::Add || step.kind == StepKind::AddPlain ||
                                   step.kind == StepKind::Bootstrap;
        stage_errors_.note_made(
            step.statement, Noise::deviation(own),
            is_systematic ? StageErrors::Kind::Systematic : StageErrors::Kind::Independent);
      }
      if (const std::optional<double> most = stage_errors_.of_result(step.statement)) {
        Noise::limit(*most, made);
      }
      stage_errors_.note_base(step.statement, Noise::deviation(made));
    }
  }

  void noise_lower(size_t n_primes, State& state) const {
    if (n_primes < state.noise.n_primes) {
      noise_.lower_to(n_primes, state);
    }
  }

  void spend(double microseconds) { outcome_.microseconds += microseconds; }

  /// The operand with more primes is lowered first.
  [[nodiscard]] auto level_of(const Step& step) const -> size_t {
    return std::min(states_[step.a].noise.n_primes, states_[step.b].noise.n_primes);
  }

  void lower(const Step& step, size_t n_primes, State& state) {
    const size_t before = state.noise.n_primes;
    if (n_primes < before) {
      spend(step.times * size_of(state) * times_.of_lowering(before, n_primes));
      noise_.lower_to(n_primes, state);
    }
  }

  void rescale(const Step& step, State& state) {
    noise_.observe(state, outcome_);
    spend(step.times * size_of(state) * times_.of(he::Operation::Drop, state.noise.n_primes));
    noise_.drop_prime(state);
  }

  auto computed(const Step& step, size_t level) -> State {
    State made = states_[step.a];
    lower(step, level, made);
    State b = made;
    if (step.b != step.a) {
      b = states_[step.b];
      lower(step, level, b);
    }
    apply(step, made, b);
    spend(step.times * times_.of_step(trace_, step, level, size_of(made)));
    return made;
  }

  void apply(const Step& step, State& made, const State& b) const {
    switch (step.kind) {
      case StepKind::Add:
        noise_.add(made, b);
        made.degree = std::max(made.degree, b.degree);
        return;
      case StepKind::AddPlain:
        return noise_.add_plain(made, step.bound);
      case StepKind::Multiply:
        noise_.multiply(made, b);
        made.degree = 2;
        return;
      case StepKind::MultiplyPlain:
        return noise_.multiply_plain(made, step.bound);
      case StepKind::Rotate:
      case StepKind::Relinearise:
        noise_.switch_key(
            made, step.kind == StepKind::Rotate ? he::KeyOrigin::Image : he::KeyOrigin::Square);
        made.degree = 1;
        return;
      case StepKind::Bootstrap:
        if constexpr (requires { &Noise::bootstrap; }) {
          if (track_ == StageErrors::Track::Imaginary) {
            made = Noise::exact(made);  // real parts are taken
          }
          noise_.bootstrap(made, step.bound);
        }
        return;
      case StepKind::Drop:
        return noise_.lower_to(primes_after(step, static_cast<uint32_t>(made.noise.n_primes)),
                               made);
      case StepKind::Rename:
        return;
    }
  }

  void decrypt_outputs() {
    for (const uint32_t output : trace_.outputs) {
      const State& state = states_[output];
      noise_.observe_output(state, trace_.outputs.size(), outcome_);
      const size_t n_primes = state.noise.n_primes;
      spend(size_of(state) * times_.of(he::Operation::Decrypt, n_primes));
      if (is_hidden_) {
        spend(times_.of(he::Operation::Encrypt, n_primes));
      }
    }
  }

  const Trace& trace_;
  Noise noise_;
  LevelTimes times_;
  bool is_hidden_;
  StageErrors stage_errors_;
  StageErrors::Track track_ = StageErrors::Track::Results;
  std::vector<State> states_;
  Outcome outcome_;
  size_t n_steps_ = 0;
};

}  // namespace tacet::he_lower
