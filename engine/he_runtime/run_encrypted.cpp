#include "engine/he_runtime/run_encrypted.h"

#include "engine/program/he/text.h"

namespace tacet::engine {

auto run_encrypted(std::string_view text, const HeValues& values, const he::ContextRef& context,
                   he::SecureRandom& random) -> Result<HeRun> {
  const Result<HeProgram> program = parse_he_program(text);
  return program ? run_encrypted(program.value(), values, context, random)
                 : Result<HeRun>(program.error());
}

auto run_encrypted(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
                   he::SecureRandom& random) -> Result<HeRun> {
  const Result<HeServer> server = HeServer::make(program, context, values);
  if (!server) {
    return server.error();
  }
  HeRun run{.outputs = {}, .statistics = server.value().preparation()};
  const he::SecretKey secret = he::generate_secret_key(*context, random);
  const Result<HeEvaluationKeys> keys =
      make_evaluation_keys(server.value().facts(), *context, secret, random);
  if (!keys) {
    return keys.error();
  }
  Result<std::vector<he::Ciphertext>> inputs =
      encrypt_inputs(program, *context, secret, values, random, run.statistics);
  if (!inputs) {
    return inputs.error();
  }
  const Result<std::vector<he::Ciphertext>> results =
      server.value().evaluate(std::move(*inputs), keys.value(), run.statistics);
  if (!results) {
    return results.error();
  }
  Result<HeValues> outputs =
      decrypt_outputs(program, *context, secret, results.value(), random, run.statistics,
                      {.kind = he::CkksAudience::Kind::KeyHolder});
  if (!outputs) {
    return outputs.error();
  }
  run.outputs = std::move(*outputs);
  return run;
}

}  // namespace tacet::engine
