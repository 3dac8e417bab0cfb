#pragma once

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "cli/run/run_report.h"

namespace tacet::cli {

/// The text of a compiled program (`tacet build`) or of a homomorphic program of the engine, if
/// that is what is in the file.
auto compiled_text(const std::string& path) -> std::optional<std::string>;

/// A homomorphic program of the engine, under what is chosen for it.
auto bundle_of_program(std::string_view text, const RunOptions& options, Invocation& invocation)
    -> Result<engine::HeBundle>;

/// Runs what `compiled_text` found. `measured` as of `run_program`.
auto run_compiled(const std::string& text, const RunOptions& options, Invocation& invocation,
                  RunStatistics* measured = nullptr) -> ExitCode;

/// Runs a program under encryption and fills in what that cost. `line` shows the phases.
auto run_encrypted(const engine::HeBundle& bundle, const engine::HeIntegers& values,
                   const RunOptions& options, RunStatistics& statistics, PhaseLine& line)
    -> Result<engine::HeIntegers>;

auto run_encrypted(const engine::CggiProgram& program, const engine::CggiValues& values,
                   const RunOptions& options, RunStatistics& statistics, PhaseLine& line)
    -> Result<engine::CggiValues>;

}  // namespace tacet::cli
