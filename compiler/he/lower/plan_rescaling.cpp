#include <algorithm>
#include <utility>

#include "compiler/he/lower/level_pass.h"
#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {
namespace {

/// Whether it is of one ciphertext and could as well be done after a prime was dropped.
auto is_passed(StepKind kind, Rescaling rescaling) -> bool {
  return kind == StepKind::Rotate || kind == StepKind::Rename ||
         (kind == StepKind::Relinearise && rescaling != Rescaling::Relinearised);
}

/// Goes through the trace again and again, as long as something new must be rescaled or have fewer
/// primes.
class Rescaler {
 public:
  Rescaler(const Trace& trace, Rescaling rescaling, RescaleResults results)
      : trace_(trace),
        results_(results),
        n_most_(static_cast<uint32_t>(trace.steps.size()) + 1 + trace.n_bootstrapped_primes),
        passed_(trace.n_groups),
        pass_(trace, std::vector<uint32_t>(trace.n_groups, n_most_),
              std::vector<bool>(trace.n_groups)) {
    for (const Step& step : trace.steps) {
      const uint32_t group = trace.statement_group[step.statement];
      if (is_passed(step.kind, rescaling)) {
        passed_[group].push_back(trace.group_of(step.a));
      }
      if (rescaling == Rescaling::Early && is_real_product(step.kind)) {
        pass_.is_rescaled[group] = true;
      }
    }
  }

  auto run() -> RealPlan {
    // Groups that nothing uses are left alone: they would be the least of all.
    pass_.settle(0, [&] {
      pass();
      return true;
    });
    return plan();
  }

 private:
  void rescale(uint32_t group) {
    std::vector<uint32_t> waiting = {group};
    while (!waiting.empty()) {
      const uint32_t next = waiting.back();
      waiting.pop_back();
      if (!pass_.is_rescaled[next]) {
        pass_.is_rescaled[next] = true;
        pass_.is_stable = false;
        is_new_ = true;
        waiting.insert(waiting.end(), passed_[next].begin(), passed_[next].end());
      }
    }
  }

  void want_single(uint32_t value) {
    if (pass_.values[value].power > 1) {
      rescale(trace_.group_of(value));
    }
  }

  void pass() {
    is_new_ = false;
    pass_.begin();
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      pass_.values[trace_.n_inputs() + i] = made_by(trace_.steps[i]);
    }
    if (results_ == RescaleResults::Yes) {
      for (const uint32_t output : trace_.outputs) {
        want_single(output);
      }
    }
    if (is_new_) {
      // Values before it were not rescaled yet, so sums were rescaled again and again.
      pass_.caps.assign(trace_.n_groups, n_most_);
    }
  }

  auto made_by(const Step& step) -> ValueLevel {
    const ValueLevel& a = pass_.values[step.a];
    if (step.kind == StepKind::Bootstrap) {
      want_single(step.a);
      const uint32_t n_before = a.n_primes;
      const ValueLevel made = pass_.keep(step, {.n_primes = n_most_, .power = 1});
      pass_.levels.of_statement[step.statement] = n_before;
      return made;
    }
    const ValueLevel& b = pass_.values[step.b];
    const bool is_product = is_real_product(step.kind);
    if (is_product || a.power != b.power) {
      want_single(step.a);
      want_single(step.b);
    }
    const ValueLevel made =
        pass_.keep(step, {.n_primes = std::min(a.n_primes, b.n_primes),
                          .power = is_product ? 2U : std::max(a.power, b.power)});
    const uint32_t group = trace_.statement_group[step.statement];
    if (pass_.powers[group] != made.power) {
      rescale(group);
    }
    return made;
  }

  /// Counted from the least.
  auto plan() -> RealPlan {
    uint32_t least = n_most_;
    uint32_t most = 1;
    for (const ValueLevel& value : pass_.values) {
      least = std::min(least, value.n_primes);
      most = std::max(most, value.n_primes);
    }
    for (const Step& step : trace_.steps) {
      if (step.kind == StepKind::Bootstrap) {
        least = std::min(least, pass_.values[step.a].n_primes + 1 - trace_.n_bootstrapped_primes);
      }
    }
    for (uint32_t& n : pass_.levels.of_group) {
      n = n == LevelPass::kUnset ? 1 : n - least + 1;
    }
    for (uint32_t& n : pass_.levels.of_statement) {
      n = n == 0 ? 0 : n - least + 1;
    }
    return {.levels = std::move(pass_.levels), .n_most = most - least + 1};
  }

  const Trace& trace_;
  RescaleResults results_;
  uint32_t n_most_;                            ///< more than any program takes
  std::vector<std::vector<uint32_t>> passed_;  ///< by group: what is rescaled instead, before it
  LevelPass pass_;
  bool is_new_ = false;  ///< something more is rescaled than in the pass before
};

}  // namespace

auto plan_rescaling(const Trace& trace, Rescaling rescaling, RescaleResults results) -> RealPlan {
  return Rescaler(trace, rescaling, results).run();
}

auto raised(const RealPlan& plan, uint32_t n_least) -> Levels {
  Levels levels = plan.levels;
  for (uint32_t& n : levels.of_group) {
    n += n_least - 1;
  }
  for (uint32_t& n : levels.of_statement) {
    n += n == 0 ? 0 : n_least - 1;
  }
  return levels;
}

}  // namespace tacet::he_lower
