#pragma once

#include "base/result.h"
#include "base/shared_vector.h"
#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// A circuit, and what each of its statements leaves.
struct WrittenProgram {
  circuit::Circuit circuit;
  std::vector<Left> left;
};

/// The numbers of each of the program's arrays, for circuits; none where they are computed or
/// given.
using Numbers = std::vector<SharedVector<double>>;

/// Takes time proportional to all constants: worth doing once for the many circuits of a program.
auto numbers_of(const array::Program& program) -> Numbers;

/// A circuit of the program's arrays that computes nothing yet.
auto empty_circuit(const array::Program& program, uint32_t n_columns) -> circuit::Circuit;

/// The circuit of the program's first statements, as many as `schedule` has; its output is the last
/// of those.
auto write_program(const array::Program& program, const Numbers& numbers, const Schedule& schedule)
    -> Result<WrittenProgram>;

/// The same for a program of which one circuit is wanted.
auto write_program(const array::Program& program, const Schedule& schedule)
    -> Result<WrittenProgram>;

}  // namespace tacet::schedule
