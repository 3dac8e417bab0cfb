#pragma once

#include "cli/run/exchange_files.h"
#include "cli/run/he_device.h"

/// Client and server of a program for the arithmetic schemes as two processes that exchange files.
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
