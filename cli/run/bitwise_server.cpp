#include "cli/run/bitwise_server.h"

#include <fmt/format.h>

#include "engine/cggi/serialisation.h"

namespace tacet::cli {

using engine::CggiProgram;

auto BitwiseServer::make(const CggiProgram& program, const NamedBytes& keys,
                         engine::CggiValues values, CggiCosts& costs, PhaseLine& line)
    -> Result<BitwiseServer> {
  if (Status status = engine::check_hiding(program); !status) {
    return status.error();
  }
  if (Result<Belonging> belonging = read_keys_header(keys, engine::digest_of(program));
      !belonging) {
    return belonging.error();
  }
  Result<std::shared_ptr<const Preparation>> preparation =
      Preparation::make(program, std::move(values));
  return preparation ? make(std::move(*preparation), keys, costs, line)
                     : Result<BitwiseServer>(preparation.error());
}

auto BitwiseServer::make(std::shared_ptr<const Preparation> preparation, const NamedBytes& keys,
                         CggiCosts& costs, PhaseLine& line) -> Result<BitwiseServer> {
  Result<Belonging> belonging = read_keys_header(keys, preparation->digest);
  if (!belonging) {
    return belonging.error();
  }
  Result<cggi::EvaluationKey> key = cggi::deserialise_evaluation_key(behind_header(keys.bytes));
  if (!key) {
    return of_file(keys.name, key.error());
  }
  if (key->parameters != preparation->parameters) {
    return foreign(keys.name, "other parameters than the program's");
  }
  Result<CggiEvaluator> evaluator = CggiEvaluator::make(std::move(preparation), *key, costs, line);
  if (!evaluator) {
    return evaluator.error();
  }
  BitwiseServer server(std::move(*evaluator));
  server.keys_ = *belonging;
  server.keys_name_ = keys.name;
  return server;
}

auto BitwiseServer::answer(const NamedBytes& inputs, CggiCosts& costs, PhaseLine& line,
                           he::Bytes before) const -> Result<he::Bytes> {
  Result<Belonging> belonging = belonging_of_inputs(inputs, keys_, keys_name_);
  if (!belonging) {
    return belonging.error();
  }
  Result<cggi::FreshCiphertexts> given =
      cggi::deserialise_fresh_ciphertexts(behind_header(inputs.bytes));
  if (!given) {
    return of_file(inputs.name, given.error());
  }
  Result<cggi::Ciphertexts> results = evaluator_.evaluate(*given, costs, line);
  if (!results) {
    return results.error();
  }
  const he::Bytes file = file_of(ExchangeFile::Results, *belonging, cggi::serialise(*results));
  costs.bytes_sent = file.size();
  before.insert(before.end(), file.begin(), file.end());
  return before;
}

}  // namespace tacet::cli
