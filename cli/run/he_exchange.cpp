#include "cli/run/he_exchange.h"

#include <fmt/format.h>

#include "cli/run/exchange_files.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;

namespace {

template <class T>
void append(const Result<T>& object, he::Bytes& bytes) {
  bytes.insert(bytes.end(), object.value().begin(), object.value().end());
}

auto read_ciphertexts(const he::Context& context, ObjectRow& row, size_t n)
    -> Result<std::vector<he::Ciphertext>> {
  std::vector<he::Ciphertext> ciphertexts;
  for (size_t i = 0; i < n; ++i) {
    Result<std::span<const std::byte>> object = row.next();
    if (!object) {
      return object.error();
    }
    Result<he::Ciphertext> ciphertext = he::deserialise_ciphertext(context, *object);
    if (!ciphertext) {
      return ciphertext.error();
    }
    ciphertexts.push_back(std::move(*ciphertext));
  }
  return ciphertexts;
}

auto read_keys(const he::Context& context, const engine::HeFacts& facts, ObjectRow& row)
    -> Result<engine::HeEvaluationKeys> {
  engine::HeEvaluationKeys keys;
  if (facts.has_server_inputs) {
    Result<std::span<const std::byte>> object = row.next();
    if (!object) {
      return object.error();
    }
    Result<he::PublicKey> key = he::deserialise_public_key(context, *object);
    if (!key) {
      return key.error();
    }
    keys.encryption = std::move(*key);
  }
  if (engine::relinearisation_primes(facts, context) != 0) {
    Result<std::span<const std::byte>> object = row.next();
    if (!object) {
      return object.error();
    }
    Result<he::RelinearisationKey> key = he::deserialise_relinearisation_key(context, *object);
    if (!key) {
      return key.error();
    }
    keys.relinearisation = std::move(*key);
  }
  if (!engine::rotation_keys(facts, context).empty()) {
    Result<std::span<const std::byte>> object = row.next();
    if (!object) {
      return object.error();
    }
    Result<he::RotationKeys> rotations = he::deserialise_rotation_keys(context, *object);
    if (!rotations) {
      return rotations.error();
    }
    keys.rotations = std::move(*rotations);
  }
  if (engine::needs_bootstrapping(facts)) {
    Result<std::span<const std::byte>> object = row.next();
    if (!object) {
      return object.error();
    }
    Result<he::BootstrappingKeys> bootstrapping =
        he::deserialise_bootstrapping_keys(context, *object);
    if (!bootstrapping) {
      return bootstrapping.error();
    }
    keys.bootstrapping = std::move(*bootstrapping);
  }
  return keys;
}

void append_evaluation_keys(const he::Context& context, const engine::HeFacts& facts,
                            const engine::HeEvaluationKeys& keys, HeCosts& costs,
                            he::Bytes& bytes) {
  if (facts.has_server_inputs) {
    append(he::serialise(context, keys.encryption), bytes);
  }
  if (engine::relinearisation_primes(facts, context) != 0) {
    append(he::serialise(context, keys.relinearisation), bytes);
  }
  if (!engine::rotation_keys(facts, context).empty()) {
    const size_t before = bytes.size();
    append(he::serialise(context, keys.rotations), bytes);
    costs.rotation_key_bytes += bytes.size() - before;
  }
  if (engine::needs_bootstrapping(facts)) {
    append(he::serialise(context, keys.bootstrapping), bytes);
  }
}

/// What the client makes, part by part of the bundle.
struct ClientObjects {
  he::Bytes keys;  ///< with their header: they dominate
  he::Bytes inputs;
  SecureBytes secret_keys;
};

/// Makes the keys of one part and encrypts its inputs.
auto begin_part(const HeBundle& bundle, const HeBundlePart& part, const engine::HeIntegers& values,
                he::SecureRandom& random, HeCosts& costs, PhaseLine& line, ClientObjects& objects)
    -> Status {
  Result<he::ContextRef> made = make_context(bundle, part, costs.n_threads);
  if (!made) {
    return made.error();
  }
  const he::Context& context = **made;
  const engine::HeFacts facts = engine::facts_of(part.program);
  std::optional<he::SecretKey> secret;
  Result<engine::HeEvaluationKeys> evaluation = [&] {
    const engine::HeTimer timer(costs.keygen_seconds);
    secret = he::generate_secret_key(context, random);
    return engine::make_evaluation_keys(facts, context, *secret, random,
                                        line.begin("generating keys"));
  }();
  line.end();
  Result<SecureBytes> stored = he::serialise(context, *secret);
  if (!stored || !evaluation) {
    return stored ? evaluation.error() : stored.error();
  }
  objects.secret_keys.insert(objects.secret_keys.end(), stored->begin(), stored->end());
  append_evaluation_keys(context, facts, *evaluation, costs, objects.keys);
  engine::HeStatistics statistics;
  Result<std::vector<he::Ciphertext>> encrypted = engine::encrypt_inputs(
      part.program, context, *secret, engine::values_for(bundle, part, values), random, statistics);
  if (!encrypted) {
    return encrypted.error();
  }
  add_statistics(statistics, costs.statistics);
  costs.n_rotation_keys += evaluation->rotations.entries.size();
  for (const he::Ciphertext& ciphertext : *encrypted) {
    append(he::serialise(context, ciphertext), objects.inputs);
  }
  return std::monostate{};
}

/// What is left of the files while the server goes through the parts of the bundle.
struct GivenRows {
  const GivenFiles& files;
  ObjectRow keys{behind_header(files.keys)};
  ObjectRow inputs{behind_header(files.inputs)};
};

/// Evaluates one part and appends its results.
auto answer_part(const HeBundle& bundle, const HeBundlePart& part, const engine::HeIntegers& values,
                 he::SecureRandom& random, GivenRows& given, HeCosts& costs, PhaseLine& line,
                 he::Bytes& results) -> Status {
  Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
  if (!context) {
    return context.error();
  }
  Result<engine::HeServer> server = [&] {
    const engine::HeTimer timer(costs.prepare_seconds);
    return engine::HeServer::make(part.program, *context, engine::values_for(bundle, part, values),
                                  line.begin("preparing the server's numbers"),
                                  costs.most_plaintext_bytes);
  }();
  line.end();
  if (!server) {
    return server.error();
  }
  Result<engine::HeEvaluationKeys> keys = read_keys(**context, server->facts(), given.keys);
  if (!keys) {
    return of_file(given.files.keys_path, keys.error());
  }
  Result<std::vector<he::Ciphertext>> inputs =
      read_ciphertexts(**context, given.inputs, engine::input_elements(part.program).size());
  if (!inputs) {
    return of_file(given.files.inputs_path, inputs.error());
  }
  engine::HeStatistics statistics = server->preparation();
  statistics.n_encrypted = inputs->size();
  const engine::HeProgress progress = line.begin("evaluating");
  Result<std::vector<he::Ciphertext>> outputs =
      bundle.is_unhidden ? server->evaluate(std::move(*inputs), *keys, statistics, progress)
                         : server->answer(std::move(*inputs), *keys, random, statistics, progress);
  line.end();
  if (!outputs) {
    return outputs.error();
  }
  statistics.n_decrypted = outputs->size();
  costs.n_rotation_keys += server->facts().rotations.size() + (server->facts().needs_swap ? 1 : 0);
  costs.n_input_plaintexts += statistics.n_encoded;
  add_statistics(statistics, costs.statistics);
  for (const he::Ciphertext& ciphertext : *outputs) {
    append(he::serialise(**context, ciphertext), results);
  }
  return std::monostate{};
}

struct ResultRows {
  const std::string& path;
  const std::string& secret_path;
  ObjectRow results;
  ObjectRow secrets;
};

/// Decrypts one part.
auto finish_part(const HeBundle& bundle, const HeBundlePart& part, he::SecureRandom& random,
                 ResultRows& rows, HeCosts& costs) -> Result<engine::HeValues> {
  Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
  if (!context) {
    return context.error();
  }
  Result<std::span<const std::byte>> stored = rows.secrets.next();
  if (!stored) {
    return of_file(rows.secret_path, stored.error());
  }
  Result<he::SecretKey> secret = he::deserialise_secret_key(**context, *stored);
  if (!secret) {
    return of_file(rows.secret_path, secret.error());
  }
  Result<std::vector<he::Ciphertext>> results =
      read_ciphertexts(**context, rows.results, engine::output_elements(part.program).size());
  if (!results) {
    return of_file(rows.path, results.error());
  }
  engine::HeStatistics statistics;
  Result<engine::HeValues> outputs =
      engine::decrypt_outputs(part.program, **context, *secret, *results, random, statistics,
                              {.kind = he::CkksAudience::Kind::KeyHolder});
  if (!outputs) {
    return of_file(rows.path, outputs.error());
  }
  add_statistics(statistics, costs.statistics);
  return outputs;
}

}  // namespace

auto begin_exchange(const HeBundle& bundle, const engine::HeIntegers& values,
                    const ExchangePlace& place, HeCosts& costs, PhaseLine& line) -> Status {
  if (Status status = engine::check_hiding(bundle); !status) {
    return status;  // no server would answer
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  Belonging belonging{.program = engine::digest_of(bundle)};
  ClientObjects objects{
      .keys = header_of(ExchangeFile::Keys, belonging), .inputs = {}, .secret_keys = {}};
  for (const HeBundlePart& part : bundle.parts) {
    if (Status status = begin_part(bundle, part, values, *random, costs, line, objects); !status) {
      return status;
    }
  }
  belonging.keys = digest_of_file(objects.keys);
  const he::Bytes inputs = file_of(ExchangeFile::Inputs, belonging, objects.inputs);
  belonging.inputs = digest_of_file(inputs);
  costs.input_bytes = inputs.size();
  costs.bytes_sent = objects.keys.size() + inputs.size();
  return write_client_files(place, objects.keys, inputs,
                            file_of(ExchangeFile::Secret, belonging, objects.secret_keys));
}

auto answer_exchange(const HeBundle& bundle, const engine::HeIntegers& values,
                     const ExchangePlace& place, HeCosts& costs, PhaseLine& line) -> Status {
  // `tacet build` writes no such program; another version may have.
  if (Status status = engine::check_hiding(bundle); !status) {
    return status;
  }
  Result<GivenFiles> files = read_client_files(engine::digest_of(bundle), place);
  if (!files) {
    return files.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  GivenRows given{*files};
  he::Bytes results = header_of(ExchangeFile::Results, files->belonging);
  for (const HeBundlePart& part : bundle.parts) {
    if (Status status = answer_part(bundle, part, values, *random, given, costs, line, results);
        !status) {
      return status;
    }
  }
  if (!given.keys.is_empty() || !given.inputs.is_empty()) {
    return Error{
        fmt::format("`{}` contains more data than the program needs; it belongs to another program",
                    given.keys.is_empty() ? files->inputs_path : files->keys_path)};
  }
  costs.bytes_sent = results.size();
  return write_results(place, results);
}

auto finish_exchange(const HeBundle& bundle, const ExchangePlace& place, HeCosts& costs)
    -> Result<engine::HeIntegers> {
  Result<ResultFiles> files = read_result_files(engine::digest_of(bundle), place);
  if (!files) {
    return files.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  ResultRows rows{files->path, place.secret_file, ObjectRow(behind_header(files->results)),
                  ObjectRow(behind_header(files->secret))};
  std::vector<engine::HeValues> residues;
  for (const HeBundlePart& part : bundle.parts) {
    Result<engine::HeValues> outputs = finish_part(bundle, part, *random, rows, costs);
    if (!outputs) {
      return outputs.error();
    }
    residues.push_back(std::move(*outputs));
  }
  if (!rows.results.is_empty() || !rows.secrets.is_empty()) {
    return Error{fmt::format("`{}` contains more data than the program produces",
                             rows.results.is_empty() ? place.secret_file : files->path)};
  }
  costs.noise_budget_left = costs.statistics.budget_left;
  engine::HeIntegers numbers = engine::numbers_from(bundle, residues);
  if (Status status = engine::check_results(bundle, numbers); !status) {
    return of_file(files->path, status.error());
  }
  return numbers;
}

}  // namespace tacet::cli
