#include <algorithm>

#include "compiler/he/real_levels.h"

namespace tacet::encrypted {
namespace {

constexpr uint32_t kUnset = 0xffffffff;

auto is_product(StepKind kind) -> bool {
  return kind == StepKind::Multiply || kind == StepKind::MultiplyPlain;
}

auto group_of(const Trace& trace, uint32_t value) -> uint32_t {
  return value < trace.n_inputs()
             ? trace.input_groups[value]
             : trace.statement_group[trace.steps[value - trace.n_inputs()].statement];
}

class Settler {
 public:
  Settler(const Trace& trace, RescaleChoice choice)
      : trace_(trace),
        is_rescaled_(std::move(choice.is_rescaled)),
        caps_(std::move(choice.caps)),
        values_(trace.n_inputs() + trace.steps.size()) {}

  auto run() -> std::optional<Levels> {
    bool is_lowered = false;
    for (;;) {
      is_stable_ = true;
      if (!pass()) {
        return std::nullopt;
      }
      if (is_stable_ && (is_lowered || !lower_to_uses())) {
        return std::move(levels_);
      }
      is_lowered |= is_stable_;
    }
  }

 private:
  struct Value {
    uint32_t n_primes = 0;
    uint32_t power = 1;  ///< of the scale
  };

  /// False if there is no such plan.
  auto pass() -> bool {
    levels_.of_group.assign(trace_.n_groups, kUnset);
    levels_.of_statement.assign(trace_.statement_group.size(), 0);
    levels_.is_rescaled.assign(trace_.statement_group.size(), false);
    powers_.assign(trace_.n_groups, 1);
    for (uint32_t i = 0; i < trace_.n_inputs(); ++i) {
      const uint32_t group = trace_.input_groups[i];
      levels_.of_group[group] = caps_[group];
      values_[i] = {.n_primes = caps_[group]};
    }
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      if (!make(trace_.steps[i], values_[trace_.n_inputs() + i])) {
        return false;
      }
    }
    for (uint32_t group = 0; group < trace_.n_groups; ++group) {
      uint32_t& n_primes = levels_.of_group[group];
      n_primes = n_primes == kUnset ? caps_[group] : n_primes;
    }
    return true;
  }

  auto make(const Step& step, Value& made) -> bool {
    const Value& a = values_[step.a];
    const Value& b = values_[step.b];
    if (a.power != b.power || (is_product(step.kind) && a.power > 1)) {
      return false;
    }
    made = {.n_primes = std::min(a.n_primes, b.n_primes),
            .power = is_product(step.kind) ? 2U : a.power};
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
    if (wanted > made.n_primes) {
      caps_[group] = wanted = made.n_primes;
      is_stable_ = false;
    }
    made.n_primes = wanted;
    return wanted > 0 && powers_[group] == made.power;
  }

  /// What every use wants with fewer primes may have fewer where it is made. False if nothing does.
  auto lower_to_uses() -> bool {
    std::vector<uint32_t> most(trace_.n_groups);
    for (const Step& step : trace_.steps) {
      for (const uint32_t operand : {step.a, step.b}) {
        uint32_t& primes = most[group_of(trace_, operand)];
        primes = std::max(primes, levels_.of_statement[step.statement]);
      }
    }
    for (const uint32_t output : trace_.outputs) {
      most[group_of(trace_, output)] = kUnset;
    }
    bool is_lower = false;
    for (uint32_t group = 0; group < trace_.n_groups; ++group) {
      if (most[group] != 0 && most[group] < caps_[group]) {
        is_lower |= most[group] < levels_.of_group[group];
        caps_[group] = most[group];
      }
    }
    return is_lower;
  }

  const Trace& trace_;
  std::vector<bool> is_rescaled_;  ///< by group
  std::vector<uint32_t> caps_;     ///< by group
  std::vector<uint32_t> powers_;   ///< by group
  std::vector<Value> values_;
  Levels levels_;
  bool is_stable_ = true;
};

/// Goes through the steps in order, and back.
class WayFinder {
 public:
  WayFinder(const Trace& trace, size_t most)
      : trace_(trace),
        most_(most),
        is_rescaled_(trace.n_groups),
        is_decided_(trace.n_groups),
        powers_(trace.n_groups),
        values_(trace.n_inputs() + trace.steps.size(), 1) {
    for (const uint32_t group : trace.input_groups) {
      powers_[group] = 1;
    }
  }

  auto run() -> std::vector<std::vector<bool>> {
    if (trace_.steps.size() > kMostVisits) {
      return {};
    }
    go_on(0);
    return ways_.size() > most_ || n_visits_ > kMostVisits ? std::vector<std::vector<bool>>()
                                                           : std::move(ways_);
  }

 private:
  static constexpr size_t kMostVisits = 4'000;

  void go_on(size_t at) {
    if (++n_visits_ > kMostVisits || ways_.size() > most_) {
      return;
    }
    if (at == trace_.steps.size()) {
      ways_.push_back(is_rescaled_);
      return;
    }
    const Step& step = trace_.steps[at];
    const uint32_t power = values_[step.a];
    if (power != values_[step.b] || (is_product(step.kind) && power > 1)) {
      return;
    }
    if (!is_product(step.kind) && power == 1) {
      make(at, 1);
      return;
    }
    const uint32_t group = trace_.statement_group[step.statement];
    if (is_decided_[group]) {
      make(at, is_rescaled_[group] ? 1 : 2);
      return;
    }
    is_decided_[group] = true;
    make(at, 2);
    is_rescaled_[group] = true;
    make(at, 1);
    is_rescaled_[group] = false;
    is_decided_[group] = false;
  }

  void make(size_t at, uint32_t power) {
    uint32_t& known = powers_[trace_.statement_group[trace_.steps[at].statement]];
    const uint32_t before = known;
    if (before == 0 || before == power) {
      known = values_[trace_.n_inputs() + at] = power;
      go_on(at + 1);
      known = before;
    }
  }

  const Trace& trace_;
  size_t most_;
  std::vector<bool> is_rescaled_, is_decided_;  ///< by group
  std::vector<uint32_t> powers_;                ///< by group, 0 if unknown
  std::vector<uint32_t> values_;                ///< powers
  std::vector<std::vector<bool>> ways_;
  size_t n_visits_ = 0;
};

}  // namespace

auto settled(const Trace& trace, const RescaleChoice& choice) -> std::optional<Levels> {
  return Settler(trace, choice).run();
}

auto choice_of(const Trace& trace, const Levels& levels) -> RescaleChoice {
  RescaleChoice choice{.is_rescaled = std::vector<bool>(trace.n_groups), .caps = levels.of_group};
  for (const Step& step : trace.steps) {
    if (levels.is_rescaled[step.statement]) {
      choice.is_rescaled[trace.statement_group[step.statement]] = true;
    }
  }
  return choice;
}

auto ways_to_rescale(const Trace& trace, size_t most) -> std::vector<std::vector<bool>> {
  return WayFinder(trace, most).run();
}

}  // namespace tacet::encrypted
