#include <algorithm>

#include "base/wipe.h"
#include "engine/mpc/rep4/rep4.h"
#include "engine/mpc/rep4/rep4_protocol.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {

auto make_rep4() -> std::unique_ptr<Protocol> {
  return std::make_unique<Rep4>();
}

// Key m is drawn by party m + 1, which sends it to both others that may know it; these compare what
// they got, so that all honest ones have one key. A key for tags goes from one party to another.
auto Rep4::start(Party& party) -> Task<> {
  TACET_CHECK(party.n_parties() == kRep4Parties, "rep4 is for four parties");
  JointMessages::Keys keys{};
  const Rank drawn = party.other(3);
  party.random().fill(keys.of_parts[drawn]);
  party.send(party.other(1), keys.of_parts[drawn]);
  party.send(party.other(2), keys.of_parts[drawn]);
  std::vector<Receipt> receipts{{.from = party.other(3), .into = keys.of_parts[party.other(2)]},
                                {.from = party.other(2), .into = keys.of_parts[party.other(1)]}};
  for (Rank distance = 1; distance < kRep4Parties; ++distance) {
    const Rank other = party.other(distance);
    party.random().fill(keys.to[other]);
    party.send(other, keys.to[other]);
    receipts.push_back({.from = other, .into = keys.from[other]});
  }
  co_await party.receive(std::move(receipts));

  // Of key m, party m + 2 and party m + 3.
  secure_random::AesKey of_next{};
  secure_random::AesKey of_previous{};
  party.send(party.other(1), keys.of_parts[party.other(2)]);
  party.send(party.other(3), keys.of_parts[party.other(1)]);
  receipts = {};
  receipts.push_back({.from = party.other(1), .into = of_next});
  receipts.push_back({.from = party.other(3), .into = of_previous});
  co_await party.receive(std::move(receipts));
  if (of_next != keys.of_parts[party.other(2)]) {
    party.accuse({.check = "keys", .first = party.other(3), .second = party.other(1)});
  }
  if (of_previous != keys.of_parts[party.other(1)]) {
    party.accuse({.check = "keys", .first = party.other(2), .second = party.other(3)});
  }
  messages_.emplace(party.rank(), keys);
  for (auto* all : {&keys.of_parts, &keys.to, &keys.from}) {
    for (secure_random::AesKey& key : *all) {
      wipe(std::span(key));
    }
  }
  wipe(std::span(of_next));
  wipe(std::span(of_previous));
  if (party.lie()) {
    co_await party.next_round();
  }
  co_return kDone;
}

// Everybody sends everybody what it has of all contributions. If some other party has another one
// of a third, one of both lies.
auto Rep4::check_agreement(Party& party, std::vector<std::byte> bytes) -> Task<> {
  const Party::Scope scope = party.scope("check");
  const size_t size = bytes.size() / kRep4Parties;
  TACET_CHECK(size > 0 && size * kRep4Parties == bytes.size(), "as much from each party");
  std::array<std::vector<std::byte>, kRep4Parties> theirs;
  std::vector<Receipt> receipts;
  for (Rank distance = 1; distance < kRep4Parties; ++distance) {
    const Rank other = party.other(distance);
    party.send(other, bytes);
    theirs[other].resize(bytes.size());
    receipts.push_back({.from = other, .into = theirs[other]});
  }
  co_await party.receive(std::move(receipts));
  for (Rank distance = 1; distance < kRep4Parties; ++distance) {
    const Rank other = party.other(distance);
    const auto different = std::ranges::mismatch(bytes, theirs[other]).in1 - bytes.begin();
    if (static_cast<size_t>(different) < bytes.size()) {
      const auto source = static_cast<Rank>(static_cast<size_t>(different) / size);
      party.accuse({.check = "contributions",
                    .first = source == party.rank() ? other : source,
                    .second = other});
    }
  }
  if (party.lie()) {
    co_await party.next_round();
  }
  co_return kDone;
}

auto Rep4::check(Party& party) -> Task<> {
  return messages_->check(party);
}

auto Rep4::constant_part(const Party& party) const -> std::optional<size_t> {
  return party.rank() == 0 ? std::nullopt : std::optional(slot_of(party.rank(), 0));
}

namespace {

/// Of an input, the part that the owner lacks is zero, two are masks of their keys, and the rest is
/// sent to both parties that hold it.
struct InputRoles {
  Rank owner;

  [[nodiscard]] auto keyed(Rank distance) const -> Rank {
    return (owner + distance) % kRep4Parties;
  }
  [[nodiscard]] auto sent() const -> Rank { return (owner + 3) % kRep4Parties; }
  [[nodiscard]] auto message() const -> JointMessage {
    return {.sender = owner, .voucher = keyed(1), .receiver = keyed(2)};
  }
};

}  // namespace

// Both that get the message note it, so that the check finds if they differ.
auto Rep4::receive_input(Party& party, Rank owner, std::vector<std::byte> sent, size_t n_bytes)
    -> Task<std::vector<std::byte>> {
  const JointMessage message = InputRoles{owner}.message();
  if (party.rank() == owner) {
    party.send(message.voucher, sent);
    party.send(message.receiver, sent);
    co_await party.next_round();
    co_return std::vector<std::byte>();
  }
  if (party.rank() != message.voucher && party.rank() != message.receiver) {
    co_await party.next_round();
    co_return std::vector<std::byte>();
  }
  std::vector<std::byte> got(n_bytes);
  co_await party.receive(owner, got);
  messages_->note(message, got);
  co_return got;
}

namespace {

/// The parts of an input that come from keys, and at the owner the one that is sent.
template <class Form>
auto begin_input(Party& party, JointMessages& messages, Rank owner,
                 const typename Form::Array& values, const Form& form) -> typename Form::Shared {
  const InputRoles roles{owner};
  const Rank own = party.rank();
  typename Form::Shared shared = form.zeros(party);
  typename Form::Array rest = values;
  for (const Rank keyed : {roles.keyed(1), roles.keyed(2)}) {
    if (own != keyed) {
      typename Form::Array mask = form.draw(party, messages.key(keyed));
      if (own == owner) {
        rest = form.minus(rest, mask);
      }
      shared.parts[slot_of(own, keyed)] = std::move(mask);
    }
  }
  if (own == owner) {
    shared.parts[slot_of(own, roles.sent())] = std::move(rest);
  }
  return shared;
}

}  // namespace

auto Rep4::share(Party& party, Rank owner, RingArray values, Ring ring, size_t n) -> Task<Share> {
  const Party::Scope scope = party.scope("share");
  TACET_CHECK(party.rank() != owner || (values.ring() == ring && values.size() == n),
              "not the values that were announced");
  const WordsForm form = WordsForm::of(ring, n);
  Share shared = begin_input(party, *messages_, owner, values, form);
  const Rank part = InputRoles{owner}.sent();
  std::vector<std::byte> bytes;
  if (party.rank() == owner) {
    bytes.resize(form.n_bytes());
    form.write(shared.parts[slot_of(owner, part)], bytes);
  }
  const std::vector<std::byte> got =
      co_await receive_input(party, owner, std::move(bytes), form.n_bytes());
  if (!got.empty()) {
    shared.parts[slot_of(party.rank(), part)] = form.read(party, got);
  }
  co_return shared;
}

auto Rep4::share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
    -> Task<Bits> {
  const Party::Scope scope = party.scope("share_bits");
  TACET_CHECK(party.rank() != owner || (values.width() == width && values.size() == n),
              "not the bits that were announced");
  const PlanesForm form{.width = width, .n = n};
  Bits shared = begin_input(party, *messages_, owner, values, form);
  const Rank part = InputRoles{owner}.sent();
  std::vector<std::byte> bytes;
  if (party.rank() == owner) {
    bytes.resize(form.n_bytes());
    form.write(shared.parts[slot_of(owner, part)], bytes);
  }
  const std::vector<std::byte> got =
      co_await receive_input(party, owner, std::move(bytes), form.n_bytes());
  if (!got.empty()) {
    shared.parts[slot_of(party.rank(), part)] = form.read(party, got);
  }
  co_return shared;
}

auto Rep4::random_share(Party& party, Ring ring, size_t n) -> Task<Share> {
  const WordsForm form = WordsForm::of(ring, n);
  Share drawn = form.zeros(party);
  for (size_t slot = 0; slot < drawn.n_parts; ++slot) {
    drawn.parts[slot] = form.draw(party, messages_->key(part_in(party.rank(), slot)));
  }
  co_return drawn;
}

auto Rep4::random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> {
  const PlanesForm form{.width = width, .n = n};
  Bits drawn = form.zeros(party);
  for (size_t slot = 0; slot < drawn.n_parts; ++slot) {
    drawn.parts[slot] = form.draw(party, messages_->key(part_in(party.rank(), slot)));
  }
  co_return drawn;
}

// Party m gets part m from party m + 1, and its tag from party m + 2.
auto Rep4::open_bytes(Party& party, std::optional<Rank> receiver,
                      std::array<std::vector<std::byte>, kRep4Parties> parts, size_t n_bytes)
    -> Task<std::vector<std::byte>> {
  const auto opening_for = [](Rank to) {
    return JointMessage{
        .sender = (to + 1) % kRep4Parties, .voucher = (to + 2) % kRep4Parties, .receiver = to};
  };
  std::vector<std::byte> part;
  Gmac::Tag tag{};
  std::vector<Receipt> receipts;
  for (Rank to = 0; to < kRep4Parties; ++to) {
    const JointMessage message = opening_for(to);
    if (receiver.value_or(to) != to) {
      continue;
    }
    if (party.rank() == message.sender) {
      party.send(to, parts[to]);
    } else if (party.rank() == message.voucher) {
      const Gmac::Tag own = messages_->tag_of_opening(message, parts[to]);
      party.send(to, own);
    } else if (party.rank() == to) {
      part.resize(n_bytes);
      receipts.push_back({.from = message.sender, .into = part});
      receipts.push_back({.from = message.voucher, .into = tag});
    }
  }
  const bool is_mine = !receipts.empty();
  co_await party.receive(std::move(receipts));
  if (is_mine) {
    const JointMessage message = opening_for(party.rank());
    if (messages_->tag_of_opening(message, part) != tag) {
      party.accuse({.check = "openings", .first = message.sender, .second = message.voucher});
    }
  }
  if (party.lie()) {
    co_await party.next_round();
  }
  co_return part;
}

auto Rep4::open_checked(Party& party, Checked /*checked*/, Share x, unsigned count,
                        std::optional<Rank> receiver) -> Task<RingArray> {
  const Party::Scope scope = party.scope("open");
  const size_t size = cut_size(count) * x.size();
  std::array<std::vector<std::byte>, kRep4Parties> parts;
  RingArray sum = RingArray::zeros(x.ring(), x.size(), party.memory());
  for (size_t slot = 0; slot < x.n_parts; ++slot) {
    std::vector<std::byte>& bytes = parts[part_in(party.rank(), slot)];
    bytes.resize(size);
    cut_words(x.parts[slot], count, bytes);
    sum = add(sum, x.parts[slot]);
  }
  const std::vector<std::byte> missing =
      co_await open_bytes(party, receiver, std::move(parts), size);
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_return RingArray();
  }
  const RingArray last = uncut_words(missing, count, x.ring(), x.size(), party.memory());
  co_return low_bits(add(sum, last), count);
}

auto Rep4::open_bits_checked(Party& party, Checked /*checked*/, Bits x,
                             std::optional<Rank> receiver) -> Task<BitPlanes> {
  const Party::Scope scope = party.scope("open_bits");
  const size_t size = BitPlanes::packed_size(x.width(), x.size());
  std::array<std::vector<std::byte>, kRep4Parties> parts;
  BitPlanes sum = BitPlanes::zeros(x.width(), x.size(), party.memory());
  for (size_t slot = 0; slot < x.n_parts; ++slot) {
    std::vector<std::byte>& bytes = parts[part_in(party.rank(), slot)];
    bytes.resize(size);
    pack(x.parts[slot], bytes);
    sum = exclusive_or(sum, x.parts[slot]);
  }
  const std::vector<std::byte> missing =
      co_await open_bytes(party, receiver, std::move(parts), size);
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_return BitPlanes();
  }
  co_return exclusive_or(sum, unpack(missing, x.width(), x.size(), party.memory()));
}

}  // namespace tacet::mpc
