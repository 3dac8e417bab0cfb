#pragma once

#include <utility>

#include "cli/run/encrypted_kinds.h"
#include "cli/run/exchange_files.h"

/// Client and server of a compiled program as two processes that exchange files. All three say in
/// `costs` (`costs_of`) what it took; `line` shows the phases.
namespace tacet::cli {

/// Makes keys and encrypts. Results of an earlier exchange in the folder are removed.
template <class Kind>
auto begin_exchange(const typename Kind::Program& program, const typename Kind::Values& values,
                    const ExchangePlace& place, typename Kind::Costs& costs, PhaseLine& line)
    -> Status {
  auto client = Kind::Client::make(program, costs, line);
  if (!client) {
    return client.error();
  }
  const Result<he::Bytes> inputs = client->encrypt(values, costs);
  const Result<SecureBytes> secret = client->secret();
  if (!inputs || !secret) {
    return inputs ? secret.error() : inputs.error();
  }
  return write_client_files(place, client->keys(), inputs.value(), secret.value());
}

/// The server's side.
template <class Kind>
auto answer_exchange(const typename Kind::Program& program, typename Kind::Values values,
                     const ExchangePlace& place, typename Kind::Costs& costs, PhaseLine& line)
    -> Status {
  Result<GivenFiles> files = read_client_files(place);
  if (!files) {
    return files.error();
  }
  auto server = Kind::Server::make(program, files->keys.named(), std::move(values), costs, line);
  if (!server) {
    return server.error();
  }
  const Result<he::Bytes> results = server->answer(files->inputs.named(), costs, line);
  return results ? write_results(place, results.value()) : Status(results.error());
}

/// Decrypts the results.
template <class Kind>
auto finish_exchange(const typename Kind::Program& program, const ExchangePlace& place,
                     typename Kind::Costs& costs) -> Result<typename Kind::Values> {
  Result<ResultFiles> files = read_result_files(place);
  if (!files) {
    return files.error();
  }
  auto client = Kind::open(program, files->secret.named(), costs);
  return client ? client->decrypt(files->results.named(), costs)
                : Result<typename Kind::Values>(client.error());
}

}  // namespace tacet::cli
