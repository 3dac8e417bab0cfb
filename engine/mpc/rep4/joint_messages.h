#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/mpc/gmac.h"
#include "engine/mpc/party.h"
#include "engine/mpc/ring_array.h"
#include "engine/secure_random/aes_ctr.h"

/// Private to this folder.
namespace tacet::mpc {

constexpr Rank kRep4Parties = 4;

/// Where party `rank` keeps part `part`, which is not the one it lacks.
constexpr auto slot_of(Rank rank, Rank part) -> size_t {
  return (part + kRep4Parties - 1 - rank) % kRep4Parties;
}
/// The part in slot `slot`.
constexpr auto part_in(Rank rank, size_t slot) -> Rank {
  return static_cast<Rank>((rank + 1 + slot) % kRep4Parties);
}

/// A message that two parties know: one sends it, the other one vouches for it.
struct JointMessage {
  Rank sender = 0;
  Rank voucher = 0;
  Rank receiver = 0;
};

/// Keys of a party, and hashes of what was sent jointly since the last check.
class JointMessages {
 public:
  struct Keys {
    /// By part, but for the one that the party lacks.
    std::array<secure_random::AesKey, kRep4Parties> of_parts;
    /// By other party: for tags that are sent to it, and for those that come from it.
    std::array<secure_random::AesKey, kRep4Parties> to;
    std::array<secure_random::AesKey, kRep4Parties> from;
  };
  JointMessages(Rank own, const Keys& keys);
  ~JointMessages();
  JointMessages(const JointMessages&) = delete;
  auto operator=(const JointMessages&) -> JointMessages& = delete;

  /// The key stream of part `part`.
  auto key(Rank part) -> secure_random::AesCtr& { return *parts_[part]; }

  /// Of a message that is over: what its voucher knows, or its receiver got. Both must call it in
  /// the round after that in which it was sent, in the same order; at other parties it does
  /// nothing.
  void note(const JointMessage& message, std::span<const std::byte> bytes);
  /// Compares what was noted so far. One round.
  auto check(Party& party) -> Task<>;

  /// The tag of a message that is opened, at its voucher or its receiver.
  auto tag_of_opening(const JointMessage& message, std::span<const std::byte> bytes) -> Gmac::Tag;

 private:
  /// Tags of one direction between two parties.
  struct Direction {
    std::vector<Gmac> streams;  ///< by sender, which is a third party
    std::optional<Gmac> openings;
    secure_random::AesKey blinding;  ///< for `blind`
  };
  struct Peer {
    Direction to;
    Direction from;
  };
  /// By the party that they are shown to.
  using Tags = std::array<Gmac::Tag, kRep4Parties>;

  /// The senders of messages between this party and `peer`.
  [[nodiscard]] auto third_party(Rank peer, size_t i) const -> Rank;
  [[nodiscard]] auto index_of(Rank peer, Rank sender) const -> size_t;
  [[nodiscard]] auto direction_of(Rank peer, const secure_random::AesKey& key) const -> Direction;
  /// Adds what the tags of a direction become to `sums`.
  static void finish(Direction& direction, Tags& sums);

  Rank own_;
  std::array<std::optional<secure_random::AesCtr>, kRep4Parties> parts_;
  std::array<Peer, kRep4Parties> peers_;
};

}  // namespace tacet::mpc
