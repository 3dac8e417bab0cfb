#include <algorithm>

#include "compiler/he/real_levels.h"

namespace tacet::encrypted {
namespace {

constexpr uint32_t kUnset = 0xffffffff;

auto is_product(StepKind kind) -> bool {
  return kind == StepKind::Multiply || kind == StepKind::MultiplyPlain;
}

/// Whether it is of one ciphertext and could as well be done after a prime was dropped.
auto is_passed(StepKind kind) -> bool {
  return kind == StepKind::Rotate || kind == StepKind::Relinearise || kind == StepKind::Rename;
}

/// Goes through the trace again and again, as long as something new must be rescaled or have fewer
/// primes.
class Rescaler {
 public:
  Rescaler(const Trace& trace, Rescaling rescaling, RescaleResults results)
      : trace_(trace),
        results_(results),
        n_most_(static_cast<uint32_t>(trace.steps.size()) + 1),
        caps_(trace.n_groups, n_most_),
        is_rescaled_(trace.n_groups),
        passed_(trace.n_groups),
        values_(trace.n_inputs() + trace.steps.size()) {
    for (const Step& step : trace.steps) {
      const uint32_t group = trace.statement_group[step.statement];
      if (is_passed(step.kind)) {
        passed_[group].push_back(group_of(step.a));
      }
      if (rescaling == Rescaling::Early && is_product(step.kind)) {
        is_rescaled_[group] = true;
      }
    }
  }

  auto run() -> RealPlan {
    bool is_lowered = false;
    for (;;) {
      is_stable_ = true;
      pass();
      if (is_stable_ && is_lowered) {
        return plan();
      }
      if (is_stable_) {
        lower_to_uses();
        is_lowered = true;
      }
    }
  }

 private:
  struct Value {
    uint32_t n_primes = 0;
    uint32_t power = 1;  ///< of the scale
  };

  auto group_of(uint32_t value) const -> uint32_t {
    return value < trace_.n_inputs()
               ? trace_.input_groups[value]
               : trace_.statement_group[trace_.steps[value - trace_.n_inputs()].statement];
  }

  void rescale(uint32_t group) {
    std::vector<uint32_t> waiting = {group};
    while (!waiting.empty()) {
      const uint32_t next = waiting.back();
      waiting.pop_back();
      if (!is_rescaled_[next]) {
        is_rescaled_[next] = true;
        is_stable_ = false;
        waiting.insert(waiting.end(), passed_[next].begin(), passed_[next].end());
      }
    }
  }

  void want_single(uint32_t value) {
    if (values_[value].power > 1) {
      rescale(group_of(value));
    }
  }

  void pass() {
    levels_.of_group.assign(trace_.n_groups, kUnset);
    levels_.of_statement.assign(trace_.statement_group.size(), 0);
    levels_.is_rescaled.assign(trace_.statement_group.size(), false);
    powers_.assign(trace_.n_groups, 1);
    for (uint32_t i = 0; i < trace_.n_inputs(); ++i) {
      levels_.of_group[trace_.input_groups[i]] = caps_[trace_.input_groups[i]];
      values_[i] = {.n_primes = caps_[trace_.input_groups[i]]};
    }
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      values_[trace_.n_inputs() + i] = made_by(trace_.steps[i]);
    }
    if (results_ == RescaleResults::Yes) {
      for (const uint32_t output : trace_.outputs) {
        want_single(output);
      }
    }
  }

  auto made_by(const Step& step) -> Value {
    const Value& a = values_[step.a];
    const Value& b = values_[step.b];
    if (is_product(step.kind) || a.power != b.power) {
      want_single(step.a);
      want_single(step.b);
    }
    Value made{.n_primes = std::min(a.n_primes, b.n_primes),
               .power = is_product(step.kind) ? 2U : std::max(a.power, b.power)};
    levels_.of_statement[step.statement] = made.n_primes;
    const uint32_t group = trace_.statement_group[step.statement];
    if (made.power > 1 && is_rescaled_[group]) {
      levels_.is_rescaled[step.statement] = true;
      made = {.n_primes = made.n_primes - 1, .power = 1};
    }
    uint32_t& wanted = levels_.of_group[group];
    if (wanted == kUnset) {
      wanted = std::min(made.n_primes, caps_[group]);
      powers_[group] = made.power;
    }
    if (powers_[group] != made.power) {
      rescale(group);
    }
    if (wanted > made.n_primes) {
      caps_[group] = wanted = made.n_primes;
      is_stable_ = false;
    }
    made.n_primes = wanted;
    return made;
  }

  /// What every use wants with fewer primes may have fewer where it is made.
  void lower_to_uses() {
    std::vector<uint32_t> most(trace_.n_groups);
    for (const Step& step : trace_.steps) {
      for (const uint32_t operand : {step.a, step.b}) {
        uint32_t& primes = most[group_of(operand)];
        primes = std::max(primes, levels_.of_statement[step.statement]);
      }
    }
    for (const uint32_t output : trace_.outputs) {
      most[group_of(output)] = n_most_;
    }
    for (uint32_t group = 0; group < trace_.n_groups; ++group) {
      if (most[group] != 0) {  // what nothing uses would be the least of all
        caps_[group] = std::min(caps_[group], most[group]);
      }
    }
  }

  /// Counted from the least.
  auto plan() -> RealPlan {
    uint32_t least = n_most_;
    uint32_t most = 1;
    for (const Value& value : values_) {
      least = std::min(least, value.n_primes);
      most = std::max(most, value.n_primes);
    }
    for (uint32_t& n : levels_.of_group) {
      n = n == kUnset ? 1 : n - least + 1;
    }
    for (uint32_t& n : levels_.of_statement) {
      n = n == 0 ? 0 : n - least + 1;
    }
    return {.levels = std::move(levels_), .n_most = most - least + 1};
  }

  const Trace& trace_;
  RescaleResults results_;
  uint32_t n_most_;  ///< more than any program takes
  std::vector<uint32_t> caps_;
  std::vector<bool> is_rescaled_;              ///< by group: what of it has the scale twice
  std::vector<std::vector<uint32_t>> passed_;  ///< by group: what is rescaled instead, before it
  std::vector<uint32_t> powers_;               ///< by group
  std::vector<Value> values_;
  Levels levels_;
  bool is_stable_ = true;
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

}  // namespace tacet::encrypted
