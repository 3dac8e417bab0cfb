#include "cli/joint/joint_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli/atomic_write.h"
#include "cli/run/arithmetic_client.h"
#include "cli/run/arithmetic_server.h"
#include "cli/values/he_values.h"
#include "engine/he/digest.h"
#include "engine/he_runtime/contributed_inputs.h"

namespace tacet::cli {

namespace fs = std::filesystem;

namespace {

auto contribution_path(const std::string& folder, const std::string& name) -> std::string {
  return fmt::format("{}/inputs.{}", folder, name);
}

/// In place of the digest of inputs, which this is one of.
auto digest_of_contribution(const std::string& name) -> FileDigest {
  he::Digester digester;
  digester.add("contribution");
  digester.add(name);
  return digester.finish();
}

auto is_named_by(const interpret::EntryParameter& parameter, const std::string& input) -> bool {
  const std::string name = input.substr(0, input.find('='));
  return parameter.name == name || parameter.path == name || parameter.path.starts_with(name + ".");
}

/// The keys of a program that its holders made.
struct ReadKeys {
  ExchangedFile file;
  Belonging belonging;
};

auto read_joint_keys(const engine::HeBundle& bundle, const std::string& folder)
    -> Result<ReadKeys> {
  Result<ExchangedFile> keys = read_exchanged(folder + "/keys", {});
  if (!keys) {
    std::error_code ignored;
    return fs::exists(folder + "/keys", ignored)
               ? keys.error()
               : Error{fmt::format("there are no keys in `{}`; the holders make them with `tacet "
                                   "joint keys`",
                                   folder)};
  }
  Result<Belonging> belonging = read_keys_header(keys->named(), engine::digest_of(bundle));
  if (!belonging) {
    return belonging.error();
  }
  return ReadKeys{std::move(*keys), *belonging};
}

/// The public keys of the parts, of which the first object of each is one.
auto public_keys_of(const engine::HeBundle& bundle, const std::vector<he::ContextRef>& contexts,
                    const NamedBytes& keys) -> Result<std::vector<he::PublicKey>> {
  std::vector<he::PublicKey> all;
  ObjectRow row(behind_header(keys.bytes));
  for (size_t i = 0; i < contexts.size(); ++i) {
    Result<engine::HeEvaluationKeys> read =
        read_evaluation_keys(*contexts[i], engine::facts_of(bundle.parts[i].program), row);
    if (!read) {
      return of_file(keys.name, read.error());
    }
    all.push_back(std::move(read->encryption));
  }
  return all;
}

auto contexts_of_parts(const engine::HeBundle& bundle, unsigned n_threads)
    -> Result<std::vector<he::ContextRef>> {
  std::vector<he::ContextRef> contexts;
  for (const engine::HeBundlePart& part : bundle.parts) {
    Result<he::ContextRef> context = make_context(bundle, part, n_threads);
    if (!context) {
      return context.error();
    }
    contexts.push_back(std::move(*context));
  }
  return contexts;
}

/// What adds up the contributions of all parts.
class Merging {
 public:
  Merging(const engine::HeBundle& bundle, std::vector<he::ContextRef> contexts)
      : bundle_(bundle), contexts_(std::move(contexts)), sums_(contexts_.size()) {}

  /// An error for ciphertexts that are not fresh, by what they say of themselves.
  auto add(const std::string& name, const NamedBytes& file) -> Status {
    ObjectRow row(behind_header(file.bytes));
    for (size_t i = 0; i < contexts_.size(); ++i) {
      const engine::HeProgram& program = bundle_.parts[i].program;
      Result<std::vector<he::Ciphertext>> parts =
          read_ciphertexts(*contexts_[i], row, engine::contributed_places(program, name).size());
      const double noise = contexts_[i]->noise().fresh_public() + 0.01;
      if (parts && std::any_of(parts->begin(), parts->end(), [&](const he::Ciphertext& part) {
            return !(part.metadata.noise <= noise);
          })) {
        return of_file(file.name, Error{"a ciphertext says that it has more noise than new ones"});
      }
      Status added = parts ? engine::add_contribution(program, *contexts_[i], name,
                                                      std::move(*parts), sums_[i])
                           : Status(parts.error());
      if (!added) {
        return of_file(file.name, added.error());
      }
    }
    return row.is_empty() ? Status(std::monostate{}) : Status(more_than_needed(file.name));
  }

  auto objects() -> Result<he::Bytes> {
    he::Bytes bytes;
    for (size_t i = 0; i < contexts_.size(); ++i) {
      Result<std::vector<he::Ciphertext>> sums = engine::added_up(std::move(sums_[i]));
      if (!sums) {
        return sums.error();
      }
      for (const he::Ciphertext& ciphertext : *sums) {
        append_object(he::serialise(*contexts_[i], ciphertext), bytes);
      }
    }
    return bytes;
  }

 private:
  const engine::HeBundle& bundle_;
  std::vector<he::ContextRef> contexts_;
  std::vector<std::vector<std::optional<he::Ciphertext>>> sums_;
};

}  // namespace

auto given_parameters(const std::vector<interpret::EntryParameter>& parameters,
                      const std::vector<std::string>& values,
                      const std::vector<std::string>& inputs)
    -> std::vector<interpret::EntryParameter> {
  const bool are_named =
      values.empty() && std::none_of(inputs.begin(), inputs.end(),
                                     [](const std::string& input) { return input[0] == '@'; });
  std::vector<interpret::EntryParameter> given;
  for (const interpret::EntryParameter& parameter : parameters) {
    if (!are_named || std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
          return is_named_by(parameter, input);
        })) {
      given.push_back(parameter);
    }
  }
  return given.empty() ? parameters : given;
}

auto write_contributions(const engine::HeBundle& bundle, const engine::HeIntegers& values,
                         const std::string& folder, HeCosts& costs) -> Status {
  Result<ReadKeys> keys = read_joint_keys(bundle, folder);
  Result<std::vector<he::ContextRef>> contexts = contexts_of_parts(bundle, costs.n_threads);
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!keys || !contexts || !random) {
    return !keys ? keys.error() : !contexts ? contexts.error() : random.error();
  }
  Result<std::vector<he::PublicKey>> encryption =
      public_keys_of(bundle, *contexts, keys->file.named());
  if (!encryption) {
    return encryption.error();
  }
  for (const auto& [name, numbers] : values) {
    he::Bytes objects;
    for (size_t i = 0; i < contexts->size(); ++i) {
      const engine::HeBundlePart& part = bundle.parts[i];
      const engine::HeValues residues = engine::values_for(bundle, part, {{name, numbers}});
      const auto found = residues.find(name);
      Result<std::vector<he::Ciphertext>> ciphertexts =
          found == residues.end()
              ? Result<std::vector<he::Ciphertext>>(std::vector<he::Ciphertext>())
              : engine::encrypt_contribution(part.program, *(*contexts)[i], (*encryption)[i], name,
                                             found->second, *random, costs.statistics);
      if (!ciphertexts) {
        return ciphertexts.error();
      }
      for (const he::Ciphertext& ciphertext : *ciphertexts) {
        append_object(he::serialise(*(*contexts)[i], ciphertext), objects);
      }
    }
    Belonging belonging = keys->belonging;
    belonging.inputs = digest_of_contribution(name);
    const he::Bytes file = file_of(ExchangeFile::Contribution, belonging, objects);
    if (Status written = write_or_create(contribution_path(folder, name), text_of(file));
        !written) {
      return written;
    }
    costs.input_bytes += file.size();
    costs.bytes_sent += file.size();
  }
  std::error_code failed;
  fs::remove(folder + "/results", failed);
  return std::monostate{};
}

auto merge_contributions(const engine::HeBundle& bundle, const std::string& folder,
                         unsigned n_threads) -> Status {
  Result<ReadKeys> keys = read_joint_keys(bundle, folder);
  Result<std::vector<interpret::EntryParameter>> parameters =
      parameters_of(bundle, engine::HeOwner::Client);
  Result<std::vector<he::ContextRef>> contexts = contexts_of_parts(bundle, n_threads);
  if (!keys || !parameters || !contexts) {
    return !keys ? keys.error() : !parameters ? parameters.error() : contexts.error();
  }
  std::vector<std::string> missing;
  for (const interpret::EntryParameter& parameter : *parameters) {
    std::error_code ignored;
    if (!fs::exists(contribution_path(folder, parameter.name), ignored)) {
      missing.push_back(parameter.name);
    }
  }
  if (!missing.empty()) {
    return Error{
        fmt::format("`{}` lacks the encrypted input{} `{}`; who has {} runs `tacet run "
                    "--role client --input {}=…`",
                    folder, missing.size() == 1 ? "" : "s", fmt::join(missing, "`, `"),
                    missing.size() == 1 ? "it" : "one", missing.front())};
  }
  Merging merging(bundle, std::move(*contexts));
  for (const interpret::EntryParameter& parameter : *parameters) {
    Result<ExchangedFile> file = read_exchanged(contribution_path(folder, parameter.name), {});
    if (!file) {
      return file.error();
    }
    Result<Belonging> read = read_header(file->named(), ExchangeFile::Contribution);
    if (!read) {
      return read.error();
    }
    Belonging expected = keys->belonging;
    expected.inputs = digest_of_contribution(parameter.name);
    if (read->program != expected.program) {
      return of_other_program(file->path);
    }
    if (*read != expected) {
      return foreign(file->path, read->keys != expected.keys
                                     ? fmt::format("keys other than those in `{}/keys`", folder)
                                     : fmt::format("an input other than `{}`", parameter.name));
    }
    if (Status added = merging.add(parameter.name, file->named()); !added) {
      return added;
    }
  }
  Result<he::Bytes> objects = merging.objects();
  if (!objects) {
    return objects.error();
  }
  const he::Bytes inputs = file_of(ExchangeFile::Inputs, keys->belonging, *objects);
  return write_or_create(folder + "/inputs", text_of(inputs));
}

}  // namespace tacet::cli
