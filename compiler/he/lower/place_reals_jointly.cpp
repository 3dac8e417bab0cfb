#include "compiler/he/lower/place_reals_jointly.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <utility>

#include "compiler/he/lower/merge_trace.h"
#include "compiler/he/lower/weigh_relinearisations.h"

namespace tacet::he_lower {
namespace {

/// What simulating may cost in all, in steps, but for what every program of this length takes.
constexpr size_t kMostSteps = 400'000;
/// Of programs that are tried without each of their relinearisations, in steps.
constexpr size_t kFewSteps = 32;
/// Of ways to rescale, and of pairs of moves.
constexpr size_t kMostWays = 64;
constexpr size_t kMostPairs = 2'000;

/// Whether products and rotations get what has two parts.
auto has_parts_it_needs(const Trace& trace) -> bool {
  std::vector<bool> has_three(trace.n_inputs());
  for (const Step& step : trace.steps) {
    const bool is_one = has_three[step.a] || has_three[step.b];
    const bool is_product = step.kind == StepKind::Multiply;
    if (is_one && (is_product || step.kind == StepKind::Rotate)) {
      return false;
    }
    has_three.push_back(is_product || (is_one && step.kind != StepKind::Relinearise));
  }
  return true;
}

class RealJointPlacer {
 public:
  RealJointPlacer(const Setting& setting, const he::OperationTimes& times,
                  const RealJointOptions& options)
      : setting_(setting),
        times_(times),
        options_(options),
        n_primes_(static_cast<uint32_t>(setting.data_sizes.size())) {}

  auto run(RealPlacement best) -> RealPlacement {
    const engine::HeProgram first = best.program;
    std::vector<engine::HeProgram> starts = options_.others;
    starts.push_back(with_late_relinearisations(first, best.trace, setting_.is_hidden));
    if (is_possible(best.outcome)) {
      rescale(best);
    }
    best = better_than(std::move(best));
    for (engine::HeProgram& start : starts) {
      if (start != first && is_cheap()) {
        best = faster(better_than(placed(std::move(start))), std::move(best));
      }
    }
    return best;
  }

 private:
  /// A group, and its number of primes.
  using Move = std::pair<uint32_t, uint32_t>;

  [[nodiscard]] auto is_cheap() const -> bool { return n_steps_ < kMostSteps; }

  [[nodiscard]] static auto faster(RealPlacement a, RealPlacement b) -> RealPlacement {
    return a.outcome.microseconds < b.outcome.microseconds ? std::move(a) : std::move(b);
  }

  /// What moving relinearisations comes to, and leaving some out.
  auto better_than(RealPlacement start) -> RealPlacement {
    RealPlacement fewer = start;
    leave_out(fewer);
    descend(start);
    leave_out(start);
    return faster(std::move(start), std::move(fewer));
  }

  /// Relinearised where that is best with these numbers of primes, these anew, and so on.
  void descend(RealPlacement& best) {
    while (is_possible(best.outcome) && best.trace.needs_keys) {
      engine::HeProgram program =
          with_weighed_relinearisations(best.program, best.trace, setting_, best.levels, times_);
      if (program == best.program) {
        return;
      }
      RealPlacement next = placed(std::move(program));
      if (next.outcome.microseconds >= best.outcome.microseconds) {
        return;
      }
      best = std::move(next);
      if (!is_cheap()) {
        return;
      }
    }
  }

  /// Without one relinearisation after the other, of small programs: the cut, which knows of no
  /// noise, may have moved two where one is all that precision allows.
  void leave_out(RealPlacement& best) {
    for (size_t at = best.program.body.size(); at-- > 0;) {
      const engine::HeStatement& statement = best.program.body[at];
      if (best.trace.steps.size() > kFewSteps || !is_cheap() ||
          statement.opcode != engine::HeOpcode::Relinearise ||
          statement.operands.front() != statement.result) {
        continue;
      }
      engine::HeProgram fewer = best.program;
      fewer.body.erase(fewer.body.begin() + static_cast<ptrdiff_t>(at));
      const Trace trace = trace_of(fewer);
      if (has_parts_it_needs(trace) && (!setting_.is_hidden || has_linear_results(trace))) {
        best = faster(placed(std::move(fewer)), std::move(best));
      }
    }
  }

  auto placed(engine::HeProgram program) -> RealPlacement {
    RealPlacement made{.program = std::move(program), .trace = {}, .levels = {}, .outcome = {}};
    made.trace = merged(trace_of(made.program));
    made.outcome.microseconds = std::numeric_limits<double>::infinity();
    rescale(made);
    return made;
  }

  [[nodiscard]] static auto is_possible(const RealOutcome& outcome) -> bool {
    return outcome.microseconds < std::numeric_limits<double>::infinity();
  }

  /// The fastest ways to rescale the program as it is relinearised.
  void rescale(RealPlacement& placement) {
    const Trace& trace = placement.trace;
    RealSimulation simulation(trace, setting_, options_.scale_bits, times_);
    const size_t before = n_steps_;
    const size_t sweep = trace.steps.size() * trace.n_groups * n_primes_;
    const std::vector<std::vector<bool>> ways = sweep < kMostSteps / (2 * kMostWays)
                                                    ? ways_to_rescale(trace, kMostWays)
                                                    : std::vector<std::vector<bool>>();
    for (const std::vector<bool>& way : ways) {
      try_way({.is_rescaled = way, .caps = {}}, simulation, placement);
    }
    for (const Rescaling when : {Rescaling::Late, Rescaling::Early}) {
      for (const RescaleResults results : {RescaleResults::No, RescaleResults::Yes}) {
        if (ways.empty()) {
          try_plan(plan_rescaling(trace, when, results), simulation, placement);
        }
      }
    }
    if (ways.empty() && sweep < kMostSteps / 4 && is_possible(placement.outcome)) {
      move_groups(choice_of(trace, placement.levels), simulation, trace, placement.outcome,
                  placement.levels);
    }
    n_steps_ = before + simulation.n_steps();
  }

  void try_plan(const RealPlan& plan, RealSimulation& simulation, RealPlacement& best) const {
    for (uint32_t n_least = 1; plan.n_most + n_least - 1 <= n_primes_; ++n_least) {
      try_levels(raised(plan, n_least), simulation, best.outcome, best.levels);
    }
  }

  /// From as many primes as there are, and from fewer.
  void try_way(RescaleChoice choice, RealSimulation& simulation, RealPlacement& best) const {
    RealOutcome outcome;
    for (uint32_t n_most = n_primes_; n_most > 0; --n_most) {
      choice.caps.assign(best.trace.n_groups, n_most);
      std::optional<Levels> levels = settled(best.trace, choice);
      if (!levels) {
        return;
      }
      outcome.microseconds = std::numeric_limits<double>::infinity();
      Levels local;
      if (try_levels(*levels, simulation, outcome, local)) {
        move_groups(choice, simulation, best.trace, outcome, local);
      }
      if (outcome.microseconds < best.outcome.microseconds) {
        best.outcome = outcome;
        best.levels = std::move(local);
      }
    }
  }

  /// Each group with each number of primes, and each two if there are few.
  void move_groups(RescaleChoice choice, RealSimulation& simulation, const Trace& trace,
                   RealOutcome& outcome, Levels& levels) const {
    const uint32_t n_groups = trace.n_groups;
    const bool tries_pairs = size_t{n_groups} * n_groups * n_primes_ * n_primes_ < kMostPairs;
    const auto is_better_with = [&](std::initializer_list<Move> moves) {
      choice.caps = levels.of_group;
      for (const auto& [group, n] : moves) {
        choice.caps[group] = n;
      }
      const std::optional<Levels> next = settled(trace, choice);
      return next && try_levels(*next, simulation, outcome, levels);
    };
    for (bool is_better = true; is_better && n_steps_ + simulation.n_steps() < kMostSteps;) {
      is_better = false;
      for (uint32_t group = n_groups; group-- > 0;) {
        for (uint32_t n = 1; n <= n_primes_; ++n) {
          is_better |= is_better_with({{group, n}});
          for (uint32_t other = tries_pairs ? group : 0; other-- > 0;) {
            for (uint32_t m = 1; m <= n_primes_; ++m) {
              is_better |= is_better_with({{group, n}, {other, m}});
            }
          }
        }
      }
    }
  }

  /// Whether they are better than the best so far.
  auto try_levels(const Levels& levels, RealSimulation& simulation, RealOutcome& best,
                  Levels& best_levels) const -> bool {
    const RealOutcome outcome = simulation.run(levels);
    if (outcome.budget < options_.margin || outcome.error > options_.precision ||
        outcome.microseconds >= best.microseconds) {
      return false;
    }
    best = outcome;
    best_levels = levels;
    return true;
  }

  const Setting& setting_;
  const he::OperationTimes& times_;
  const RealJointOptions& options_;
  uint32_t n_primes_;
  size_t n_steps_ = 0;
};

}  // namespace

auto placed_jointly(RealPlacement placement, const Setting& setting,
                    const he::OperationTimes& times, const RealJointOptions& options)
    -> RealPlacement {
  return RealJointPlacer(setting, times, options).run(std::move(placement));
}

}  // namespace tacet::he_lower
