#include "cli/run/he_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/atomic_write.h"
#include "engine/he/digest.h"
#include "engine/he/serialisation.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;

namespace {

namespace fs = std::filesystem;

auto text_of(std::span<const std::byte> bytes) -> std::string_view {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// `writer` is the role that would have written the file, if any.
auto read_bytes(const std::string& path, std::string_view writer = {}) -> Result<SecureBytes> {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    return Error{fmt::format("cannot read `{}`: it is a folder", path)};
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    const bool is_early = errno == ENOENT && !writer.empty();
    return Error{
        fmt::format("cannot read `{}`: {}{}", path, std::strerror(errno),
                    is_early ? fmt::format("; it is written by `--role {}`", writer) : "")};
  }
  const std::streamoff size = file.tellg();
  if (size < 0) {
    return Error{fmt::format("cannot read `{}`: not a regular file", path)};
  }
  SecureBytes bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()))) {
    return Error{fmt::format("cannot read `{}`", path)};
  }
  return bytes;
}

/// What a file of an exchange is.
enum class ExchangeFile : uint8_t { Secret = 1, Keys = 2, Inputs = 3, Results = 4 };

/// Of a program, or of a whole file.
using FileDigest = engine::BundleDigest;

/// What a file belongs to; digests of what is made after it are zero.
struct Belonging {
  FileDigest program{};
  FileDigest keys{};
  FileDigest inputs{};

  friend auto operator==(const Belonging&, const Belonging&) -> bool = default;
};

/// The first bytes of a file: what it is of, with a version, and which of the four, behind which
/// the digests stand.
constexpr std::string_view kMagic = "tacet exchange 1";
constexpr size_t kHeaderSize = kMagic.size() + 1 + 3 * sizeof(FileDigest);

auto digest_of_file(std::span<const std::byte> bytes) -> FileDigest {
  he::Digester digester;
  digester.add_bytes(bytes);
  return digester.finish();
}

/// A header, for objects to be put behind it.
template <class Bytes>
void append_header(ExchangeFile kind, const Belonging& belonging, Bytes& bytes) {
  const auto magic = std::as_bytes(std::span(kMagic));
  bytes.insert(bytes.end(), magic.begin(), magic.end());
  bytes.push_back(static_cast<std::byte>(kind));
  for (const FileDigest* digest : {&belonging.program, &belonging.keys, &belonging.inputs}) {
    bytes.insert(bytes.end(), digest->begin(), digest->end());
  }
}

/// What a file of this kind says it belongs to.
auto read_header(const std::string& path, ExchangeFile kind, std::span<const std::byte> bytes)
    -> Result<Belonging> {
  const auto magic = std::as_bytes(std::span(kMagic));
  if (bytes.size() < kHeaderSize || !std::equal(magic.begin(), magic.end(), bytes.begin()) ||
      bytes[kMagic.size()] != static_cast<std::byte>(kind)) {
    return Error{
        fmt::format("`{}` is not a valid exchange file: it is damaged, or was written by another "
                    "version of Tacet",
                    path)};
  }
  Belonging belonging;
  const std::byte* from = bytes.data() + kMagic.size() + 1;
  for (FileDigest* digest : {&belonging.program, &belonging.keys, &belonging.inputs}) {
    std::copy_n(from, digest->size(), digest->begin());
    from += digest->size();
  }
  return belonging;
}

/// The objects of a file whose header was read.
auto behind_header(std::span<const std::byte> bytes) -> std::span<const std::byte> {
  return bytes.subspan(kHeaderSize);
}

/// A file that was made for something else.
auto foreign(const std::string& path, std::string_view what) -> Error {
  return Error{fmt::format("`{}` belongs to {}", path, what)};
}

constexpr std::string_view kOtherProgram = "another program; client and server need the same file";

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
  if (Status status = engine::check_hiding(bundle); !status) {
    return status;  // no server would answer
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  Belonging belonging{.program = engine::digest_of(bundle)};
  he::Bytes keys, inputs;
  SecureBytes secret_keys;
  append_header(ExchangeFile::Keys, belonging, keys);
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
    secret_keys.insert(secret_keys.end(), stored->begin(), stored->end());
    if (facts.has_server_inputs) {
      append(he::serialise(context, evaluation->encryption), keys);
    }
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
  belonging.keys = digest_of_file(keys);
  he::Bytes inputs_file;
  append_header(ExchangeFile::Inputs, belonging, inputs_file);
  inputs_file.insert(inputs_file.end(), inputs.begin(), inputs.end());
  belonging.inputs = digest_of_file(inputs_file);
  SecureBytes secret_file;
  append_header(ExchangeFile::Secret, belonging, secret_file);
  secret_file.insert(secret_file.end(), secret_keys.begin(), secret_keys.end());
  costs.input_bytes = inputs_file.size();
  costs.bytes_sent = keys.size() + inputs_file.size();
  if (Status status = make_private_folder(place.folder); !status) {
    return status;
  }
  // The largest file first: if it does not fit the disk, all is as it was. Whatever happens
  // in between, files that do not belong together say so.
  const std::pair<std::string, std::span<const std::byte>> files[] = {
      {place.folder + "/keys", keys}, {place.folder + "/inputs", inputs_file}};
  for (const auto& [path, bytes] : files) {
    if (Status status = write_or_create(path, text_of(bytes)); !status) {
      return status;
    }
  }
  if (Status status = write_private(place.secret_file, text_of(secret_file)); !status) {
    return status;
  }
  std::error_code failed;
  fs::remove(place.folder + "/results", failed);
  return std::monostate{};
}

auto answer_exchange(const HeBundle& bundle, const engine::HeIntegers& values,
                     const ExchangePlace& place, HeCosts& costs) -> Status {
  // `tacet build` writes no such program; another version may have.
  if (Status status = engine::check_hiding(bundle); !status) {
    return status;
  }
  const std::string keys_path = place.folder + "/keys";
  const std::string inputs_path = place.folder + "/inputs";
  Result<SecureBytes> key_bytes = read_bytes(keys_path, "client");
  Result<SecureBytes> input_bytes = read_bytes(inputs_path, "client");
  if (!key_bytes || !input_bytes) {
    return key_bytes ? input_bytes.error() : key_bytes.error();
  }
  Result<Belonging> of_keys = read_header(keys_path, ExchangeFile::Keys, *key_bytes);
  Result<Belonging> of_inputs = read_header(inputs_path, ExchangeFile::Inputs, *input_bytes);
  if (!of_keys || !of_inputs) {
    return of_keys ? of_inputs.error() : of_keys.error();
  }
  Belonging belonging{.program = engine::digest_of(bundle)};
  if (of_keys.value() != belonging) {
    return foreign(keys_path, kOtherProgram);
  }
  belonging.keys = digest_of_file(*key_bytes);
  if (of_inputs->program != belonging.program) {
    return foreign(inputs_path, kOtherProgram);
  }
  if (of_inputs.value() != belonging) {
    return foreign(inputs_path, fmt::format("keys other than those in `{}`", keys_path));
  }
  belonging.inputs = digest_of_file(*input_bytes);
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  ObjectRow key_row(behind_header(*key_bytes));
  ObjectRow input_row(behind_header(*input_bytes));
  he::Bytes results;
  append_header(ExchangeFile::Results, belonging, results);
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
        bundle.is_unhidden ? server->evaluate(std::move(*inputs), *keys, statistics)
                           : server->answer(std::move(*inputs), *keys, *random, statistics);
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
    return Error{
        fmt::format("`{}` contains more data than the program needs; it belongs to another program",
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
  Result<Belonging> of_results = read_header(path, ExchangeFile::Results, *bytes);
  Result<Belonging> of_secret = read_header(place.secret_file, ExchangeFile::Secret, *secret_bytes);
  if (!of_results || !of_secret) {
    return of_results ? of_secret.error() : of_results.error();
  }
  const FileDigest program = engine::digest_of(bundle);
  if (of_secret->program != program) {
    return foreign(place.secret_file, kOtherProgram);
  }
  if (of_results->program != program) {
    return foreign(path, kOtherProgram);
  }
  if (of_results.value() != of_secret.value()) {
    return foreign(path, fmt::format("an exchange other than that of `{}`", place.secret_file));
  }
  ObjectRow row(behind_header(*bytes));
  ObjectRow secret_row(behind_header(*secret_bytes));
  std::vector<engine::HeValues> residues;
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
    add_statistics(statistics, costs.statistics);
    residues.push_back(std::move(*outputs));
  }
  if (!row.is_empty() || !secret_row.is_empty()) {
    return Error{fmt::format("`{}` contains more data than the program produces",
                             row.is_empty() ? place.secret_file : path)};
  }
  costs.noise_budget_left = costs.statistics.budget_left;
  engine::HeIntegers numbers = engine::numbers_from(bundle, residues);
  if (Status status = engine::check_results(bundle, numbers); !status) {
    return of_file(path, status.error());
  }
  return numbers;
}

}  // namespace tacet::cli
