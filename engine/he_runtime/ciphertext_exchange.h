#pragma once

#include <functional>

#include "base/result.h"
#include "engine/he/objects.h"

namespace tacet::engine {

/// Carries ciphertexts between the machines of an evaluation that several share. Nodes are those of
/// this machine's plan.
class CiphertextExchange {
 public:
  using Arrived = std::function<void(uint32_t node)>;
  using Failed = std::function<void(Error error)>;

  CiphertextExchange() = default;
  CiphertextExchange(const CiphertextExchange&) = delete;
  auto operator=(const CiphertextExchange&) -> CiphertextExchange& = delete;
  virtual ~CiphertextExchange() = default;

  /// From now on, until `stop` returns, calls `arrived` for each node of the kind `Received`, once
  /// each, and `failed` if one cannot arrive any more; on a thread of its own.
  virtual void start(Arrived arrived, Failed failed) = 0;
  virtual void stop() = 0;
  /// What has arrived for a node. Once; called by any of the threads that compute.
  virtual auto take(uint32_t node) -> Result<he::Ciphertext> = 0;

  /// Whether other machines get a node.
  [[nodiscard]] virtual auto is_sent(uint32_t node) const -> bool = 0;
  /// Sends it to them, without waiting. Called by any of the threads that compute.
  virtual auto send(uint32_t node, const he::Ciphertext& ciphertext) -> Status = 0;

  /// Hears how long a thread computed, by its own clock.
  virtual void worked(double seconds) = 0;
};

}  // namespace tacet::engine
