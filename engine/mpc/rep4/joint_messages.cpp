#include "engine/mpc/rep4/joint_messages.h"

#include "base/cpu.h"
#include "base/wipe.h"

namespace tacet::mpc {

namespace {

/// What tags are for, besides those of messages, whose domain is their sender.
constexpr uint32_t kOpenings = kRep4Parties;

}  // namespace

JointMessages::JointMessages(Rank own, const Keys& keys) : own_(own) {
  for (Rank other = 0; other < kRep4Parties; ++other) {
    if (other != own) {
      parts_[other].emplace(keys.of_parts[other], secure_random::AesBlock{}, best_isa());
      peers_[other] = {direction_of(other, keys.to[other]), direction_of(other, keys.from[other])};
    }
  }
}

JointMessages::~JointMessages() {
  for (Peer& peer : peers_) {
    wipe(std::span(peer.to.blinding));
    wipe(std::span(peer.from.blinding));
  }
}

auto JointMessages::direction_of(Rank peer, const secure_random::AesKey& key) const -> Direction {
  secure_random::AesCtr keys(key, secure_random::AesBlock{}, best_isa());
  secure_random::AesKey of_tags;
  Direction direction;
  keys.fill(of_tags);
  keys.fill(direction.blinding);
  direction.streams.emplace_back(of_tags, third_party(peer, 0));
  direction.streams.emplace_back(of_tags, third_party(peer, 1));
  direction.openings.emplace(of_tags, kOpenings);
  wipe(std::span(of_tags));
  return direction;
}

auto JointMessages::third_party(Rank peer, size_t i) const -> Rank {
  Rank party = 0;
  while (party == own_ || party == peer || i-- > 0) {
    ++party;
  }
  return party;
}

auto JointMessages::index_of(Rank peer, Rank sender) const -> size_t {
  return third_party(peer, 0) == sender ? 0 : 1;
}

void JointMessages::note(const JointMessage& message, std::span<const std::byte> bytes) {
  if (own_ == message.voucher) {
    peers_[message.receiver].to.streams[index_of(message.receiver, message.sender)].append(bytes);
  } else if (own_ == message.receiver) {
    peers_[message.voucher].from.streams[index_of(message.voucher, message.sender)].append(bytes);
  }
}

auto JointMessages::tag_of_opening(const JointMessage& message, std::span<const std::byte> bytes)
    -> Gmac::Tag {
  Gmac& gmac = own_ == message.voucher ? *peers_[message.receiver].to.openings
                                       : *peers_[message.voucher].from.openings;
  gmac.append(bytes);
  return gmac.finish();
}

/// x ^= y.
static void exclusive_or_tag(Gmac::Tag& x, const Gmac::Tag& y) {
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] ^= y[i];
  }
}

void JointMessages::finish(Direction& direction, Tags& sums) {
  for (Gmac& stream : direction.streams) {
    const Gmac::Tag tag = stream.finish();
    secure_random::AesCtr blind(direction.blinding, tag, best_isa());
    for (Gmac::Tag& sum : sums) {
      Gmac::Tag blinded;
      blind.fill(blinded);
      exclusive_or_tag(sum, blinded);
    }
  }
}

// Tags must not be shown, nor the ones that differ: a party that was lied to has computed with the
// lie since, and what it knows of later messages depends on secrets that the liar does not have. So
// only the sum of all tags is shown, of both ends of all streams, which is zero if all are equal.
// To each party other functions of the tags are shown, under keys of the two ends. If a liar sent
// something wrong to an honest party, with an honest voucher, then the sum that any party gets has
// the difference of two outputs of a function that the liar does not know: to the liar it is
// random, whatever else differs, and it cannot make up for it in what it sends to others.
//
// The three others share the sum that party Q gets by masks of key Q.
//
// Until the end of the round, messages of this round are noted by other tasks; all of them then
// continue in the same order at all parties.
auto JointMessages::check(Party& party) -> Task<> {
  const Party::Scope scope = party.scope("check");
  co_await party.quiet();
  Tags sums{};
  for (Rank distance = 1; distance < kRep4Parties; ++distance) {
    Peer& peer = peers_[party.other(distance)];
    finish(peer.to, sums);
    finish(peer.from, sums);
  }
  std::array<Gmac::Tag, kRep4Parties> got{};
  std::vector<Receipt> receipts;
  for (Rank other = 0; other < kRep4Parties; ++other) {
    if (other == own_) {
      continue;
    }
    std::array<Gmac::Tag, 2> masks{};
    key(other).fill(masks[0]);
    key(other).fill(masks[1]);
    const size_t place = slot_of(other, own_);
    if (place != 2) {
      exclusive_or_tag(sums[other], masks[0]);
    }
    if (place != 0) {
      exclusive_or_tag(sums[other], masks[1]);
    }
    party.send(other, sums[other]);
    receipts.push_back({.from = other, .into = got[other]});
  }
  co_await party.receive(std::move(receipts));
  for (Rank distance = 1; distance < kRep4Parties; ++distance) {
    exclusive_or_tag(sums[own_], got[party.other(distance)]);
  }
  if (sums[own_] != Gmac::Tag{}) {
    party.accuse({.check = "messages"});
  }
  if (party.lie()) {
    co_await party.next_round();
  }
  co_return kDone;
}

}  // namespace tacet::mpc
