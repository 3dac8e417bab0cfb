#include "cli/run/arithmetic_server.h"

#include <fmt/format.h>

#include "cli/run/arithmetic_client.h"
#include "engine/he/digested_objects.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;

namespace {

/// The next object of a row, as `read` makes it of its bytes.
template <class Read, class Object>
auto read_next(ObjectRow& row, const he::Context& context, const Read& read, Object& object)
    -> Status {
  Result<std::span<const std::byte>> bytes = row.next();
  if (!bytes) {
    return bytes.error();
  }
  auto made = read(context, *bytes);
  if (!made) {
    return made.error();
  }
  object = std::move(*made);
  return std::monostate{};
}

}  // namespace

auto read_evaluation_keys(const he::Context& context, const engine::HeFacts& facts, ObjectRow& row)
    -> Result<engine::HeEvaluationKeys> {
  engine::HeEvaluationKeys keys;
  Status status = std::monostate{};
  if (engine::needs_public_key(facts, context)) {
    status = read_next(row, context, he::deserialise_public_key, keys.encryption);
  }
  if (status && engine::relinearisation_primes(facts, context) != 0) {
    status = read_next(row, context, he::deserialise_relinearisation_key, keys.relinearisation);
  }
  if (status && !engine::rotation_keys(facts, context).empty()) {
    status = read_next(row, context, he::deserialise_rotation_keys, keys.rotations);
  }
  if (status && engine::needs_bootstrapping(facts)) {
    status = read_next(row, context, he::deserialise_bootstrapping_keys, keys.bootstrapping);
  }
  return status ? Result<engine::HeEvaluationKeys>(std::move(keys))
                : Result<engine::HeEvaluationKeys>(status.error());
}

auto more_than_needed(const std::string& name) -> Error {
  return Error{fmt::format(
      "`{}` contains more data than the program needs; it belongs to another program", name)};
}

auto ArithmeticPreparation::make(const HeBundle& bundle, const engine::HeIntegers& values,
                                 HeCosts& costs, PhaseLine& line)
    -> Result<std::shared_ptr<const ArithmeticPreparation>> {
  // `tacet build` writes no such program; another version may have.
  if (Status status = engine::check_hiding(bundle); !status) {
    return status.error();
  }
  auto made = std::make_shared<ArithmeticPreparation>();
  made->bundle = &bundle;
  made->program = engine::digest_of(bundle);
  for (const HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, costs.n_threads);
    if (!context) {
      return context.error();
    }
    Result<engine::HeServer> prepared = [&] {
      const engine::HeTimer timer(costs.prepare_seconds);
      return engine::HeServer::make(
          part.program, *context, engine::values_for(bundle, part, values),
          line.begin("preparing the server's numbers"), costs.most_plaintext_bytes);
    }();
    line.end();
    if (!prepared) {
      return prepared.error();
    }
    made->parts.push_back({&part, std::move(*context), std::move(*prepared)});
  }
  return std::shared_ptr<const ArithmeticPreparation>(std::move(made));
}

auto ArithmeticServer::make(const HeBundle& bundle, const NamedBytes& keys,
                            const engine::HeIntegers& values, HeCosts& costs, PhaseLine& line)
    -> Result<ArithmeticServer> {
  // What no server may answer, and keys of another program, are found before numbers are prepared.
  if (Status status = engine::check_hiding(bundle); !status) {
    return status.error();
  }
  if (Result<Belonging> belonging = read_keys_header(keys, engine::digest_of(bundle)); !belonging) {
    return belonging.error();
  }
  Result<std::shared_ptr<const Preparation>> preparation =
      Preparation::make(bundle, values, costs, line);
  return preparation ? make(std::move(*preparation), keys)
                     : Result<ArithmeticServer>(preparation.error());
}

auto ArithmeticServer::make(std::shared_ptr<const Preparation> preparation, const NamedBytes& keys)
    -> Result<ArithmeticServer> {
  Result<Belonging> belonging = read_keys_header(keys, preparation->program);
  if (!belonging) {
    return belonging.error();
  }
  ArithmeticServer server(std::move(preparation));
  server.keys_ = *belonging;
  server.keys_name_ = keys.name;
  ObjectRow row(behind_header(keys.bytes));
  for (const Preparation::Part& part : server.preparation_->parts) {
    Result<engine::HeEvaluationKeys> read =
        read_evaluation_keys(*part.context, part.server.facts(), row);
    if (!read) {
      return of_file(keys.name, read.error());
    }
    server.part_keys_.push_back(std::move(*read));
  }
  return row.is_empty() ? std::move(server) : Result<ArithmeticServer>(more_than_needed(keys.name));
}

auto ArithmeticServer::key_memory() const -> uint64_t {
  const auto size_of = [](const he::Rows& rows) {
    return uint64_t{8} * rows.n_rows() * ring::row_stride(rows.n());
  };
  uint64_t size = 0;
  for (const engine::HeEvaluationKeys& keys : part_keys_) {
    size += size_of(keys.encryption.parts[0]) + size_of(keys.encryption.parts[1]) +
            size_of(keys.relinearisation.key.rows) + size_of(keys.bootstrapping.to_sparse.rows) +
            size_of(keys.bootstrapping.to_dense.rows);
    for (const he::RotationKeys::Entry& entry : keys.rotations.entries) {
      size += size_of(entry.key.rows);
    }
  }
  return size;
}

auto ArithmeticServer::read_inputs(const NamedBytes& inputs, Belonging& belonging) const
    -> Result<std::vector<std::vector<he::Ciphertext>>> {
  he::Digester file = digester_of_header(inputs.bytes);
  ObjectRow row(behind_header(inputs.bytes));
  std::vector<std::vector<he::Ciphertext>> by_part;
  for (const Preparation::Part& part : preparation_->parts) {
    Result<std::vector<he::Ciphertext>> read = read_ciphertexts(
        *part.context, row, engine::input_elements(part.part->program).size(), &file);
    if (!read) {
      return of_file(inputs.name, read.error());
    }
    by_part.push_back(std::move(*read));
  }
  if (!row.is_empty()) {
    return more_than_needed(inputs.name);
  }
  belonging.inputs = file.finish();
  return by_part;
}

auto ArithmeticServer::answer_part(size_t part_number, std::vector<he::Ciphertext> inputs,
                                   he::SecureRandom& random, HeCosts& costs, PhaseLine& line) const
    -> Result<std::vector<he::Ciphertext>> {
  const Preparation::Part& part = preparation_->parts[part_number];
  const engine::HeEvaluationKeys& keys = part_keys_[part_number];
  engine::HeStatistics statistics = part.server.preparation();
  statistics.n_encrypted = inputs.size();
  const engine::HeProgress progress = line.begin("evaluating");
  Result<std::vector<he::Ciphertext>> outputs =
      preparation_->bundle->is_unhidden
          ? part.server.evaluate(std::move(inputs), keys, statistics, progress)
          : part.server.answer(std::move(inputs), keys, random, statistics, progress);
  line.end();
  if (!outputs) {
    return outputs.error();
  }
  statistics.n_decrypted = outputs->size();
  const engine::HeFacts& facts = part.server.facts();
  costs.n_rotation_keys += facts.rotations.size() + (facts.needs_swap ? 1 : 0);
  costs.n_input_plaintexts += statistics.n_encoded;
  add_statistics(statistics, costs.statistics);
  return outputs;
}

auto ArithmeticServer::answer(const NamedBytes& inputs, HeCosts& costs, PhaseLine& line,
                              he::Bytes before) const -> Result<he::Bytes> {
  Result<Belonging> belonging = read_inputs_header(inputs, keys_, keys_name_);
  if (!belonging) {
    return belonging.error();
  }
  Result<std::vector<std::vector<he::Ciphertext>>> given = read_inputs(inputs, *belonging);
  if (!given) {
    return given.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  const size_t n_before = before.size();
  he::Bytes results = std::move(before);
  const he::Bytes header = header_of(ExchangeFile::Results, *belonging);
  results.insert(results.end(), header.begin(), header.end());
  he::Digester file = digester_of_header(header);
  for (size_t part = 0; part < part_keys_.size(); ++part) {
    Result<std::vector<he::Ciphertext>> outputs =
        answer_part(part, std::move((*given)[part]), *random, costs, line);
    if (!outputs) {
      return outputs.error();
    }
    for (const he::Ciphertext& ciphertext : *outputs) {
      if (Status status =
              he::append_serialised(*preparation_->parts[part].context, ciphertext, file, results);
          !status) {
        return status.error();
      }
    }
  }
  const FileDigest digest = file.finish();
  results.insert(results.end(), digest.begin(), digest.end());
  costs.bytes_sent = results.size() - n_before;
  return results;
}

}  // namespace tacet::cli
