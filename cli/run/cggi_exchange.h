#pragma once

#include "cli/run/cggi_device.h"
#include "cli/run/exchange_files.h"

/// Client and server of a program for CGGI as two processes that exchange files.
namespace tacet::cli {

/// Makes keys and encrypts. Like the other two it says in `costs` (`costs_of`) what it took. `line`
/// shows the phases.
auto begin_exchange(const engine::CggiProgram& program, const engine::CggiValues& values,
                    const ExchangePlace& place, CggiCosts& costs, PhaseLine& line) -> Status;

/// The server's side.
auto answer_exchange(const engine::CggiProgram& program, const engine::CggiValues& values,
                     const ExchangePlace& place, CggiCosts& costs, PhaseLine& line) -> Status;

/// Decrypts the results.
auto finish_exchange(const engine::CggiProgram& program, const ExchangePlace& place,
                     CggiCosts& costs) -> Result<engine::CggiValues>;

}  // namespace tacet::cli
