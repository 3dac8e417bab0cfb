#pragma once

#include <random>

#include "compiler/array/evaluate.h"
#include "compiler/array/program.h"
#include "compiler/schedule/schedule.h"

/// Random programs and schedules for tests.
namespace tacet::schedule {

/// A program of one to three statements with small extents.
auto random_program(std::mt19937_64& random) -> array::Program;

/// A schedule that is often valid.
auto random_schedule(const array::Program& program, std::mt19937_64& random) -> Schedule;

/// Random elements of the inputs.
auto random_inputs(const array::Program& program, std::mt19937_64& random)
    -> std::vector<array::Elements>;

}  // namespace tacet::schedule
