#include <algorithm>
#include <utility>

#include "compiler/he/lower/level_pass.h"
#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {
namespace {

class Settler {
 public:
  Settler(const Trace& trace, RescaleChoice choice)
      : pass_(trace, std::move(choice.caps), std::move(choice.is_rescaled)) {}

  auto run() -> std::optional<Levels> {
    return pass_.settle(0, [&] { return pass(); }) ? std::optional(std::move(pass_.levels))
                                                   : std::nullopt;
  }

 private:
  /// False if there is no such plan.
  auto pass() -> bool {
    const Trace& trace = pass_.trace;
    pass_.begin();
    for (uint32_t i = 0; i < trace.steps.size(); ++i) {
      if (!make(trace.steps[i], pass_.values[trace.n_inputs() + i])) {
        return false;
      }
    }
    for (uint32_t group = 0; group < trace.n_groups; ++group) {
      uint32_t& n_primes = pass_.levels.of_group[group];
      n_primes = n_primes == LevelPass::kUnset ? pass_.caps[group] : n_primes;
    }
    return true;
  }

  auto make(const Step& step, ValueLevel& made) -> bool {
    const ValueLevel& a = pass_.values[step.a];
    const ValueLevel& b = pass_.values[step.b];
    const bool is_product = is_real_product(step.kind);
    if (a.power != b.power || (is_product && a.power > 1)) {
      return false;
    }
    made = pass_.keep(
        step, {.n_primes = std::min(a.n_primes, b.n_primes), .power = is_product ? 2U : a.power});
    return made.n_primes > 0 &&
           pass_.powers[pass_.trace.statement_group[step.statement]] == made.power;
  }

  LevelPass pass_;
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

}  // namespace tacet::he_lower
