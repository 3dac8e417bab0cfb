#include "cli/run/bitwise_client.h"

#include "engine/cggi/serialisation.h"
#include "engine/he_runtime/statistics.h"

namespace tacet::cli {

using engine::CggiProgram;
using engine::CggiValues;

auto BitwiseClient::make(const CggiProgram& program, CggiCosts& costs, PhaseLine& line)
    -> Result<BitwiseClient> {
  if (Status status = engine::check_hiding(program); !status) {
    return status.error();
  }
  Result<CggiKeys> made = make_keys_on_cggi(program, costs, line);
  if (!made) {
    return made.error();
  }
  BitwiseClient client(program);
  client.secret_ = std::move(made->secret);
  Belonging belonging{.program = engine::digest_of(program)};
  const cggi::Bytes key = cggi::serialise(made->evaluation);
  client.keys_ = file_of(ExchangeFile::Keys, belonging, key);
  costs.key_bytes = key.size();
  belonging.keys = digest_of_file(client.keys_);
  client.record_ = std::make_unique<ClientRecord>(belonging);
  return client;
}

auto BitwiseClient::open(const CggiProgram& program, const NamedBytes& secret)
    -> Result<BitwiseClient> {
  BitwiseClient client(program);
  client.name_ = secret.name;
  Result<std::unique_ptr<ClientRecord>> record =
      ClientRecord::of_secret(secret, engine::digest_of(program));
  if (!record) {
    return record.error();
  }
  client.record_ = std::move(*record);
  Result<cggi::SecretKey> key = cggi::deserialise_secret_key(behind_header(secret.bytes));
  if (!key) {
    return of_file(secret.name, key.error());
  }
  if (key->parameters != program.parameters) {
    return foreign(secret.name, "other parameters than the program's");
  }
  client.secret_ = std::move(*key);
  return client;
}

auto BitwiseClient::secret() const -> Result<SecureBytes> {
  return file_of(ExchangeFile::Secret, record_->belonging_of_secret(), cggi::serialise(secret_));
}

auto BitwiseClient::encrypt(const CggiValues& values, CggiCosts& costs) const -> Result<he::Bytes> {
  const Isa isa = best_isa();
  Result<cggi::SecureRandom> random = cggi::SecureRandom::from_system(isa);
  if (!random) {
    return random.error();
  }
  const engine::HeTimer timer(costs.encrypt_seconds);
  Result<cggi::FreshCiphertexts> encrypted =
      engine::encrypt_inputs(*program_, secret_, values, *random, isa);
  if (!encrypted) {
    return encrypted.error();
  }
  he::Bytes inputs = record_->inputs_of(cggi::serialise(*encrypted));
  costs.input_bytes = inputs.size();
  costs.bytes_sent = keys_.size() + inputs.size();
  return inputs;
}

auto BitwiseClient::decrypt(const NamedBytes& results, CggiCosts& costs) const
    -> Result<CggiValues> {
  if (Status status = record_->check_results(results, name_); !status) {
    return status.error();
  }
  Result<cggi::Ciphertexts> ciphertexts =
      cggi::deserialise_ciphertexts(program_->parameters, behind_header(results.bytes));
  if (!ciphertexts) {
    return of_file(results.name, ciphertexts.error());
  }
  const engine::HeTimer timer(costs.decrypt_seconds);
  Result<CggiValues> outputs = engine::decrypt_results(*program_, secret_, *ciphertexts);
  return outputs ? std::move(outputs) : Result<CggiValues>(of_file(results.name, outputs.error()));
}

}  // namespace tacet::cli
