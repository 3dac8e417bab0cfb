#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/he/serialisation.h"

namespace tacet::engine {

/// Bytes that stay where they are for as long as somebody has them.
struct HeldBytes {
  std::span<const std::byte> bytes{};
  std::shared_ptr<const void> holder{};

  static auto of(he::Bytes bytes) -> HeldBytes {
    const auto held = std::make_shared<const he::Bytes>(std::move(bytes));
    return {*held, held};
  }
};

/// Bytes from another rank.
struct RankMessage {
  uint32_t from = 0;
  HeldBytes held;
};

/// What connects one rank of a run with all others. Messages between two ranks arrive whole and in
/// order.
class RankLink {
 public:
  RankLink() = default;
  RankLink(const RankLink&) = delete;
  auto operator=(const RankLink&) -> RankLink& = delete;
  virtual ~RankLink() = default;

  [[nodiscard]] virtual auto rank() const -> uint32_t = 0;
  [[nodiscard]] virtual auto n_ranks() const -> uint32_t = 0;
  /// The name of the machine that a rank runs on.
  [[nodiscard]] virtual auto host(uint32_t rank) const -> std::string = 0;

  /// Takes a message along and returns at once. Several ranks may get the same bytes, which are not
  /// copied. From any thread.
  virtual void send(uint32_t to, HeldBytes message) = 0;
  /// Waits for the next message. An error, which names rank and host, if a rank was lost; another
  /// one after `close`. From one thread at a time.
  virtual auto receive() -> Result<RankMessage> = 0;
  /// Sends what was taken along, and ends `receive`.
  virtual void close() = 0;
};

/// `rank 3 on node7`.
auto name_of_rank(const RankLink& link, uint32_t rank) -> std::string;

/// Ranks in one process, for tests, each for a thread. `hosts` names their machines.
auto local_links(const std::vector<std::string>& hosts) -> std::vector<std::unique_ptr<RankLink>>;

}  // namespace tacet::engine
