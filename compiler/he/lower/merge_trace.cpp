#include "compiler/he/lower/merge_trace.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tacet::he_lower {

auto merged(const Trace& trace) -> Trace {
  Trace result = trace;
  result.input_groups.clear();
  result.input_bounds.clear();
  result.input_times.clear();
  result.steps.clear();
  result.outputs.clear();
  result.n_rotations.clear();
  result.bounds.clear();
  const auto meet_bound = [&](uint32_t value, uint32_t now_at) {
    if (trace.bounds.empty()) {
      return;
    }
    result.bounds.resize(std::max<size_t>(result.bounds.size(), now_at + 1));
    result.bounds[now_at] = std::max(result.bounds[now_at], trace.bounds[value]);
  };
  std::vector<uint32_t> now(trace.n_inputs() + trace.steps.size());

  std::map<std::tuple<uint32_t, double, uint32_t>, uint32_t> inputs;
  for (uint32_t i = 0; i < trace.n_inputs(); ++i) {
    const auto [known, is_new] =
        inputs.try_emplace({trace.input_groups[i], trace.input_bounds[i], trace.n_rotations[i]},
                           static_cast<uint32_t>(result.input_groups.size()));
    now[i] = known->second;
    if (is_new) {
      result.input_groups.push_back(trace.input_groups[i]);
      result.input_bounds.push_back(trace.input_bounds[i]);
      result.input_times.push_back(0);
      result.n_rotations.push_back(trace.n_rotations[i]);
    }
    result.input_times[known->second] += trace.input_times[i];
    meet_bound(i, known->second);
  }

  using Key = std::tuple<StepKind, uint32_t, uint32_t, uint32_t, uint32_t, double, uint32_t>;
  std::map<Key, uint32_t> steps;
  for (uint32_t i = 0; i < trace.steps.size(); ++i) {
    Step step = trace.steps[i];
    step.a = now[step.a];
    step.b = now[step.b];
    const uint32_t value = trace.n_inputs() + i;
    const auto [known, is_new] =
        steps.try_emplace({step.kind, step.statement, step.count, step.a, step.b, step.bound,
                           trace.n_rotations[value]},
                          static_cast<uint32_t>(result.n_inputs() + result.steps.size()));
    now[value] = known->second;
    meet_bound(value, known->second);
    if (is_new) {
      result.steps.push_back(step);
      result.n_rotations.push_back(trace.n_rotations[value]);
    } else {
      result.steps[known->second - result.n_inputs()].times += step.times;
    }
  }
  for (const uint32_t output : trace.outputs) {
    result.outputs.push_back(now[output]);
  }
  return result;
}

}  // namespace tacet::he_lower
