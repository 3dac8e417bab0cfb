#pragma once

#include "cli/command.h"
#include "cli/run/compile_he.h"
#include "cli/run/run_options.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// The stages of compiling for homomorphic encryption: `array`, `schedule`, `circuit`, `dot` (the
/// circuit as a graph), `loops` (the program of the engine without primes) and `program` (with all
/// that is chosen for it).
auto is_he_stage(std::string_view stage) -> bool;

/// How far such a stage has to be compiled to.
auto he_stage(std::string_view stage) -> he_lower::Stage;

/// Prints the stage, or why there is none.
auto print_he_stage(std::string_view stage, const HeCompilation& compilation,
                    const HeCompileRequest& request, const RunOptions& options,
                    Invocation& invocation) -> ExitCode;

/// Prints a stage of the item that `options.target` means in `file`, which has no errors.
auto emit_he(std::string_view stage, const program::FrontendSnapshot& snapshot, FileId file,
             const RunOptions& options, SourceSet& sources, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
