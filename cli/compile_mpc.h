#pragma once

#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/source_set.h"
#include "compiler/frontend/frontend.h"
#include "engine/program/mpc_program.h"

namespace tacet::cli {

/// What became of a device function on the way to the MPC machine.
struct MpcCompilation {
  std::optional<engine::MpcProgram> program;
  std::vector<Diagnostic> diagnostics;
  std::string problem;  ///< if there are neither
};

/// Kernel, oblivious form, program; of an item of a file that has no errors.
auto compile_for_mpc(const check::FrontendSnapshot& snapshot, names::ItemId item,
                     SourceSet& sources) -> MpcCompilation;

/// `tacet emit --stage mpc`: the programs of the device functions of a file, or of the one that
/// `target` names.
auto emit_mpc(const check::FrontendSnapshot& snapshot, FileId file, const RunTarget& target,
              SourceSet& sources, Invocation& invocation) -> ExitCode;

/// Reads a program that was printed, and prints it again.
auto emit_mpc_program(const std::string& text, const std::string& path, Invocation& invocation)
    -> ExitCode;

}  // namespace tacet::cli
