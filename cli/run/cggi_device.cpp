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

auto make_keys_on_cggi(const CggiProgram& program, CggiCosts& costs, PhaseLine& line)
    -> Result<CggiKeys> {
  const Isa isa = best_isa();
  Result<cggi::SecureRandom> random = cggi::SecureRandom::from_system(isa);
  if (!random) {
    return random.error();
  }
  ThreadExecutor executor(costs.n_threads);
  line.begin("generating keys");
  const engine::HeTimer timer(costs.keygen_seconds);
  Result<cggi::SecretKey> secret = cggi::generate_secret_key(program.parameters, *random);
  if (!secret) {
    return secret.error();
  }
  CggiKeys keys{.secret = std::move(*secret), .evaluation = {}};
  keys.evaluation = cggi::generate_evaluation_key(keys.secret, *random, executor, isa);
  line.end();
  return keys;
}

auto CggiPreparation::make(const CggiProgram& program, CggiValues values)
    -> Result<std::shared_ptr<const CggiPreparation>> {
  Result<SecureVector<uint8_t>> server_bits =
      engine::input_bits(program, engine::CggiOwner::Server, values);
  if (!server_bits) {
    return server_bits.error();
  }
  auto made = std::make_shared<CggiPreparation>();
  made->digest = engine::digest_of(program);
  made->parameters = program.parameters;
  made->program = engine::specialised(program, *server_bits);
  made->values = std::move(values);
  return std::shared_ptr<const CggiPreparation>(std::move(made));
}

auto CggiEvaluator::make(const CggiProgram& program, const cggi::EvaluationKey& key,
                         CggiValues values, CggiCosts& costs, PhaseLine& line)
    -> Result<CggiEvaluator> {
  Result<std::shared_ptr<const CggiPreparation>> preparation =
      CggiPreparation::make(program, std::move(values));
  return preparation ? make(std::move(*preparation), key, costs, line)
                     : Result<CggiEvaluator>(preparation.error());
}

auto CggiEvaluator::make(std::shared_ptr<const CggiPreparation> preparation,
                         const cggi::EvaluationKey& key, CggiCosts& costs, PhaseLine& line)
    -> Result<CggiEvaluator> {
  ThreadExecutor executor(costs.n_threads);
  line.begin("preparing the evaluation key");
  Result<cggi::ServerKey> server = [&] {
    const engine::HeTimer timer(costs.prepare_seconds);
    return cggi::ServerKey::make(key, executor, best_isa());
  }();
  line.end();
  return server ? CggiEvaluator(std::move(preparation), std::move(*server))
                : Result<CggiEvaluator>(server.error());
}

auto CggiEvaluator::evaluate(const cggi::FreshCiphertexts& inputs, CggiCosts& costs,
                             PhaseLine& line) const -> Result<cggi::Ciphertexts> {
  const CggiProgram& program = preparation_->program;
  costs.n_bootstraps = engine::n_bootstraps(program);
  costs.depth = depth_of(program);
  ThreadExecutor executor(costs.n_threads);
  const auto progress = line.begin("evaluating");
  Result<cggi::Ciphertexts> results = [&] {
    const engine::HeTimer timer(costs.evaluate_seconds);
    return engine::evaluate(program, key_, inputs, preparation_->values,
                            {.executor = executor, .n_threads = costs.n_threads}, progress);
  }();
  line.end();
  return results;
}

/// The client's inputs.
static auto encrypt_on_cggi(const CggiProgram& program, const cggi::SecretKey& secret,
                            const CggiValues& values, CggiCosts& costs)
    -> Result<cggi::FreshCiphertexts> {
  const Isa isa = best_isa();
  Result<cggi::SecureRandom> random = cggi::SecureRandom::from_system(isa);
  if (!random) {
    return random.error();
  }
  const engine::HeTimer timer(costs.encrypt_seconds);
  return engine::encrypt_inputs(program, secret, values, *random, isa);
}

auto run_on_cggi(const CggiProgram& program, const CggiValues& values, unsigned n_threads,
                 bool wants_bytes, PhaseLine& line) -> Result<CggiDeviceRun> {
  CggiDeviceRun run;
  run.costs = costs_of(program, HeSide::Both, n_threads);
  Result<CggiKeys> keys = make_keys_on_cggi(program, run.costs, line);
  if (!keys) {
    return keys.error();
  }
  Result<cggi::FreshCiphertexts> inputs = encrypt_on_cggi(program, keys->secret, values, run.costs);
  if (!inputs) {
    return inputs.error();
  }
  Result<CggiEvaluator> evaluator =
      CggiEvaluator::make(program, keys->evaluation, values, run.costs, line);
  if (!evaluator) {
    return evaluator.error();
  }
  Result<cggi::Ciphertexts> results = evaluator->evaluate(*inputs, run.costs, line);
  if (!results) {
    return results.error();
  }
  if (wants_bytes) {
    run.costs.key_bytes = cggi::serialise(keys->evaluation).size();
    run.costs.input_bytes = cggi::serialise(*inputs).size();
    run.costs.bytes_sent = std::max<uint64_t>(run.costs.key_bytes + run.costs.input_bytes,
                                              cggi::serialise(*results).size());
  }
  const engine::HeTimer timer(run.costs.decrypt_seconds);
  Result<CggiValues> outputs = engine::decrypt_results(program, keys->secret, *results);
  if (!outputs) {
    return outputs.error();
  }
  run.outputs = std::move(*outputs);
  return run;
}

}  // namespace tacet::cli
