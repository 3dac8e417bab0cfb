#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/net/credentials.h"
#include "engine/net/greeting.h"
#include "engine/net/network_links.h"

namespace tacet::net {

/// Who makes the connections of a party: of two that may do either, the one of higher rank.
enum class Dialling : uint8_t {
  Either,
  Out,  ///< the party itself alone: nobody can call it, so it does not listen
  In,   ///< the others alone: it can call nobody
};

/// Where a party is found, and how it is known.
struct PartyAddress {
  std::string name;
  std::string host;  ///< a name or an address; of one that only dials out, maybe nothing
  uint16_t port = 0;
  std::string certificate{};  ///< PEM; with TLS alone
  Dialling dialling = Dialling::Either;
};

/// Does `caller` make the connection between the two? Of two between which there can be none,
/// neither does.
[[nodiscard]] auto calls(const std::vector<PartyAddress>& parties, Rank caller, Rank callee)
    -> bool;

/// Two parties between which there can be no connection, if there are any: both wait to be called,
/// or both cannot be.
[[nodiscard]] auto unconnectable(const std::vector<PartyAddress>& parties)
    -> std::optional<std::pair<Rank, Rank>>;

enum class Encryption {
  Tls,
  /// Between processes of one machine alone: addresses other than loopback are rejected.
  None,
};

/// What one party knows before it meets the others.
struct MeetingPlan {
  Rank rank = 0;
  std::vector<PartyAddress> parties{};  ///< by rank
  Encryption encryption = Encryption::Tls;
  Credentials credentials{};  ///< of this party; with TLS alone
  Agreement agreement{};      ///< what all must have alike; the parties' names are added to it
  TimeLimits times{};
  BufferLimits buffers{};
  /// Where this party listens, if not at its address: behind a router, say. A host alone.
  std::string listen_host{};
  /// A socket that listens already, or -1. It is taken, and closed when all are there.
  int listening_socket = -1;
  /// Called when another party is there, from the thread that meets.
  std::function<void(Rank)> on_arrival{};
  /// Why this party cannot start, if it cannot: it meets the others only to report that. They print
  /// it.
  std::string failure{};
};

/// Links to all, or why there are none. The own rank means that this party itself cannot begin.
struct Meeting {
  std::unique_ptr<Links> links;
  LinkStatus failure{};
};

/// Connects this party with all others: it calls those that it `calls`, again and again until the
/// time for it is over, and waits for the calls of the others. Each pair makes sure of who the
/// other is (by certificate) and exchanges greetings. A connection that ends before is made again.
/// Callers that cannot show who they are go away unheard, and a party that stays away is named
/// together with why they did.
///
/// So many callers may be connecting at a time, in all and from one address: silent ones are
/// dropped in favour of others, the oldest first; those that have started to identify themselves
/// are not, for a while.
///
/// A party that cannot start (`failure`, a certificate that is not valid, a port that is taken)
/// informs all others that come within two seconds, and is what they fail with. One whose private
/// key is of no use cannot prove that it is the party: of it they wait a little longer, and believe
/// it only if it is at the party's address.
[[nodiscard]] auto meet(MeetingPlan plan) -> Meeting;

}  // namespace tacet::net
