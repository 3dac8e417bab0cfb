#pragma once

#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "cli/source_set.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/mpc/lower/lower.h"
#include "compiler/spec/program/frontend.h"
#include "engine/program/mpc/program.h"

namespace tacet::cli {

/// The outcome of compiling a device function for the MPC machine.
struct MpcCompilation {
  std::optional<engine::MpcProgram> program;
  std::vector<Diagnostic> diagnostics;
  std::string problem;  ///< if there are neither
  /// Calls of functions of `he` that were kept; their results are the last inputs of the program.
  std::vector<kernel::EncryptedCall> encrypted{};
};

/// How a program for the machine is going to be run.
struct MpcUse {
  mpc_lower::LowerTruncation truncation = mpc_lower::LowerTruncation::Exact;
  mpc_lower::LowerResults results = mpc_lower::LowerResults::Shown;
  kernel::EncryptedCalls encrypted_calls = kernel::EncryptedCalls::Inlined;
};
auto mpc_use_of(const RunOptions& options, mpc_lower::LowerResults results) -> MpcUse;

/// Kernel, oblivious form, program; of an item of a file that has no errors. There may be warnings
/// beside a program.
auto compile_for_mpc(const program::FrontendSnapshot& snapshot, names::ItemId item,
                     SourceSet& sources, const MpcUse& use = {}) -> MpcCompilation;

/// `tacet emit --stage mpc`: the programs of the device functions of a file, or of the one that
/// `target` names.
auto emit_mpc(const program::FrontendSnapshot& snapshot, FileId file, const RunTarget& target,
              SourceSet& sources, Invocation& invocation) -> ExitCode;

/// Reads a program that was printed, and prints it again.
auto emit_mpc_program(const std::string& text, const std::string& path, Invocation& invocation)
    -> ExitCode;

}  // namespace tacet::cli
