#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/core/syntax/tree.h"
#include "compiler/he/schedule/cost.h"
#include "compiler/he/schedule/schedule.h"

namespace tacet::schedule {

/// Why a `schedule { … }` clause cannot be obeyed.
struct ClauseFault {
  syntax::Node at;                  ///< what of the clause is wrong
  std::string message;              ///< a sentence, without a final period
  std::optional<size_t> statement;  ///< of the program, if it is about one
};

struct ReadClause {
  std::optional<Schedule> schedule;  ///< if there is no fault
  std::optional<ClauseFault> fault;
};

/// The schedule that a clause without errors of syntax stands for, in the first of `rings` that has
/// the columns for it, if it is valid and all statements can read what those before them leave.
/// Makes its circuit to find that out: O(expressions of the program * axes), no loop is run
/// through.
auto read_clause(const array::Program& program, syntax::Node clause,
                 std::span<const RingCost> rings) -> ReadClause;

}  // namespace tacet::schedule
