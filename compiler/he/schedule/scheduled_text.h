#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compiler/he/schedule/schedule.h"

/// An array program with its schedule, as the stage `schedule` is printed: what makes a circuit.
///
///     input points: [4, 3] from server
///     input here: [3] from client
///     out[p: 4] = sum[d: 3](%1 * %1)
///       %1 = points[p, d] - here[d]
///
///     columns 2048
///     schedule { points: {0 as p: 4}[1: 4], here: [1: 4] }
namespace tacet::schedule {

struct ScheduledProgram {
  array::Program program;
  Schedule schedule;
};

/// An error if there is no text for the schedule (`text.h`).
auto scheduled_text(const array::Program& program, const Schedule& schedule) -> Result<std::string>;

/// Reads such a text. The schedule is valid for the program. An error says line and column.
auto parse_scheduled(std::string_view text) -> Result<ScheduledProgram>;

}  // namespace tacet::schedule
