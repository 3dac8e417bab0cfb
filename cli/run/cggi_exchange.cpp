#include "cli/run/cggi_exchange.h"

#include "cli/run/bitwise_client.h"
#include "cli/run/bitwise_server.h"

namespace tacet::cli {

using engine::CggiProgram;
using engine::CggiValues;

auto begin_exchange(const CggiProgram& program, const CggiValues& values,
                    const ExchangePlace& place, CggiCosts& costs, PhaseLine& line) -> Status {
  Result<BitwiseClient> client = BitwiseClient::make(program, costs, line);
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

auto answer_exchange(const CggiProgram& program, const CggiValues& values,
                     const ExchangePlace& place, CggiCosts& costs, PhaseLine& line) -> Status {
  Result<GivenFiles> files = read_client_files(place);
  if (!files) {
    return files.error();
  }
  Result<BitwiseServer> server =
      BitwiseServer::make(program, files->keys.named(), values, costs, line);
  if (!server) {
    return server.error();
  }
  const Result<he::Bytes> results = server->answer(files->inputs.named(), costs, line);
  return results ? write_results(place, results.value()) : Status(results.error());
}

auto finish_exchange(const CggiProgram& program, const ExchangePlace& place, CggiCosts& costs)
    -> Result<CggiValues> {
  Result<ResultFiles> files = read_result_files(place);
  if (!files) {
    return files.error();
  }
  Result<BitwiseClient> client = BitwiseClient::open(program, files->secret.named());
  return client ? client->decrypt(files->results.named(), costs)
                : Result<CggiValues>(client.error());
}

}  // namespace tacet::cli
