#include "cli/run/cggi_exchange.h"

#include "engine/cggi/serialisation.h"
#include "engine/he_runtime/statistics.h"

namespace tacet::cli {

using engine::CggiProgram;
using engine::CggiValues;

auto begin_exchange(const CggiProgram& program, const CggiValues& values,
                    const ExchangePlace& place, CggiCosts& costs, PhaseLine& line) -> Status {
  if (Status status = engine::check_hiding(program); !status) {
    return status;  // no server would answer
  }
  Result<CggiClient> client = begin_on_cggi(program, values, costs, line);
  if (!client) {
    return client.error();
  }
  Belonging belonging{.program = engine::digest_of(program)};
  const cggi::Bytes key = cggi::serialise(client->evaluation);
  const cggi::Bytes keys = file_of(ExchangeFile::Keys, belonging, key);
  belonging.keys = digest_of_file(keys);
  const cggi::Bytes inputs =
      file_of(ExchangeFile::Inputs, belonging, cggi::serialise(client->inputs));
  belonging.inputs = digest_of_file(inputs);
  costs.key_bytes = key.size();
  costs.input_bytes = inputs.size();
  costs.bytes_sent = keys.size() + inputs.size();
  return write_client_files(
      place, keys, inputs,
      file_of(ExchangeFile::Secret, belonging, cggi::serialise(client->secret)));
}

auto answer_exchange(const CggiProgram& program, const CggiValues& values,
                     const ExchangePlace& place, CggiCosts& costs, PhaseLine& line) -> Status {
  if (Status status = engine::check_hiding(program); !status) {
    return status;
  }
  Result<GivenFiles> files = read_client_files(engine::digest_of(program), place);
  if (!files) {
    return files.error();
  }
  Result<cggi::EvaluationKey> key = cggi::deserialise_evaluation_key(behind_header(files->keys));
  if (!key) {
    return of_file(files->keys_path, key.error());
  }
  if (key->parameters != program.parameters) {
    return foreign(files->keys_path, "other parameters than the program's");
  }
  Result<cggi::FreshCiphertexts> inputs =
      cggi::deserialise_fresh_ciphertexts(behind_header(files->inputs));
  if (!inputs) {
    return of_file(files->inputs_path, inputs.error());
  }
  Result<cggi::Ciphertexts> results = answer_on_cggi(program, *key, *inputs, values, costs, line);
  if (!results) {
    return results.error();
  }
  const cggi::Bytes file =
      file_of(ExchangeFile::Results, files->belonging, cggi::serialise(*results));
  costs.bytes_sent = file.size();
  return write_results(place, file);
}

auto finish_exchange(const CggiProgram& program, const ExchangePlace& place, CggiCosts& costs)
    -> Result<CggiValues> {
  Result<ResultFiles> files = read_result_files(engine::digest_of(program), place);
  if (!files) {
    return files.error();
  }
  Result<cggi::SecretKey> secret = cggi::deserialise_secret_key(behind_header(files->secret));
  if (!secret) {
    return of_file(place.secret_file, secret.error());
  }
  if (secret->parameters != program.parameters) {
    return foreign(place.secret_file, "other parameters than the program's");
  }
  Result<cggi::Ciphertexts> results =
      cggi::deserialise_ciphertexts(program.parameters, behind_header(files->results));
  if (!results) {
    return of_file(files->path, results.error());
  }
  const engine::HeTimer timer(costs.decrypt_seconds);
  Result<CggiValues> outputs = engine::decrypt_results(program, *secret, *results);
  return outputs ? std::move(outputs) : Result<CggiValues>(of_file(files->path, outputs.error()));
}

}  // namespace tacet::cli
