#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/net/connection.h"
#include "engine/net/links.h"

namespace tacet::net {

/// How much memory the links of a party may fill.
struct BufferLimits {
  /// Of what is unsent to one peer: from here on `send` waits.
  size_t unsent = size_t{64} << 20;
  /// The limit of unread data from one peer: beyond it the network, and so the peer, has to wait.
  /// While this party itself waits to send, sixteen times as much, so that parties that all send at
  /// once do not wait for each other.
  size_t unread = size_t{64} << 20;
};

/// The links of one party over connections, whose greetings are exchanged. `connections` are by
/// rank, with nothing at the own one.
///
/// The calling thread itself reads while it waits, and itself writes what is short, so that a round
/// costs no change of threads. A thread of their own writes what the network does not take at once,
/// reads while much is in transit and the caller computes, and sends the heartbeats.
[[nodiscard]] auto make_network_links(Rank rank, std::vector<std::string> names,
                                      std::vector<std::unique_ptr<Connection>> connections,
                                      const TimeLimits& times, const BufferLimits& buffers)
    -> std::unique_ptr<Links>;

/// Informs the peers behind `connections` of a failure, and waits up to a second until they know.
void report_failure(std::span<const std::unique_ptr<Connection>> connections,
                    const LinkError& error);

}  // namespace tacet::net
