#include "compiler/he/lower/place_jointly.h"

#include <cstddef>

#include "compiler/he/lower/joint_rules.h"
#include "compiler/he/lower/merge_trace.h"
#include "compiler/he/lower/weigh_relinearisations.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;

/// Whether products and rotations get operands of two parts.
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

auto faster(Placement a, Placement b) -> Placement {
  return a.outcome.microseconds < b.outcome.microseconds ? std::move(a) : std::move(b);
}

template <class Rules>
auto placed(JointSearch& search, HeProgram program) -> Placement {
  Placement made{.program = std::move(program), .trace = {}, .outcome = {}};
  made.trace = merged(trace_of(made.program, search.options.stages));
  Rules::place(search, made);
  return made;
}

/// Relinearised where that is best with these numbers of primes, these anew, and so on.
template <class Rules>
void descend(JointSearch& search, Placement& best) {
  if (!search.options.moves_relinearisations || !best.trace.needs_keys ||
      !(Rules::kMovesOnce || search.is_cheap())) {
    return;
  }
  while (is_possible(best.outcome)) {
    HeProgram program = with_weighed_relinearisations(best.program, best.trace, search.setting,
                                                      best.outcome.levels, search.times);
    if (program == best.program) {
      return;
    }
    Placement next = placed<Rules>(search, std::move(program));
    if (next.outcome.microseconds >= best.outcome.microseconds) {
      return;
    }
    best = std::move(next);
    if (!search.is_cheap() || !best.trace.needs_keys) {
      return;
    }
  }
}

/// Without one relinearisation after the other, of small programs.
template <class Rules>
void leave_out(JointSearch& search, Placement& best) {
  for (size_t at = best.program.body.size(); at-- > 0;) {
    const engine::HeStatement& statement = best.program.body[at];
    if (best.trace.steps.size() > Rules::kFewSteps || !search.is_cheap() ||
        statement.opcode != engine::HeOpcode::Relinearise ||
        statement.operands.front() != statement.result) {
      continue;
    }
    HeProgram fewer = best.program;
    fewer.body.erase(fewer.body.begin() + static_cast<ptrdiff_t>(at));
    const Trace trace = trace_of(fewer);
    if (has_parts_it_needs(trace) &&
        (!search.setting.has_linear_results() || has_linear_results(trace))) {
      best = faster(placed<Rules>(search, std::move(fewer)), std::move(best));
    }
  }
}

/// The faster one of moving relinearisations, and leaving some out first.
template <class Rules>
auto better_than(JointSearch& search, Placement start) -> Placement {
  Placement fewer = start;
  leave_out<Rules>(search, fewer);
  descend<Rules>(search, start);
  leave_out<Rules>(search, start);
  return faster(std::move(start), std::move(fewer));
}

template <class Rules>
auto best_of_all(JointSearch& search, Placement best) -> Placement {
  const HeProgram first = best.program;
  std::vector<HeProgram> starts = search.options.others;
  if (search.options.moves_relinearisations && best.trace.needs_keys) {
    starts.push_back(
        with_late_relinearisations(first, best.trace, search.setting.has_linear_results()));
  }
  Rules::improve(search, best);
  best = better_than<Rules>(search, std::move(best));
  for (HeProgram& start : starts) {
    if (Rules::starts_from(search, start, first)) {
      best = faster(better_than<Rules>(search, placed<Rules>(search, std::move(start))),
                    std::move(best));
    }
  }
  return best;
}

}  // namespace

auto is_small(const Placement& placement, const Setting& setting) -> bool {
  constexpr size_t kMost = 200'000;
  return placement.trace.steps.size() * placement.trace.n_groups * setting.data_sizes.size() <
         kMost;
}

auto placed_jointly(Placement placement, const Setting& setting, const he::OperationTimes& times,
                    const JointOptions& options) -> Placement {
  JointSearch search{.setting = setting, .times = times, .options = options};
  return setting.scheme == he::Scheme::Ckks
             ? best_of_all<RealRules>(search, std::move(placement))
             : best_of_all<IntegerRules>(search, std::move(placement));
}

}  // namespace tacet::he_lower
