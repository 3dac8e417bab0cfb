#pragma once

#include <memory>

#include "cli/run/cggi_device.h"
#include "cli/run/client_record.h"

namespace tacet::cli {

/// The client of a program for CGGI: has the secret key, encrypts and decrypts. For use by several
/// threads. What is exchanged has one object each (`engine/cggi/serialisation.h`).
class BitwiseClient {
 public:
  /// Makes new keys. The program lives longer than the client. An error if no server would answer.
  static auto make(const engine::CggiProgram& program, CggiCosts& costs, PhaseLine& line)
      -> Result<BitwiseClient>;
  /// The client whose secret key was stored; its evaluation key is elsewhere.
  static auto open(const engine::CggiProgram& program, const NamedBytes& secret)
      -> Result<BitwiseClient>;

  /// Empty if the client was opened.
  [[nodiscard]] auto keys() const -> const he::Bytes& { return keys_; }
  /// To be stored.
  [[nodiscard]] auto secret() const -> Result<SecureBytes>;
  /// The client's inputs, encrypted.
  [[nodiscard]] auto encrypt(const engine::CggiValues& values, CggiCosts& costs) const
      -> Result<he::Bytes>;
  [[nodiscard]] auto decrypt(const NamedBytes& results, CggiCosts& costs) const
      -> Result<engine::CggiValues>;

 private:
  explicit BitwiseClient(const engine::CggiProgram& program) : program_(&program) {}

  const engine::CggiProgram* program_;
  std::string name_ = "client";
  cggi::SecretKey secret_;
  he::Bytes keys_;
  std::unique_ptr<ClientRecord> record_;
};

}  // namespace tacet::cli
