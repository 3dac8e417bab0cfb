#pragma once

#include "cli/run/he_device.h"

/// Client and server of a computation under encryption as two processes that exchange files, in a
/// folder that both see or that is copied between them:
///
///     keys       the client's evaluation keys, public       client -> server
///     inputs     its encrypted numbers                      client -> server
///     results    encrypted                                  server -> client
///
/// Each file is a header and a sequence of objects (`engine/he/serialisation.h`), part by part of
/// the bundle: of keys, the public one if the server has numbers to hide, the one for
/// relinearisation and the set for rotations, where the program needs them; ciphertexts in the
/// order of `input_elements` and `output_elements`. The client's secret key is a file of its own
/// that only the user may read and that never leaves the client.
///
/// The header has the file's kind, and the digests of the program, of the keys file and of the
/// inputs file that it belongs to: readers reject files made for others.
namespace tacet::cli {

struct ExchangePlace {
  std::string folder;
  std::string secret_file;
};

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
