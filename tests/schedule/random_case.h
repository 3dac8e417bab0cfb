#pragma once

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/program.h"
#include "compiler/he/schedule/schedule.h"
#include "tests/array/random_numbers.h"

/// Random programs and schedules for tests.
namespace tacet::schedule {

/// A program of one to three statements with small extents.
auto random_program(RandomNumbers& random) -> array::Program;

/// A schedule that is often valid.
auto random_schedule(const array::Program& program, RandomNumbers& random) -> Schedule;

/// Random elements of the inputs.
auto random_inputs(const array::Program& program, RandomNumbers& random)
    -> std::vector<array::Elements>;

}  // namespace tacet::schedule
