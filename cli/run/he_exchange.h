#pragma once

#include "cli/run/exchange_files.h"
#include "cli/run/he_device.h"

/// Objects are those of `engine/he/serialisation.h`, part by part of the bundle: of keys, the
/// public one if the server has numbers to hide, the one for relinearisation and the set for
/// rotations, where the program needs them; ciphertexts in the order of `input_elements` and
/// `output_elements`.
namespace tacet::cli {

/// Makes keys and encrypts. Results of an earlier exchange in the folder are removed. Like the
/// other two it says in `costs` (`costs_of`) what it took. `line` shows the phases.
auto begin_exchange(const engine::HeBundle& bundle, const engine::HeIntegers& values,
                    const ExchangePlace& place, HeCosts& costs, PhaseLine& line) -> Status;

/// The server's side.
auto answer_exchange(const engine::HeBundle& bundle, const engine::HeIntegers& values,
                     const ExchangePlace& place, HeCosts& costs, PhaseLine& line) -> Status;

/// Decrypts the results.
auto finish_exchange(const engine::HeBundle& bundle, const ExchangePlace& place, HeCosts& costs)
    -> Result<engine::HeIntegers>;

}  // namespace tacet::cli
