#include "compiler/he/lower/level_pass.h"

#include <algorithm>
#include <utility>

namespace tacet::he_lower {

LevelPass::LevelPass(const Trace& steps, std::vector<uint32_t> most, std::vector<bool> rescaled)
    : trace(steps),
      caps(std::move(most)),
      is_rescaled(std::move(rescaled)),
      values(trace.n_inputs() + trace.steps.size()) {}

void LevelPass::begin() {
  is_stable = true;
  levels.of_group.assign(trace.n_groups, kUnset);
  levels.of_statement.assign(trace.statement_group.size(), 0);
  levels.is_rescaled.assign(trace.statement_group.size(), false);
  powers.assign(trace.n_groups, 1);
  for (uint32_t i = 0; i < trace.n_inputs(); ++i) {
    const uint32_t group = trace.input_groups[i];
    levels.of_group[group] = caps[group];
    values[i] = {.n_primes = caps[group]};
  }
}

auto LevelPass::keep(const Step& step, ValueLevel made) -> ValueLevel {
  levels.of_statement[step.statement] = made.n_primes;
  made.n_primes = primes_after(step, made.n_primes);
  const uint32_t group = trace.statement_group[step.statement];
  if (made.power > 1 && is_rescaled[group]) {
    levels.is_rescaled[step.statement] = true;
    made = {.n_primes = made.n_primes - 1, .power = 1};
  }
  uint32_t& wanted = levels.of_group[group];
  if (wanted == kUnset) {
    wanted = std::min(made.n_primes, caps[group]);
    powers[group] = made.power;
  }
  if (wanted > made.n_primes) {
    caps[group] = wanted = made.n_primes;
    is_stable = false;
  }
  made.n_primes = wanted;
  return made;
}

auto LevelPass::lower_to_uses(uint32_t unused) -> bool {
  std::vector<uint32_t> most(trace.n_groups);
  for (const Step& step : trace.steps) {
    for (const uint32_t operand : {step.a, step.b}) {
      uint32_t& primes = most[trace.group_of(operand)];
      primes = std::max(primes, levels.of_statement[step.statement]);
    }
  }
  for (const uint32_t output : trace.outputs) {
    most[trace.group_of(output)] = kUnset;
  }
  bool is_lower = false;
  for (uint32_t group = 0; group < trace.n_groups; ++group) {
    const uint32_t cap = most[group] == 0 ? unused : most[group];
    if (cap != 0 && cap < caps[group]) {
      const uint32_t had = levels.of_group[group];
      is_lower |= had != kUnset && cap < had;
      caps[group] = cap;
    }
  }
  return is_lower;
}

}  // namespace tacet::he_lower
