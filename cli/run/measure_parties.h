#pragma once

#include "cli/command.h"
#include "engine/mpc_model/run_times.h"

namespace tacet::cli {

/// Measures what runs by parties on this machine take, by processes that are connected as those of
/// `tacet run` are: a small one, one of many rounds, and one that sends much, each several times. A
/// few seconds for each protocol.
auto measure_parties(Invocation& invocation) -> Result<mpc_model::ProtocolTimes>;

}  // namespace tacet::cli
