#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/compile_mpc.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// A program for the parties with all its encrypted parts.
struct JointCompilation {
  std::optional<engine::MpcProgram> program;
  std::vector<Diagnostic> diagnostics{};
  std::string problem{};  ///< if there are neither
};

/// Compiles what a function for secret shares calls of `he` for a key of all parties, and makes the
/// program take shares of the results (`engine::take_shares`). `compilation` has a program whose
/// encrypted calls were kept; `parameters` are those of the function, with their bounds, which
/// must be within those of what they are passed to: an encrypted number outside would make the
/// result wrong.
auto with_encrypted_parts(const program::FrontendSnapshot& snapshot, MpcCompilation compilation,
                          const std::vector<interpret::EntryParameter>& parameters,
                          const RunOptions& options, SourceSet& sources, Invocation& invocation)
    -> JointCompilation;

}  // namespace tacet::cli
