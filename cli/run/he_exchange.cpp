#include "cli/run/he_exchange.h"

#include "cli/run/arithmetic_client.h"
#include "cli/run/arithmetic_server.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeIntegers;

auto begin_exchange(const HeBundle& bundle, const HeIntegers& values, const ExchangePlace& place,
                    HeCosts& costs, PhaseLine& line) -> Status {
  Result<ArithmeticClient> client = ArithmeticClient::make(bundle, costs, line);
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

auto answer_exchange(const HeBundle& bundle, const HeIntegers& values, const ExchangePlace& place,
                     HeCosts& costs, PhaseLine& line) -> Status {
  Result<GivenFiles> files = read_client_files(place);
  if (!files) {
    return files.error();
  }
  Result<ArithmeticServer> server =
      ArithmeticServer::make(bundle, files->keys.named(), values, costs, line);
  if (!server) {
    return server.error();
  }
  const Result<he::Bytes> results = server->answer(files->inputs.named(), costs, line);
  return results ? write_results(place, results.value()) : Status(results.error());
}

auto finish_exchange(const HeBundle& bundle, const ExchangePlace& place, HeCosts& costs)
    -> Result<HeIntegers> {
  Result<ResultFiles> files = read_result_files(place);
  if (!files) {
    return files.error();
  }
  Result<ArithmeticClient> client =
      ArithmeticClient::open(bundle, files->secret.named(), costs.n_threads);
  return client ? client->decrypt(files->results.named(), costs)
                : Result<HeIntegers>(client.error());
}

}  // namespace tacet::cli
