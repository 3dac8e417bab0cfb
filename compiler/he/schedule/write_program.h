#pragma once

#include "base/result.h"
#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// A circuit, and what each of its statements leaves.
struct WrittenProgram {
  circuit::Circuit circuit;
  std::vector<Left> left;
};

/// The circuit of the program's first statements, as many as `schedule` has; its output is the last
/// of those.
auto write_program(const array::Program& program, const Schedule& schedule)
    -> Result<WrittenProgram>;

}  // namespace tacet::schedule
