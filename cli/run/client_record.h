#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "cli/run/exchange_format.h"

namespace tacet::cli {

/// What a client has to know of its own keys and inputs to recognise results: those of inputs that
/// it encrypted. For use by several threads.
class ClientRecord {
 public:
  /// Of new keys, which belong to the program and have their digest.
  explicit ClientRecord(const Belonging& keys) : keys_(keys) {}

  /// Of a secret key that was stored as `secret` says. If it was stored without inputs, results of
  /// any inputs under its keys are the client's.
  static auto of_secret(const NamedBytes& secret, const FileDigest& program)
      -> Result<std::unique_ptr<ClientRecord>>;

  /// Encrypted inputs with their header, which are remembered.
  auto inputs_of(const he::Bytes& objects) -> he::Bytes;

  /// What the secret key belongs to: to the only inputs that there were, or to any.
  [[nodiscard]] auto belonging_of_secret() const -> Belonging;

  /// Whether these are results of inputs of the client; `owner` is what it is called.
  [[nodiscard]] auto check_results(const NamedBytes& results, std::string_view owner) const
      -> Status;

 private:
  Belonging keys_;  ///< without inputs
  bool knows_all_inputs_ = true;
  mutable std::mutex mutex_;
  std::set<FileDigest> inputs_;
};

}  // namespace tacet::cli
