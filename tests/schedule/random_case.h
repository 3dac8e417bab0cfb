#pragma once

#include <random>

#include "compiler/array/program.h"
#include "compiler/schedule/schedule.h"

/// Random programs and schedules, and what they mean, for tests.
namespace tacet::schedule {

/// By array: its elements, row-major; empty where nothing was computed yet.
using Elements = std::vector<std::vector<int64_t>>;

/// A program of one to three statements with small extents.
auto random_program(std::mt19937_64& random) -> array::Program;

/// A schedule that is often valid.
auto random_schedule(const array::Program& program, std::mt19937_64& random) -> Schedule;

/// Random elements of the inputs.
auto random_elements(const array::Program& program, std::mt19937_64& random) -> Elements;

/// Computes the statements' arrays, element by element, modulo a number: in [0, modulus).
void evaluate_slowly(const array::Program& program, uint64_t modulus, Elements& elements);

}  // namespace tacet::schedule
