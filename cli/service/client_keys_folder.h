#pragma once

#include <string>

#include "cli/run/exchange_files.h"

namespace tacet::service {

/// Where a client keeps the keys of a program for later requests: a folder of its user's alone with
/// `secret`, which must not leave the machine, and `keys`, which services get. Locked for as long
/// as this lives, so that two clients do not make keys at the same time.
class ClientKeysFolder {
 public:
  /// Makes the folder if there is none.
  static auto open(std::string path) -> Result<ClientKeysFolder>;
  ClientKeysFolder(ClientKeysFolder&& other) noexcept;
  auto operator=(ClientKeysFolder&& other) noexcept -> ClientKeysFolder&;
  ~ClientKeysFolder();

  [[nodiscard]] auto has_keys() const -> bool;
  /// `keys` are written first, and files that do not belong together are found.
  [[nodiscard]] auto write(std::span<const std::byte> keys, const SecureBytes& secret) const
      -> Status;
  [[nodiscard]] auto read_secret() const -> Result<cli::ExchangedFile>;
  /// The keys that belong to the secret key.
  [[nodiscard]] auto read_keys(const cli::ExchangedFile& secret) const
      -> Result<cli::ExchangedFile>;

  /// Others may read keys again.
  void unlock();

 private:
  ClientKeysFolder(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;  ///< -1: not locked
};

}  // namespace tacet::service
