#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/run/mpc_device.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

/// The results of a run by parties, as far as the asking party may know them.
struct ByParties {
  std::vector<interpret::EntryResult> results;
  std::vector<interpret::Value> values;
  MpcCosts costs;
  /// Of public draws, where the parties agreed on it among themselves.
  std::optional<engine::PublicRandomKey> random_key{};
};

/// Gives the values of parameters, those of one party or of all.
using PartyInputs = std::function<Result<std::vector<interpret::Value>>(
    const std::vector<interpret::EntryParameter>& parameters)>;

struct PartiesFailure {
  std::string message;
  ExitCode code = ExitCode::Failed;
};

/// A program with its parameters and results, as the command line names them. Either all parties
/// run here, or, with `--party`, this is one of them: then values are those of this party, and so
/// are results. `key` gives the key of random values.
auto run_by_parties(const engine::MpcProgram& program,
                    const std::vector<interpret::EntryParameter>& parameters,
                    const std::vector<interpret::EntryResult>& results, const RunOptions& options,
                    const std::function<engine::PublicRandomKey()>& key, const PartyInputs& inputs,
                    Invocation& invocation) -> std::variant<ByParties, PartiesFailure>;

}  // namespace tacet::cli
