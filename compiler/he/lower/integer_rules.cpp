#include "compiler/he/lower/integer_levels.h"
#include "compiler/he/lower/joint_rules.h"

namespace tacet::he_lower {

/// From drops that lose little, or none.
void IntegerRules::place(JointSearch& search, Placement& placement) {
  Outcome& best = placement.outcome;
  IntegerSimulation simulation(placement.trace, search.setting, search.times);
  best = simulation.run(kNoLoss, simulation.full_caps());
  for (const double loss : kLosses) {
    take_if_better(search, simulation.run(loss, simulation.full_caps()), best);
  }
  search.n_steps += simulation.n_steps();
  if (best.budget < search.options.margin) {
    best.microseconds = kImpossible;
    return;
  }
  improve(search, placement);
}

void IntegerRules::improve(JointSearch& search, Placement& placement) {
  IntegerSimulation simulation(placement.trace, search.setting, search.times);
  move_groups(
      search, placement.trace.n_groups, placement.outcome,
      [&](std::vector<uint32_t> caps) {
        return std::optional(simulation.run(kNoLoss, std::move(caps)));
      },
      [&] { return simulation.n_steps(); });
  search.n_steps += simulation.n_steps();
}

auto IntegerRules::starts_from(const JointSearch& /*search*/, const engine::HeProgram& /*start*/,
                               const engine::HeProgram& /*first*/) -> bool {
  return true;
}

}  // namespace tacet::he_lower
