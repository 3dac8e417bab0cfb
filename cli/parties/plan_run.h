#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run/mpc_device.h"

namespace tacet::cli {

/// A program for parties, with its parameters and results as the command line names them.
struct PlannedProgram {
  const engine::MpcProgram& program;
  const std::vector<interpret::EntryParameter>& parameters;
  const std::vector<interpret::EntryResult>& results;
  std::string name;  ///< of the function
};

/// `--plan`, and `tacet party allow`, which records consent besides: prints what a run would cost
/// and disclose. Values of secrets may be among those of the command line; they are not read.
/// `key` is that of `@random`.
auto plan_run(const PlannedProgram& planned, const RunOptions& options,
              const std::function<engine::PublicRandomKey()>& key, Invocation& invocation)
    -> ExitCode;

}  // namespace tacet::cli
