#include "cli/run/he_device.h"

#include <algorithm>
#include <limits>

#include "cli/joint/local_holders.h"
#include "cli/thread_executor.h"
#include "engine/he/serialisation.h"
#include "engine/he_runtime/contributed_inputs.h"
#include "engine/he_runtime/part_parameters.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;
using engine::HeOpcode;
using engine::HeOperationKind;

namespace {

template <class Object>
auto stored_size(const he::Context& context, const Object& object) -> uint64_t {
  Result<he::Bytes> bytes = he::serialise(context, object);
  return bytes ? bytes->size() : 0;
}

auto stored_size(const he::Context& context, const std::vector<he::Ciphertext>& ciphertexts)
    -> uint64_t {
  uint64_t size = 0;
  for (const he::Ciphertext& ciphertext : ciphertexts) {
    size += stored_size(context, ciphertext);
  }
  return size;
}

/// One key after the other: all of them at once could be more than there is memory.
auto rotation_keys_size(const he::Context& context, const engine::HeEvaluationKeys& keys)
    -> uint64_t {
  uint64_t size = 0;
  for (const he::RotationKeys::Entry& entry : keys.rotations.entries) {
    Result<he::Bytes> bytes =
        he::serialise_rotation_key(context, keys.rotations, entry.galois_element);
    size += bytes ? bytes->size() : 0;
  }
  return size;
}

class PartRun {
 public:
  PartRun(const HeBundlePart& part, bool is_hidden, he::ContextRef context, HeCosts& costs,
          PhaseLine& line)
      : part_(part),
        is_hidden_(is_hidden),
        context_(std::move(context)),
        costs_(costs),
        line_(line) {}

  auto run(const engine::HeValues& values, he::SecureRandom& random, bool wants_bytes)
      -> Result<engine::HeValues> {
    engine::HeStatistics statistics;
    Result<engine::HeServer> server = [&] {
      const engine::HeTimer timer(costs_.prepare_seconds);
      return engine::HeServer::make(part_.program, context_, values,
                                    line_.begin("preparing the server's numbers"),
                                    costs_.most_plaintext_bytes, engine::HeEvaluations::One);
    }();
    if (!server) {
      return server.error();
    }
    statistics = server->preparation();
    if (context_->parameters().n_key_holders() > 1) {
      return run_jointly(*server, values, random, wants_bytes, statistics);
    }
    const engine::HeFacts& facts = server->facts();
    std::optional<he::SecretKey> secret;
    Result<engine::HeEvaluationKeys> keys = [&] {
      const engine::HeTimer timer(costs_.keygen_seconds);
      secret = he::generate_secret_key(*context_, random);
      return engine::make_evaluation_keys(facts, *context_, *secret, random,
                                          line_.begin("generating keys"));
    }();
    if (!keys) {
      return keys.error();
    }
    line_.end();
    Result<std::vector<he::Ciphertext>> inputs =
        engine::encrypt_inputs(part_.program, *context_, *secret, values, random, statistics);
    if (!inputs) {
      return inputs.error();
    }
    if (wants_bytes) {
      const uint64_t inputs_size = stored_size(*context_, *inputs);
      const uint64_t rotations_size = rotation_keys_size(*context_, *keys);
      client_bytes_ = inputs_size + rotations_size;
      client_bytes_ += engine::relinearisation_primes(facts, *context_) != 0
                           ? stored_size(*context_, keys->relinearisation)
                           : 0;
      client_bytes_ +=
          engine::needs_bootstrapping(facts) ? stored_size(*context_, keys->bootstrapping) : 0;
      client_bytes_ += facts.has_server_inputs ? stored_size(*context_, keys->encryption) : 0;
      costs_.input_bytes += inputs_size;
      costs_.rotation_key_bytes += rotations_size;
    }
    // Both sides are here: results of reals, which cannot be hidden, are shown to nobody else.
    const engine::HeProgress progress = line_.begin("evaluating");
    Result<std::vector<he::Ciphertext>> results =
        is_hidden_ && part_.program.is_integer()
            ? server->answer(std::move(*inputs), *keys, random, statistics, progress)
            : server->evaluate(std::move(*inputs), *keys, statistics, progress);
    line_.end();
    if (!results) {
      return results.error();
    }
    if (wants_bytes) {
      server_bytes_ = stored_size(*context_, *results);
    }
    Result<engine::HeValues> outputs =
        engine::decrypt_outputs(part_.program, *context_, *secret, *results, random, statistics,
                                {.kind = he::CkksAudience::Kind::KeyHolder});
    costs_.n_rotation_keys += keys->rotations.entries.size();
    costs_.n_input_plaintexts += statistics.n_encoded;
    add_statistics(statistics, costs_.statistics);
    return outputs;
  }

  /// By all holders of a joint key, in this process.
  auto run_jointly(const engine::HeServer& server, const engine::HeValues& values,
                   he::SecureRandom& random, bool wants_bytes, engine::HeStatistics& statistics)
      -> Result<engine::HeValues> {
    Result<LocalHolders> holders = [&] {
      const engine::HeTimer timer(costs_.keygen_seconds);
      static_cast<void>(line_.begin("the holders make keys"));
      return make_keys_here(server.facts(), *context_);
    }();
    line_.end();
    if (!holders) {
      return holders.error();
    }
    Result<std::vector<he::Ciphertext>> inputs = engine::encrypt_inputs_jointly(
        part_.program, *context_, holders->keys().encryption, values, random, statistics);
    if (!inputs) {
      return inputs.error();
    }
    if (wants_bytes) {
      costs_.input_bytes += stored_size(*context_, *inputs);
      costs_.rotation_key_bytes += rotation_keys_size(*context_, holders->keys());
    }
    const engine::HeProgress progress = line_.begin("evaluating");
    Result<std::vector<he::Ciphertext>> results =
        is_hidden_
            ? server.answer(std::move(*inputs), holders->keys(), random, statistics, progress)
            : server.evaluate(std::move(*inputs), holders->keys(), statistics, progress);
    line_.end();
    if (!results) {
      return results.error();
    }
    if (wants_bytes) {
      server_bytes_ = stored_size(*context_, *results);
    }
    Result<engine::HeValues> outputs = [&] {
      const engine::HeTimer timer(statistics.decrypt_seconds);
      return decrypt_here(part_, *context_, *holders, *results);
    }();
    client_bytes_ = holders->bytes_sent();
    costs_.joint_bytes += holders->bytes_sent();
    statistics.n_decrypted += results->size();
    statistics.budget_left = std::min(statistics.budget_left, part_.budget);
    costs_.n_rotation_keys += holders->keys().rotations.entries.size();
    costs_.n_input_plaintexts += statistics.n_encoded;
    add_statistics(statistics, costs_.statistics);
    return outputs;
  }

  [[nodiscard]] auto client_bytes() const -> uint64_t { return client_bytes_; }
  [[nodiscard]] auto server_bytes() const -> uint64_t { return server_bytes_; }

 private:
  const HeBundlePart& part_;
  bool is_hidden_;
  he::ContextRef context_;
  HeCosts& costs_;
  PhaseLine& line_;
  uint64_t client_bytes_ = 0;
  uint64_t server_bytes_ = 0;
};

}  // namespace

void add_statistics(const engine::HeStatistics& from, engine::HeStatistics& to) {
  for (size_t opcode = 0; opcode < static_cast<size_t>(HeOpcode::End); ++opcode) {
    for (const auto kind : {HeOperationKind::Cipher, HeOperationKind::CipherPlain,
                            HeOperationKind::Plain, HeOperationKind::Native}) {
      const size_t n = from.counts.of(static_cast<HeOpcode>(opcode), kind);
      for (size_t i = 0; i < n; ++i) {
        to.counts.add(static_cast<HeOpcode>(opcode), kind);
      }
    }
  }
  to.depth = std::max(to.depth, from.depth);
  to.n_encoded += from.n_encoded;
  to.n_factors += from.n_factors;
  to.n_hoisted += from.n_hoisted;
  to.n_encrypted += from.n_encrypted;
  to.n_decrypted += from.n_decrypted;
  to.n_added += from.n_added;
  to.hiding.n_ciphertexts += from.hiding.n_ciphertexts;
  to.hiding.distance_bits = std::min(to.hiding.distance_bits, from.hiding.distance_bits);
  to.hiding.budget_bits = std::max(to.hiding.budget_bits, from.hiding.budget_bits);
  to.hiding.seconds += from.hiding.seconds;
  to.budget_left = std::min(to.budget_left, from.budget_left);
  to.encode_seconds += from.encode_seconds;
  to.encrypt_seconds += from.encrypt_seconds;
  to.compute_seconds += from.compute_seconds;
  to.decrypt_seconds += from.decrypt_seconds;
  to.peak_bytes = std::max(to.peak_bytes, from.peak_bytes);
}

auto costs_of(const HeBundle& bundle, HeSide side, unsigned n_threads) -> HeCosts {
  HeCosts costs;
  costs.side = side;
  costs.scheme = bundle.scheme;
  costs.security = bundle.security;
  costs.n_key_holders = bundle.n_key_holders;
  costs.ring_dimension = bundle.parts.front().program.ring_dimension();
  costs.n_threads = thread_count(n_threads);
  costs.n_slots = bundle.parts.front().program.n_slots();
  for (const engine::HeField& result : bundle.results) {
    costs.error_bound = std::max(costs.error_bound, result.error);
    costs.tolerance = std::max(costs.tolerance, result.tolerance);
  }
  for (const HeBundlePart& part : bundle.parts) {
    if (part.program.is_integer()) {
      costs.plain_moduli.push_back(part.program.modulus);
    }
    costs.scale_bits = std::max(costs.scale_bits, part.program.scale_bits);
    costs.has_server_inputs |= engine::has_server_inputs(part.program);
    if (Result<he::Parameters> parameters = engine::parameters_of(bundle, part)) {
      costs.modulus_bits = std::max(costs.modulus_bits, parameters->modulus_bits());
    }
  }
  return costs;
}

auto make_context(const HeBundle& bundle, const HeBundlePart& part, unsigned n_threads)
    -> Result<he::ContextRef> {
  Result<he::Parameters> parameters = engine::parameters_of(bundle, part);
  if (!parameters) {
    return parameters.error();
  }
  he::Context::Options options;
  options.n_threads = n_threads;
  return he::Context::make(std::move(*parameters), options);
}

auto run_on_he(const HeBundle& bundle, const engine::HeIntegers& values, unsigned n_threads,
               uint64_t most_plaintext_bytes, bool wants_bytes, PhaseLine& line)
    -> Result<HeDeviceRun> {
  HeDeviceRun run;
  HeCosts& costs = run.costs;
  costs = costs_of(bundle, HeSide::Both, n_threads);
  costs.most_plaintext_bytes = most_plaintext_bytes;
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  std::vector<engine::HeValues> residues;
  uint64_t client_bytes = 0;
  uint64_t server_bytes = 0;
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
    if (!context) {
      return context.error();
    }
    PartRun part_run(part, engine::hides_server_inputs(bundle), std::move(*context), costs, line);
    Result<engine::HeValues> outputs =
        part_run.run(engine::values_for(bundle, part, values), *random, wants_bytes);
    if (!outputs) {
      return outputs.error();
    }
    residues.push_back(std::move(*outputs));
    client_bytes += part_run.client_bytes();
    server_bytes += part_run.server_bytes();
  }
  costs.bytes_sent = std::max(client_bytes, server_bytes);
  costs.noise_budget_left = costs.statistics.budget_left;
  run.outputs = engine::numbers_from(bundle, residues);
  if (Status status = engine::check_results(bundle, run.outputs); !status) {
    return status.error();
  }
  return run;
}

}  // namespace tacet::cli
