#include "compiler/he/lower/place_jointly.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/he/lower/merge_trace.h"
#include "compiler/he/lower/weigh_relinearisations.h"

namespace tacet::he_lower {
namespace {

/// No drops but those that caps ask for.
constexpr double kNoLoss = std::numeric_limits<double>::lowest();

class JointPlacer {
 public:
  JointPlacer(const Setting& setting, const he::OperationTimes& times, const JointOptions& options)
      : setting_(setting),
        times_(times),
        options_(options),
        n_primes_(static_cast<uint32_t>(setting.data_sizes.size())) {}

  auto run(Placement best) -> Placement {
    Placement late = best;
    descend(best);
    if (options_.moves_relinearisations && late.trace.needs_keys) {
      late = placed(with_late_relinearisations(late.program, late.trace, setting_.is_hidden));
      if (late.outcome.budget >= options_.margin) {
        descend(late);
        best = late.outcome.microseconds < best.outcome.microseconds ? std::move(late) : best;
      }
    }
    return best;
  }

 private:
  /// One move: a group, and its number of primes.
  using Move = std::pair<uint32_t, uint32_t>;

  [[nodiscard]] auto is_cheap() const -> bool { return n_steps_ < options_.most_steps; }

  /// With drops that lose little, or none.
  auto placed(engine::HeProgram program) -> Placement {
    Placement made{std::move(program), {}, {}, {}};
    made.trace = trace_of(made.program);
    made.merged = merged(made.trace);
    LevelSimulation simulation(made.merged, setting_, times_);
    made.outcome = simulation.run(kNoLoss, simulation.full_caps());
    for (const double loss : {0.5, 4.0, 8.0, 12.0, 18.0, 26.0, 36.0}) {
      Outcome outcome = simulation.run(loss, simulation.full_caps());
      if (outcome.budget >= options_.margin && outcome.microseconds < made.outcome.microseconds) {
        made.outcome = std::move(outcome);
      }
    }
    n_steps_ += simulation.n_steps();
    return made;
  }

  /// Numbers of primes, and relinearisations where that is best with these, alternately.
  void descend(Placement& best) {
    move_groups(best);
    while (options_.moves_relinearisations && best.trace.needs_keys && is_cheap()) {
      engine::HeProgram program = with_weighed_relinearisations(best.program, best.trace, setting_,
                                                                best.outcome.levels, times_);
      if (program == best.program) {
        return;
      }
      Placement next = placed(std::move(program));
      if (next.outcome.budget < options_.margin) {
        return;
      }
      move_groups(next);
      if (next.outcome.microseconds >= best.outcome.microseconds) {
        return;
      }
      best = std::move(next);
    }
  }

  /// Each group with each number of primes, and each two if there are few.
  void move_groups(Placement& placement) {
    constexpr size_t kMostPairs = 2'000;
    LevelSimulation simulation(placement.merged, setting_, times_);
    const uint32_t n_groups = placement.merged.n_groups;
    const bool tries_pairs = size_t{n_groups} * n_groups * n_primes_ * n_primes_ < kMostPairs;
    const size_t before = n_steps_;
    for (bool is_better = true; is_better && is_cheap();) {
      is_better = false;
      for (uint32_t group = n_groups; group-- > 0;) {
        for (uint32_t n = 1; n <= n_primes_; ++n) {
          is_better |= is_better_with({{group, n}}, simulation, placement.outcome);
          for (uint32_t other = tries_pairs ? group : 0; other-- > 0;) {
            for (uint32_t m = 1; m <= n_primes_; ++m) {
              is_better |= is_better_with({{group, n}, {other, m}}, simulation, placement.outcome);
            }
          }
        }
      }
      n_steps_ = before + simulation.n_steps();
    }
  }

  auto is_better_with(std::initializer_list<Move> moves, LevelSimulation& simulation,
                      Outcome& best) const -> bool {
    std::vector<uint32_t> caps = best.levels.of_group;
    for (uint32_t& cap : caps) {
      cap = std::min(cap, n_primes_);
    }
    for (const auto& [group, n] : moves) {
      caps[group] = n;
    }
    Outcome outcome = simulation.run(kNoLoss, std::move(caps));
    if (outcome.budget < options_.margin || outcome.microseconds >= best.microseconds) {
      return false;
    }
    best = std::move(outcome);
    return true;
  }

  const Setting& setting_;
  const he::OperationTimes& times_;
  const JointOptions& options_;
  uint32_t n_primes_;
  size_t n_steps_ = 0;
};

}  // namespace

auto is_small(const Placement& placement, const Setting& setting) -> bool {
  constexpr size_t kMost = 200'000;
  return placement.merged.steps.size() * placement.merged.n_groups * setting.data_sizes.size() <
         kMost;
}

auto placed_jointly(Placement placement, const Setting& setting, const he::OperationTimes& times,
                    const JointOptions& options) -> Placement {
  return JointPlacer(setting, times, options).run(std::move(placement));
}

}  // namespace tacet::he_lower
