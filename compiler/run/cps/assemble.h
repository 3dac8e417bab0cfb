#pragma once

#include <vector>

#include "compiler/run/cps/assembly.h"
#include "engine/program/coordinator/coordinator.h"

namespace tacet::cps {

/// A program that the coordinator machine runs, and where its instructions come from.
struct Assembled {
  engine::CoordinatorProgram program;
  /// By instruction: `Command::source` or `Tail::source`, `engine::kNone` for what has none.
  std::vector<uint32_t> sources;
};

/// Gives every value of a funclet its cells. What is the same cells under another name (copies,
/// references to variables, assumptions) costs nothing. Functions and kernels keep their numbers,
/// and a device is the number of its `names::Device`. A function that draws has nine cells in front
/// of its parameters, a `DynamicRngState`: the calls that it is run by; so do kernels that draw.
/// The assembly obeys the rules of `check`.
auto assemble(const Program& program) -> Assembled;

/// How many cells a value takes.
auto n_cells(const Type& type) -> uint32_t;

}  // namespace tacet::cps
