#pragma once

#include "base/result.h"
#include "compiler/device/array/program.h"
#include "compiler/he/circuit/circuit.h"
#include "compiler/he/schedule/schedule.h"

namespace tacet::schedule {

/// The circuit that computes `program` laid out by `schedule`; an error if the schedule is not
/// valid (`check`), or a statement cannot read what an earlier one left.
///
/// Arrays of the circuit are the program's inputs, in order; its statements are the program's, and
/// its output the last one's result. Exploded tiles are loops. Reductions over tiles on axes rotate
/// and add (or multiply) by halves, and leave the result everywhere along axes that wrap around
/// (the row axis, and the outermost of the columns, as vectors are repeated to fill rows), at the
/// first digit along others; it is masked and spread where more is needed. Rotations of sums are
/// put off, so that sums of sums share them.
///
/// Where a reduced dimension is padded, inputs get the number there, 0 or 1, that needs the fewest
/// masks; a mask makes the rest neutral.
auto make_circuit(const array::Program& program, const Schedule& schedule)
    -> Result<circuit::Circuit>;

}  // namespace tacet::schedule
