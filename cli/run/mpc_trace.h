#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/mpc/runner/party_run.h"

namespace tacet::cli {

/// Writes a run in the Chrome trace format, which opens in Perfetto: a process for each party, an
/// event for each instruction from its operands to its result. Instructions that share rounds
/// overlap, so they are asynchronous events. Each has its text, its rounds, and what was sent in it
/// by each layer of dispatch, summed over all iterations of loops. Events say which of `programs`
/// they are of.
auto write_mpc_trace(const std::string& path, std::span<const engine::MpcProgram> programs,
                     const std::vector<mpc::PartyResult>& results) -> Status;

}  // namespace tacet::cli
