#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run/exchange_format.h"

namespace tacet::service {

/// The evaluation keys of one client, ready for use. For use by several threads.
class ClientKeys {
 public:
  ClientKeys() = default;
  ClientKeys(const ClientKeys&) = delete;
  auto operator=(const ClientKeys&) -> ClientKeys& = delete;
  virtual ~ClientKeys() = default;

  /// The results of encrypted inputs, as an exchange file behind the bytes `before`.
  [[nodiscard]] virtual auto answer(std::span<const std::byte> inputs, he::Bytes before) const
      -> Result<he::Bytes> = 0;
  /// Of the keys as they were sent.
  [[nodiscard]] virtual auto digest() const -> const cli::FileDigest& = 0;
  /// Bytes of memory.
  [[nodiscard]] virtual auto memory() const -> uint64_t = 0;
};

/// A compiled program with the server's numbers, prepared for any client. For use by several
/// threads.
class ServedProgram {
 public:
  ServedProgram() = default;
  ServedProgram(const ServedProgram&) = delete;
  auto operator=(const ServedProgram&) -> ServedProgram& = delete;
  virtual ~ServedProgram() = default;

  [[nodiscard]] virtual auto name() const -> const std::string& = 0;
  [[nodiscard]] virtual auto digest() const -> const cli::FileDigest& = 0;
  /// Checks all that a client sent as its keys.
  [[nodiscard]] virtual auto take_keys(std::span<const std::byte> keys) const
      -> Result<std::shared_ptr<const ClientKeys>> = 0;
};

/// What a program is prepared with.
struct ServedProgramRequest {
  std::string path;                 ///< as `tacet build` wrote it
  std::vector<std::string> values;  ///< of the server, as on the command line
  std::vector<std::string> inputs;  ///< the same, by name
  unsigned n_threads = 1;           ///< of one evaluation
  uint64_t memory_mib = 0;          ///< what plaintexts are planned for; 0 if nothing is said
};

/// Reads and prepares it; warnings go to the invocation.
auto load_served_program(const ServedProgramRequest& request, cli::Invocation& invocation)
    -> Result<std::unique_ptr<const ServedProgram>>;

}  // namespace tacet::service
