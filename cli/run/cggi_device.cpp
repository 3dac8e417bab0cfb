#include "cli/run/cggi_device.h"

#include <algorithm>
#include <cmath>

#include "cli/thread_executor.h"
#include "engine/cggi/key_generation.h"
#include "engine/cggi/serialisation.h"
#include "engine/cggi_format/specialise.h"
#include "engine/he_runtime/statistics.h"

namespace tacet::cli {

using engine::CggiProgram;
using engine::CggiValues;

static auto depth_of(const CggiProgram& program) -> size_t {
  const std::vector<uint32_t> levels = engine::levels_of(program);
  return levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
}

auto costs_of(const CggiProgram& program, HeSide side, unsigned n_threads) -> CggiCosts {
  CggiCosts costs;
  costs.side = side;
  costs.parameters = program.parameters;
  costs.n_bootstraps = engine::n_bootstraps(program);
  const std::vector<cggi::DecisionCount> decisions = engine::decisions_of(program);
  costs.log2_failure =
      decisions.empty() ? program.log2_failure : cggi::log2_failure(program.parameters, decisions);
  costs.depth = depth_of(program);
  for (const engine::CggiField& field : program.inputs) {
    if (field.owner == engine::CggiOwner::Client) {
      costs.n_input_ciphertexts += engine::n_bits({&field, 1});
    }
  }
  costs.n_output_ciphertexts = program.outputs.size();
  costs.n_threads = thread_count(n_threads);
  return costs;
}

void add_costs(const CggiCosts& from, CggiCosts& to) {
  // Either of two programs may fail.
  to.log2_failure = std::log2(std::exp2(from.log2_failure) + std::exp2(to.log2_failure));
  to.n_bootstraps += from.n_bootstraps;
  to.depth += from.depth;
  to.n_input_ciphertexts += from.n_input_ciphertexts;
  to.n_output_ciphertexts += from.n_output_ciphertexts;
  to.key_bytes += from.key_bytes;
  to.input_bytes += from.input_bytes;
  to.bytes_sent += from.bytes_sent;
  to.keygen_seconds += from.keygen_seconds;
  to.prepare_seconds += from.prepare_seconds;
  to.encrypt_seconds += from.encrypt_seconds;
  to.evaluate_seconds += from.evaluate_seconds;
  to.decrypt_seconds += from.decrypt_seconds;
}

auto begin_on_cggi(const CggiProgram& program, const CggiValues& values, CggiCosts& costs,
                   PhaseLine& line) -> Result<CggiClient> {
  const Isa isa = best_isa();
  Result<cggi::SecureRandom> random = cggi::SecureRandom::from_system(isa);
  if (!random) {
    return random.error();
  }
  CggiClient client;
  ThreadExecutor executor(costs.n_threads);
  line.begin("generating keys");
  {
    const engine::HeTimer timer(costs.keygen_seconds);
    Result<cggi::SecretKey> secret = cggi::generate_secret_key(program.parameters, *random);
    if (!secret) {
      return secret.error();
    }
    client.secret = std::move(*secret);
    client.evaluation = cggi::generate_evaluation_key(client.secret, *random, executor, isa);
  }
  line.end();
  const engine::HeTimer timer(costs.encrypt_seconds);
  Result<cggi::FreshCiphertexts> inputs =
      engine::encrypt_inputs(program, client.secret, values, *random, isa);
  if (!inputs) {
    return inputs.error();
  }
  client.inputs = std::move(*inputs);
  return client;
}

auto answer_on_cggi(const CggiProgram& program, const cggi::EvaluationKey& key,
                    const cggi::FreshCiphertexts& inputs, const CggiValues& values,
                    CggiCosts& costs, PhaseLine& line) -> Result<cggi::Ciphertexts> {
  Result<SecureVector<uint8_t>> server_bits =
      engine::input_bits(program, engine::CggiOwner::Server, values);
  if (!server_bits) {
    return server_bits.error();
  }
  const CggiProgram special = engine::specialised(program, *server_bits);
  costs.n_bootstraps = engine::n_bootstraps(special);
  costs.depth = depth_of(special);
  ThreadExecutor executor(costs.n_threads);
  line.begin("preparing the evaluation key");
  Result<cggi::ServerKey> server = [&] {
    const engine::HeTimer timer(costs.prepare_seconds);
    return cggi::ServerKey::make(key, executor, best_isa());
  }();
  if (!server) {
    return server.error();
  }
  const auto progress = line.begin("evaluating");
  Result<cggi::Ciphertexts> results = [&] {
    const engine::HeTimer timer(costs.evaluate_seconds);
    return engine::evaluate(special, *server, inputs, values,
                            {.executor = executor, .n_threads = costs.n_threads}, progress);
  }();
  line.end();
  return results;
}

auto run_on_cggi(const CggiProgram& program, const CggiValues& values, unsigned n_threads,
                 bool wants_bytes, PhaseLine& line) -> Result<CggiDeviceRun> {
  CggiDeviceRun run;
  run.costs = costs_of(program, HeSide::Both, n_threads);
  Result<CggiClient> client = begin_on_cggi(program, values, run.costs, line);
  if (!client) {
    return client.error();
  }
  Result<cggi::Ciphertexts> results =
      answer_on_cggi(program, client->evaluation, client->inputs, values, run.costs, line);
  if (!results) {
    return results.error();
  }
  if (wants_bytes) {
    run.costs.key_bytes = cggi::serialise(client->evaluation).size();
    run.costs.input_bytes = cggi::serialise(client->inputs).size();
    run.costs.bytes_sent = std::max<uint64_t>(run.costs.key_bytes + run.costs.input_bytes,
                                              cggi::serialise(*results).size());
  }
  const engine::HeTimer timer(run.costs.decrypt_seconds);
  Result<CggiValues> outputs = engine::decrypt_results(program, client->secret, *results);
  if (!outputs) {
    return outputs.error();
  }
  run.outputs = std::move(*outputs);
  return run;
}

}  // namespace tacet::cli
