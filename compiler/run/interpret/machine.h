#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "compiler/run/interpret/element_type.h"
#include "compiler/run/interpret/program.h"

namespace tacet::interpret {

/// A function of the host: reads `inputs`, fills `outputs`, gives zero if that went well. Scalars
/// and elements of arrays are in order, as cells.
using HostFunction =
    std::function<int(std::span<const int64_t> inputs, std::span<int64_t> outputs)>;

/// Limits and callbacks of a run.
struct MachineOptions {
  /// The stack may grow to this many bytes.
  uint64_t memory_limit_bytes = uint64_t{4} << 30;
  CancellationToken cancellation = cancellation_of_thread();
  std::map<std::string, HostFunction, std::less<>> externs;
  /// What random draws are functions of.
  engine::PublicRandomKey random_key;
  /// Checks that no two draws have the same place, at the price of remembering all of them: what
  /// tests ask for.
  bool audits_draws = false;
  /// Called periodically with the number of steps so far; may be empty.
  std::function<void(uint64_t n_steps)> progress;
};

/// Where and on which values a run failed.
struct Failure {
  Fault fault{};
  uint32_t instruction = 0;
  /// The operands, if the fault is about an operation; the extern's result if it is about one.
  Cell left = 0;
  Cell right = 0;
  /// The instructions that were calling, innermost first. Of a deep stack only some of the inner
  /// and some of the outer ones, with `n_calls_left_out` between them.
  std::vector<uint32_t> callers;
  uint32_t n_inner_callers = 0;
  uint64_t n_calls_left_out = 0;
};

struct MachineResult {
  bool is_done = false;
  std::vector<Cell> results;  ///< if done
  Failure failure;            ///< if not
  /// Instructions of `note` that were reached, in the order of their first time.
  std::vector<uint32_t> notes;
  /// Calls, iterations of loops and elements of array operations.
  uint64_t n_steps = 0;
  uint64_t peak_memory_bytes = 0;
};

/// Runs a function of a program on its parameter cells. The program is trusted: it came out of
/// the lowering. Depth of recursion is bounded by the memory limit alone. Uses no state but its
/// arguments: any number of runs may be concurrent.
auto run_program(const Program& program, uint32_t function, std::span<const Cell> arguments,
                 const MachineOptions& options) -> MachineResult;

}  // namespace tacet::interpret
