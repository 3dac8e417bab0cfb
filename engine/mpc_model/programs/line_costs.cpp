#include "engine/mpc_model/programs/line_costs.h"

#include <algorithm>

namespace tacet::mpc_model {

void LineCosts::add(uint32_t line, size_t at, const InstructionCost& cost, const Certainty& how) {
  Line& of = lines_[line];
  if (!cost.paths.empty() && of.seen.insert(at).second) {
    std::string stack = stack_text(cost.paths);
    if (std::find(of.stacks.begin(), of.stacks.end(), stack) == of.stacks.end()) {
      of.stacks.push_back(std::move(stack));
    }
  }
  of.certainty.take(how);
}

void LineCosts::count(const Timetable& times, const Certainty& of_program,
                      const std::function<uint32_t(uint32_t)>& group_of, ProgramCost& result) {
  std::map<uint32_t, std::vector<Span>> spans_of_group;
  for (auto& [number, line] : lines_) {
    line.certainty.take({.is_cut = of_program.is_cut});
    const auto timed = times.lines().find(number);
    if (timed == times.lines().end()) {
      continue;
    }
    if (timed->second.has_checks) {
      line.certainty.take({.is_average = of_program.is_average, .is_near = of_program.is_near});
    }
    std::vector<Span> spans = timed->second.spans;
    const uint64_t bytes =
        timed->second.bytes + (of_program.is_greatest ? timed->second.saved_bytes : 0);
    if (group_of && !spans.empty()) {
      const uint32_t group = group_of(number);
      LineCost& cost = result.groups[group];
      cost.cost.bytes += bytes;
      cost.certainty.take(line.certainty);
      std::vector<Span>& all = spans_of_group[group];
      all.insert(all.end(), spans.begin(), spans.end());
    }
    if (!line.stacks.empty()) {
      result.lines[number] = {
          {.rounds = n_rounds_of(spans), .bytes = bytes}, line.certainty, std::move(line.stacks)};
    }
  }
  for (auto& [group, spans] : spans_of_group) {
    result.groups[group].cost.rounds = n_rounds_of(spans);
  }
}

}  // namespace tacet::mpc_model
