#include "cli/he_exchange.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "cli/atomic_write.h"
#include "engine/he/serialisation.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;

namespace {

namespace fs = std::filesystem;

auto text_of(const he::Bytes& bytes) -> std::string_view {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// `writer` is the role that would have written the file, if any.
auto read_bytes(const std::string& path, std::string_view writer = {}) -> Result<SecureBytes> {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    return Error{fmt::format("`{}` cannot be read: it is a folder", path)};
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    const bool is_early = errno == ENOENT && !writer.empty();
    return Error{fmt::format("`{}` cannot be read: {}{}", path, std::strerror(errno),
                             is_early ? fmt::format("; `--role {}` writes it", writer) : "")};
  }
  const std::streamoff size = file.tellg();
  if (size < 0) {
    return Error{fmt::format("`{}` cannot be read: it is no file on a disk", path)};
  }
  SecureBytes bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()))) {
    return Error{fmt::format("`{}` cannot be read", path)};
  }
  return bytes;
}

/// A new file that only the user may read.
auto write_secret(const std::string& path, const SecureBytes& bytes) -> Status {
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool is_good = file >= 0;
  for (size_t written = 0; is_good && written < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + written, bytes.size() - written);
    is_good = n > 0 || (n < 0 && errno == EINTR);
    written += n > 0 ? static_cast<size_t>(n) : 0;
  }
  const int reason = errno;
  if (file >= 0) {
    is_good = ::close(file) == 0 && is_good;
  }
  return is_good ? Status(std::monostate{})
                 : Error{fmt::format("`{}` cannot be written: {}", path, std::strerror(reason))};
}

/// Objects that stand in a row.
class ObjectRow {
 public:
  explicit ObjectRow(std::span<const std::byte> bytes) : bytes_(bytes) {}

  auto next() -> Result<std::span<const std::byte>> {
    const Result<he::ObjectHeader> header = he::read_object_header(bytes_);
    if (!header) {
      return header.error();
    }
    const size_t size = header.value().size;
    if (size > bytes_.size()) {
      return Error{"the file ends in the middle of an object"};
    }
    const auto object = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return object;
  }

  [[nodiscard]] auto is_empty() const -> bool { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

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
  if (facts.needs_relinearisation) {
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
  if (facts.needs_swap || !facts.rotations.empty()) {
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
  return keys;
}

/// An error of a file's content, with its name.
auto of_file(const std::string& path, const Error& error) -> Error {
  return Error{fmt::format("`{}`: {}", path, error.message)};
}

}  // namespace

auto begin_exchange(const HeBundle& bundle, const engine::HeIntegers& values,
                    const ExchangePlace& place, HeCosts& costs) -> Status {
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  he::Bytes keys, inputs;
  SecureBytes secrets;
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> made = make_context(bundle, part, costs.n_threads);
    if (!made) {
      return made.error();
    }
    const he::Context& context = **made;
    const engine::HeFacts facts = engine::facts_of(part.program);
    std::optional<he::SecretKey> secret;
    Result<engine::HeEvaluationKeys> evaluation = [&] {
      const engine::HeTimer timer(costs.keygen_seconds);
      secret = he::generate_secret_key(context, *random);
      return engine::make_evaluation_keys(facts, context, *secret, *random);
    }();
    Result<SecureBytes> stored = he::serialise(context, *secret);
    if (!stored || !evaluation) {
      return stored ? evaluation.error() : stored.error();
    }
    secrets.insert(secrets.end(), stored->begin(), stored->end());
    if (facts.needs_relinearisation) {
      append(he::serialise(context, evaluation->relinearisation), keys);
    }
    if (facts.needs_swap || !facts.rotations.empty()) {
      const size_t before = keys.size();
      append(he::serialise(context, evaluation->rotations), keys);
      costs.rotation_key_bytes += keys.size() - before;
    }
    engine::HeStatistics statistics;
    Result<std::vector<he::Ciphertext>> encrypted =
        engine::encrypt_inputs(part.program, context, *secret,
                               engine::values_for(bundle, part, values), *random, statistics);
    if (!encrypted) {
      return encrypted.error();
    }
    add_statistics(statistics, costs.statistics);
    costs.n_rotation_keys += facts.rotations.size() + (facts.needs_swap ? 1 : 0);
    for (const he::Ciphertext& ciphertext : *encrypted) {
      append(he::serialise(context, ciphertext), inputs);
    }
  }
  costs.input_bytes = inputs.size();
  costs.bytes_sent = keys.size() + inputs.size();
  std::error_code failed;
  fs::create_directories(place.folder, failed);
  if (failed) {
    return Error{fmt::format("the folder `{}` cannot be made: {}", place.folder, failed.message())};
  }
  fs::remove(place.folder + "/results", failed);
  if (Status status = write_secret(place.secret_file, secrets); !status) {
    return status;
  }
  if (Status status = write_or_create(place.folder + "/keys", text_of(keys)); !status) {
    return status;
  }
  return write_or_create(place.folder + "/inputs", text_of(inputs));
}

auto answer_exchange(const HeBundle& bundle, const engine::HeIntegers& values,
                     const ExchangePlace& place, HeCosts& costs) -> Status {
  const std::string keys_path = place.folder + "/keys";
  const std::string inputs_path = place.folder + "/inputs";
  Result<SecureBytes> key_bytes = read_bytes(keys_path, "client");
  Result<SecureBytes> input_bytes = read_bytes(inputs_path, "client");
  if (!key_bytes || !input_bytes) {
    return key_bytes ? input_bytes.error() : key_bytes.error();
  }
  ObjectRow key_row(*key_bytes);
  ObjectRow input_row(*input_bytes);
  he::Bytes results;
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
    if (!context) {
      return context.error();
    }
    Result<engine::HeServer> server = [&] {
      const engine::HeTimer timer(costs.prepare_seconds);
      return engine::HeServer::make(part.program, *context,
                                    engine::values_for(bundle, part, values));
    }();
    if (!server) {
      return server.error();
    }
    Result<engine::HeEvaluationKeys> keys = read_keys(**context, server->facts(), key_row);
    if (!keys) {
      return of_file(keys_path, keys.error());
    }
    Result<std::vector<he::Ciphertext>> inputs =
        read_ciphertexts(**context, input_row, engine::input_elements(part.program).size());
    if (!inputs) {
      return of_file(inputs_path, inputs.error());
    }
    engine::HeStatistics statistics = server->preparation();
    statistics.n_encrypted = inputs->size();
    Result<std::vector<he::Ciphertext>> outputs =
        server->evaluate(std::move(*inputs), *keys, statistics);
    if (!outputs) {
      return outputs.error();
    }
    statistics.n_decrypted = outputs->size();
    costs.n_rotation_keys +=
        server->facts().rotations.size() + (server->facts().needs_swap ? 1 : 0);
    costs.n_input_plaintexts += statistics.n_encoded;
    add_statistics(statistics, costs.statistics);
    for (const he::Ciphertext& ciphertext : *outputs) {
      append(he::serialise(**context, ciphertext), results);
    }
  }
  if (!key_row.is_empty() || !input_row.is_empty()) {
    return Error{fmt::format("`{}` has more than the program needs: it is of another one",
                             key_row.is_empty() ? inputs_path : keys_path)};
  }
  costs.bytes_sent = results.size();
  return write_or_create(place.folder + "/results", text_of(results));
}

auto finish_exchange(const HeBundle& bundle, const ExchangePlace& place, HeCosts& costs)
    -> Result<engine::HeIntegers> {
  const std::string path = place.folder + "/results";
  Result<SecureBytes> bytes = read_bytes(path, "server");
  Result<SecureBytes> secret_bytes = read_bytes(place.secret_file);
  if (!bytes || !secret_bytes) {
    return bytes ? secret_bytes.error() : bytes.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  ObjectRow row(*bytes);
  ObjectRow secret_row(*secret_bytes);
  std::vector<engine::HeValues> residues;
  costs.noise_budget_left = std::numeric_limits<double>::infinity();
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
    if (!context) {
      return context.error();
    }
    Result<std::span<const std::byte>> stored = secret_row.next();
    if (!stored) {
      return of_file(place.secret_file, stored.error());
    }
    Result<he::SecretKey> secret = he::deserialise_secret_key(**context, *stored);
    if (!secret) {
      return of_file(place.secret_file, secret.error());
    }
    Result<std::vector<he::Ciphertext>> results =
        read_ciphertexts(**context, row, engine::output_elements(part.program).size());
    if (!results) {
      return of_file(path, results.error());
    }
    engine::HeStatistics statistics;
    Result<engine::HeValues> outputs =
        engine::decrypt_outputs(part.program, **context, *secret, *results, *random, statistics,
                                {.kind = he::CkksAudience::Kind::KeyHolder});
    if (!outputs) {
      return of_file(path, outputs.error());
    }
    for (const he::Ciphertext& result : *results) {
      Result<double> budget = he::measured_budget(**context, *secret, result);
      costs.noise_budget_left = std::min(costs.noise_budget_left, budget ? *budget : 0);
    }
    add_statistics(statistics, costs.statistics);
    residues.push_back(std::move(*outputs));
  }
  return engine::numbers_from(bundle, residues);
}

}  // namespace tacet::cli
