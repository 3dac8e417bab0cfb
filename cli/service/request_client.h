#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cli/service/admitted_clients.h"
#include "cli/service/limits.h"
#include "cli/service/wire.h"

namespace tacet::service {

/// How a client meets a service.
struct ServicePlace {
  ServiceAddress address;
  net::Credentials own;
  std::string certificate;                    ///< of the service, PEM; it shows exactly this one
  milliseconds connect{30'000};               ///< until it has greeted
  milliseconds answer{600'000};               ///< for what a message is answered with
  uint64_t most_results = uint64_t{1} << 30;  ///< bytes of an answer
};

/// A connection to a service, which waits for each answer. Whatever the service sends: answers that
/// are no answers are errors, and memory is taken for bytes that have arrived. Not for use by
/// several threads.
class RequestClient {
 public:
  static auto connect(const ServicePlace& place) -> Result<std::unique_ptr<RequestClient>>;

  RequestClient() = default;
  RequestClient(const RequestClient&) = delete;
  auto operator=(const RequestClient&) -> RequestClient& = delete;
  virtual ~RequestClient() = default;

  [[nodiscard]] virtual auto welcome() const -> const Welcome& = 0;

  /// Nothing if the service holds the keys now, or why it does not.
  virtual auto store_keys(const cli::FileDigest& digest, std::span<const std::byte> keys)
      -> Result<std::optional<Refusal>> = 0;
  /// The results, as an exchange file that belongs to these inputs, or why there are none.
  virtual auto request(std::span<const std::byte> inputs)
      -> Result<std::variant<he::Bytes, Refusal>> = 0;
};

}  // namespace tacet::service
