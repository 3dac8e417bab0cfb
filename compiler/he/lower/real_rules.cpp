#include "compiler/he/lower/joint_rules.h"
#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {
namespace {

constexpr size_t kMostChoices = 64;

/// Moves groups from an outcome, with the same groups rescaled.
void move_rescaled(const JointSearch& search, const Trace& trace, RescaleChoice choice,
                   RealSimulation& simulation, Outcome& best) {
  move_groups(
      search, trace.n_groups, best,
      [&](std::vector<uint32_t> caps) {
        choice.caps = std::move(caps);
        std::optional<Levels> levels = settled(trace, choice);
        return levels ? std::optional(simulation.run(std::move(*levels))) : std::nullopt;
      },
      [&] { return simulation.n_steps(); });
}

void try_plan(const JointSearch& search, const RealPlan& plan, RealSimulation& simulation,
              Outcome& best) {
  for (uint32_t n_least = 1; plan.n_most + n_least - 1 <= search.n_primes; ++n_least) {
    take_if_better(search, simulation.run(raised(plan, n_least)), best);
  }
}

/// From as many primes as there are, and from fewer.
void try_choice(const JointSearch& search, const Trace& trace, std::vector<bool> is_rescaled,
                RealSimulation& simulation, Outcome& best) {
  RescaleChoice choice{.is_rescaled = std::move(is_rescaled), .caps = {}};
  for (uint32_t n_most = search.n_primes; n_most > 0; --n_most) {
    choice.caps.assign(trace.n_groups, n_most);
    std::optional<Levels> levels = settled(trace, choice);
    if (!levels) {
      return;
    }
    Outcome outcome{.levels = {}, .microseconds = kImpossible};
    if (take_if_better(search, simulation.run(std::move(*levels)), outcome)) {
      move_rescaled(search, trace, choice, simulation, outcome);
    }
    if (outcome.microseconds < best.microseconds) {
      best = std::move(outcome);
    }
  }
}

/// The fastest choices of rescaling for the program as it is relinearised.
void rescale(JointSearch& search, Placement& placement) {
  const Trace& trace = placement.trace;
  Outcome& best = placement.outcome;
  const size_t most_steps = search.options.most_steps;
  RealSimulation simulation(trace, search.setting, search.times);
  const size_t sweep = trace.steps.size() * trace.n_groups * search.n_primes;
  const std::vector<std::vector<bool>> choices = sweep < most_steps / (2 * kMostChoices)
                                                     ? rescale_choices(trace, kMostChoices)
                                                     : std::vector<std::vector<bool>>();
  for (const std::vector<bool>& choice : choices) {
    try_choice(search, trace, choice, simulation, best);
  }
  for (const Rescaling when : {Rescaling::Late, Rescaling::Early}) {
    for (const RescaleResults results : {RescaleResults::No, RescaleResults::Yes}) {
      if (choices.empty()) {
        try_plan(search, plan_rescaling(trace, when, results), simulation, best);
      }
    }
  }
  if (choices.empty() && sweep < most_steps / 4 && is_possible(best)) {
    move_rescaled(search, trace, choice_of(trace, best.levels), simulation, best);
  }
  search.n_steps += simulation.n_steps();
}

}  // namespace

void RealRules::place(JointSearch& search, Placement& placement) {
  placement.outcome.microseconds = kImpossible;
  rescale(search, placement);
}

void RealRules::improve(JointSearch& search, Placement& placement) {
  if (is_possible(placement.outcome)) {
    rescale(search, placement);
  }
}

auto RealRules::starts_from(const JointSearch& search, const engine::HeProgram& start,
                            const engine::HeProgram& first) -> bool {
  return start != first && search.is_cheap();
}

}  // namespace tacet::he_lower
