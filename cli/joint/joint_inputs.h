#pragma once

#include <string>
#include <vector>

#include "cli/run/exchange_files.h"
#include "cli/run/he_device.h"
#include "compiler/run/interpret/interpret.h"

/// Inputs under a joint key. Who has one encrypts it alone, under the public key in `keys`, to the
/// file `inputs.NAME`; the server adds up those of all to `inputs`.
namespace tacet::cli {

/// Those of the parameters that the command line gives by name; all if it gives some otherwise.
auto given_parameters(const std::vector<interpret::EntryParameter>& parameters,
                      const std::vector<std::string>& values,
                      const std::vector<std::string>& inputs)
    -> std::vector<interpret::EntryParameter>;

/// Encrypts these inputs and writes a file for each. Results of earlier inputs are removed.
auto write_contributions(const engine::HeBundle& bundle, const engine::HeIntegers& values,
                         const std::string& folder, HeCosts& costs) -> Status;

/// Adds up the files of all inputs of the client's side, and writes `inputs`. An error names the
/// inputs that are missing.
auto merge_contributions(const engine::HeBundle& bundle, const std::string& folder,
                         unsigned n_threads) -> Status;

}  // namespace tacet::cli
