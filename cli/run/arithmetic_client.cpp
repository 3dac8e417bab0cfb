#include "cli/run/arithmetic_client.h"

#include <fmt/format.h>

#include "engine/he/digested_objects.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;

auto read_ciphertexts(const he::Context& context, ObjectRow& row, size_t n, he::Digester* file)
    -> Result<std::vector<he::Ciphertext>> {
  std::vector<he::Ciphertext> ciphertexts;
  for (size_t i = 0; i < n; ++i) {
    Result<std::span<const std::byte>> object = row.next();
    if (!object) {
      return object.error();
    }
    Result<he::Ciphertext> ciphertext = file == nullptr
                                            ? he::deserialise_ciphertext(context, *object)
                                            : he::deserialise_ciphertext(context, *object, *file);
    if (!ciphertext) {
      return ciphertext.error();
    }
    ciphertexts.push_back(std::move(*ciphertext));
  }
  return ciphertexts;
}

void append_evaluation_keys(const he::Context& context, const engine::HeFacts& facts,
                            const engine::HeEvaluationKeys& keys, HeCosts& costs,
                            he::Bytes& bytes) {
  if (engine::needs_public_key(facts, context)) {
    append_object(he::serialise(context, keys.encryption), bytes);
  }
  if (engine::relinearisation_primes(facts, context) != 0) {
    append_object(he::serialise(context, keys.relinearisation), bytes);
  }
  if (!engine::rotation_keys(facts, context).empty()) {
    const size_t before = bytes.size();
    append_object(he::serialise(context, keys.rotations), bytes);
    costs.rotation_key_bytes += bytes.size() - before;
  }
  if (engine::needs_bootstrapping(facts)) {
    append_object(he::serialise(context, keys.bootstrapping), bytes);
  }
}

namespace {

/// Makes the keys of one part, of which the evaluation keys are put behind `keys`.
auto make_keys(const HeBundlePart& part, const he::Context& context, he::SecureRandom& random,
               HeCosts& costs, PhaseLine& line, he::Bytes& keys) -> Result<he::SecretKey> {
  const engine::HeFacts facts = engine::facts_of(part.program);
  std::optional<he::SecretKey> secret;
  Result<engine::HeEvaluationKeys> evaluation = [&] {
    const engine::HeTimer timer(costs.keygen_seconds);
    secret = he::generate_secret_key(context, random);
    return engine::make_evaluation_keys(facts, context, *secret, random,
                                        line.begin("generating keys"));
  }();
  line.end();
  if (!evaluation) {
    return evaluation.error();
  }
  append_evaluation_keys(context, facts, *evaluation, costs, keys);
  costs.n_rotation_keys += evaluation->rotations.entries.size();
  return std::move(*secret);
}

}  // namespace

auto ArithmeticClient::make(const HeBundle& bundle, HeCosts& costs, PhaseLine& line)
    -> Result<ArithmeticClient> {
  if (engine::has_joint_key(bundle)) {
    return Error{
        fmt::format("`{}` is for a key of {} holders, which `tacet joint` makes; no client has it",
                    bundle.name, bundle.n_key_holders)};
  }
  if (Status status = engine::check_hiding(bundle); !status) {
    return status.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  ArithmeticClient client(bundle);
  Belonging belonging{.program = engine::digest_of(bundle)};
  client.keys_ = header_of(ExchangeFile::Keys, belonging);  // the largest: not copied behind it
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
    if (!context) {
      return context.error();
    }
    Result<he::SecretKey> secret = make_keys(part, **context, *random, costs, line, client.keys_);
    if (!secret) {
      return secret.error();
    }
    client.parts_.push_back({&part, std::move(*context), std::move(*secret)});
  }
  belonging.keys = digest_of_file(client.keys_);
  client.record_ = std::make_unique<ClientRecord>(belonging);
  return client;
}

auto ArithmeticClient::open(const HeBundle& bundle, const NamedBytes& secret, unsigned n_threads)
    -> Result<ArithmeticClient> {
  ArithmeticClient client(bundle);
  client.name_ = secret.name;
  Result<std::unique_ptr<ClientRecord>> record =
      ClientRecord::of_secret(secret, engine::digest_of(bundle));
  if (!record) {
    return record.error();
  }
  client.record_ = std::move(*record);
  ObjectRow row(behind_header(secret.bytes));
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, n_threads);
    if (!context) {
      return context.error();
    }
    Result<std::span<const std::byte>> stored = row.next();
    if (!stored) {
      return of_file(secret.name, stored.error());
    }
    Result<he::SecretKey> key = he::deserialise_secret_key(**context, *stored);
    if (!key) {
      return of_file(secret.name, key.error());
    }
    client.parts_.push_back({&part, std::move(*context), std::move(*key)});
  }
  if (!row.is_empty()) {
    return Error{fmt::format("`{}` contains more data than the program produces", secret.name)};
  }
  return client;
}

auto ArithmeticClient::secret() const -> Result<SecureBytes> {
  SecureBytes objects;
  for (const Part& part : parts_) {
    Result<SecureBytes> stored = he::serialise(*part.context, part.secret);
    if (!stored) {
      return stored.error();
    }
    objects.insert(objects.end(), stored->begin(), stored->end());
  }
  return file_of(ExchangeFile::Secret, record_->belonging_of_secret(), objects);
}

auto ArithmeticClient::encrypt(const engine::HeIntegers& values, HeCosts& costs) const
    -> Result<he::Bytes> {
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  he::Bytes objects;
  for (const Part& part : parts_) {
    engine::HeStatistics statistics;
    Result<std::vector<he::Ciphertext>> encrypted = engine::encrypt_inputs(
        part.part->program, *part.context, part.secret,
        engine::values_for(*bundle_, *part.part, values), *random, statistics);
    if (!encrypted) {
      return encrypted.error();
    }
    add_statistics(statistics, costs.statistics);
    for (const he::Ciphertext& ciphertext : *encrypted) {
      append_object(he::serialise(*part.context, ciphertext), objects);
    }
  }
  he::Bytes inputs = record_->inputs_of(objects);
  costs.input_bytes = inputs.size();
  costs.bytes_sent = keys_.size() + inputs.size();
  return inputs;
}

auto ArithmeticClient::decrypt(const NamedBytes& results, HeCosts& costs) const
    -> Result<engine::HeIntegers> {
  if (Status status = record_->check_results(results, name_); !status) {
    return status.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  ObjectRow row(behind_header(results.bytes));
  std::vector<engine::HeValues> residues;
  for (const Part& part : parts_) {
    const engine::HeProgram& program = part.part->program;
    Result<std::vector<he::Ciphertext>> ciphertexts =
        read_ciphertexts(*part.context, row, engine::output_elements(program).size());
    if (!ciphertexts) {
      return of_file(results.name, ciphertexts.error());
    }
    engine::HeStatistics statistics;
    Result<engine::HeValues> outputs =
        engine::decrypt_outputs(program, *part.context, part.secret, *ciphertexts, *random,
                                statistics, {.kind = he::CkksAudience::Kind::KeyHolder});
    if (!outputs) {
      return of_file(results.name, outputs.error());
    }
    add_statistics(statistics, costs.statistics);
    residues.push_back(std::move(*outputs));
  }
  if (!row.is_empty()) {
    return Error{fmt::format("`{}` contains more data than the program produces", results.name)};
  }
  costs.noise_budget_left = costs.statistics.budget_left;
  engine::HeIntegers numbers = engine::numbers_from(*bundle_, residues);
  if (Status status = engine::check_results(*bundle_, numbers); !status) {
    return of_file(results.name, status.error());
  }
  return numbers;
}

}  // namespace tacet::cli
