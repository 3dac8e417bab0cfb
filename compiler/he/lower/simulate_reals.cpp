#include <utility>

#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {

auto RealSimulation::run(Levels levels) -> Outcome {
  const auto keep = [&](const Step& step, uint32_t /*level*/, const RealNoise::State& /*made*/) {
    return levels.of_group[trace_.statement_group[step.statement]];
  };
  Outcome outcome = simulation_.walk(levels, keep);
  outcome.levels = std::move(levels);
  return outcome;
}

}  // namespace tacet::he_lower
