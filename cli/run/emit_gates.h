#pragma once

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// `gates`, `blif`, `gates-dot`: device functions as circuits of bits.
auto is_gates_stage(const std::string& stage) -> bool;

/// Prints the device functions of `file`, which has no errors, as optimised circuits of bits: all
/// of them, or the one that `target` names. What has no circuit is reported, and fails.
auto emit_gates(const std::string& stage, const program::FrontendSnapshot& snapshot, FileId file,
                const RunTarget& target, SourceSet& sources, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
