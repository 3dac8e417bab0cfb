#include "engine/program/he/flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/he/states.h"
#include "engine/program/he/text.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

auto error_at(HeLine line, std::string_view where, std::string_view what) -> Error {
  return Error{line.number == 0 ? fmt::format("{}: {}", where, what)
                                : fmt::format("line {}: {}: {}", line.number, where, what)};
}

/// The instruction that the walk stands at, and the loops' variables.
auto place_of(const HeProgram& program, const HeWalk& walk) -> std::string {
  std::string place = fmt::format("`{}`", statement_text(program, walk.at()));
  for (size_t i = 0; i < walk.variables().size(); ++i) {
    place += fmt::format("{}{} = {}", i == 0 ? " at " : ", ", walk.loop(i).variable,
                         walk.variables()[i]);
  }
  return place;
}

/// What is wrong with an element of an output, or nothing.
auto check_element(const HeProgram& program, const HeOutput& output, const HeStates& states,
                   const std::vector<int64_t>& variables) -> Status {
  if (const Result<HeState> state = states.readable(output.source, variables); !state) {
    return state.error();
  }
  const int64_t row = evaluate(output.row, variables);
  const int64_t column = evaluate(output.column, variables);
  if (row < 0 || row >= program.n_rows || column < 0 || column >= program.n_columns) {
    return Error{fmt::format("no slot in row {} and column {}", row, column)};
  }
  return std::monostate{};
}

auto check_output(const HeProgram& program, const HeOutput& output, const HeStates& states)
    -> Status {
  std::vector<bool> is_given(n_elements(output.extents));
  HeCounter counter(output.dimensions);
  do {
    const auto target = output_target(output, counter.values());
    if (!target) {
      continue;
    }
    is_given[*target] = true;
    if (Status status = check_element(program, output, states, counter.values()); !status) {
      return status;
    }
  } while (counter.next());
  if (std::find(is_given.begin(), is_given.end(), false) != is_given.end()) {
    return Error{"an element is not assigned"};
  }
  return std::monostate{};
}

}  // namespace

auto check_flow(const HeProgram& program) -> Status {
  HeStates states(program);
  HeWalk walk(program);
  while (walk.next()) {
    if (const Status status = states.apply(walk.instruction(), walk.variables()); !status) {
      return error_at(walk.instruction().line, place_of(program, walk), status.error().message);
    }
  }
  for (const HeOutput& output : program.outputs) {
    if (const Status status = check_output(program, output, states); !status) {
      return error_at(output.line, fmt::format("output `{}`", output.name), status.error().message);
    }
  }
  return std::monostate{};
}

}  // namespace tacet::engine
