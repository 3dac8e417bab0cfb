#include <algorithm>
#include <array>

#include "base/cpu.h"
#include "base/wipe.h"
#include "engine/mpc/aby3/aby3.h"
#include "engine/mpc/aby3/aby3_protocol.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {

auto make_aby3() -> std::unique_ptr<Protocol> {
  return std::make_unique<Aby3>();
}

PartKeys::PartKeys(const secure_random::AesKey& first, const secure_random::AesKey& second,
                   const secure_random::AesKey& common)
    : of_parts_{{first, secure_random::AesBlock{}, best_isa()},
                {second, secure_random::AesBlock{}, best_isa()}},
      common_(common, secure_random::AesBlock{}, best_isa()) {}

auto PartKeys::words(const Party& party, size_t part, Ring ring, size_t n) -> RingArray {
  RingArray words(ring, n, party.memory());
  of_part(part).fill(words.edit_bytes());
  return words;
}

auto PartKeys::planes(const Party& party, size_t part, unsigned width, size_t n) -> BitPlanes {
  BitPlanes planes(width, n, party.memory());
  of_part(part).fill(std::as_writable_bytes(planes.edit()));
  return planes;
}

auto Aby3::start(Party& party) -> Task<> {
  TACET_CHECK(party.n_parties() == kParties, "aby3 is for three parties");
  secure_random::AesKey own{};
  secure_random::AesKey next{};
  secure_random::AesKey common{};
  party.random().fill(own);
  party.send(party.other(2), own);
  std::vector<Receipt> receipts{{.from = party.other(1), .into = next}};
  if (party.rank() == 0) {
    party.random().fill(common);
    party.send(1, common);
    party.send(2, common);
  } else {
    receipts.push_back({.from = 0, .into = common});
  }
  co_await party.receive(std::move(receipts));
  keys_.emplace(own, next, common);
  wipe(std::span(own));
  wipe(std::span(next));
  wipe(std::span(common));
  co_return kDone;
}

auto Aby3::next_roles(const Party& party) -> Roles {
  const Rank leader = next_leader_;
  next_leader_ = (next_leader_ + 1) % kParties;
  return {.leader = leader, .own = (party.rank() + kParties - leader) % kParties};
}

auto Aby3::constant_part(const Party& party) const -> std::optional<size_t> {
  // To part 0 of all, which parties 0 and 2 hold.
  switch (party.rank()) {
    case 0:
      return 0;
    case 2:
      return 1;
    default:
      return std::nullopt;
  }
}

// The owner's first part comes from the key of that part, its second one is what is missing; the
// third part, which it does not hold, is zero.
auto Aby3::share(Party& party, Rank owner, RingArray values, Ring ring, size_t n) -> Task<Share> {
  const Party::Scope scope = party.scope("share");
  const Rank own = (party.rank() + kParties - owner) % kParties;
  if (own == 0) {
    TACET_CHECK(values.ring() == ring && values.size() == n, "not the values that were announced");
    RingArray first = keys_->words(party, 0, ring, n);
    RingArray second = subtract(values, first);
    party.send(party.other(1), second.bytes());
    co_await party.next_round();
    co_return Share(std::move(first), std::move(second));
  }
  RingArray zero = RingArray::zeros(ring, n, party.memory());
  if (own == 1) {
    RingArray first(ring, n, party.memory());
    co_await party.receive(owner, first.edit_bytes());
    co_return Share(std::move(first), std::move(zero));
  }
  RingArray second = keys_->words(party, 1, ring, n);
  co_await party.next_round();
  co_return Share(std::move(zero), std::move(second));
}

auto Aby3::share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
    -> Task<Bits> {
  const Party::Scope scope = party.scope("share_bits");
  const Roles roles{.leader = owner, .own = (party.rank() + kParties - owner) % kParties};
  if (roles.own == 0) {
    TACET_CHECK(values.width() == width && values.size() == n, "not the bits that were announced");
  }
  co_return co_await share_from_leader(party, roles, std::move(values), width, n);
}

auto Aby3::share_from_leader(Party& party, Roles roles, BitPlanes values, unsigned width, size_t n)
    -> Task<Bits> {
  std::vector<std::byte> packed(roles.own == 2 ? 0 : BitPlanes::packed_size(width, n));
  if (roles.own == 0) {
    BitPlanes first = keys_->planes(party, 0, width, n);
    BitPlanes second = exclusive_or(values, first);
    pack(second, packed);
    party.send(party.other(1), packed);
    co_await party.next_round();
    co_return Bits(std::move(first), std::move(second));
  }
  BitPlanes zero = BitPlanes::zeros(width, n, party.memory());
  if (roles.own == 1) {
    co_await party.receive(roles.leader, packed);
    co_return Bits(unpack(packed, width, n, party.memory()), std::move(zero));
  }
  BitPlanes second = keys_->planes(party, 1, width, n);
  co_await party.next_round();
  co_return Bits(std::move(zero), std::move(second));
}

auto Aby3::random_share(Party& party, Ring ring, size_t n) -> Task<Share> {
  RingArray first = keys_->words(party, 0, ring, n);
  RingArray second = keys_->words(party, 1, ring, n);
  co_return Share(std::move(first), std::move(second));
}

auto Aby3::random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> {
  BitPlanes first = keys_->planes(party, 0, width, n);
  BitPlanes second = keys_->planes(party, 1, width, n);
  co_return Bits(std::move(first), std::move(second));
}

// The receiver of a secret lacks the part that the next party holds second.
auto Aby3::open_checked(Party& party, Checked /*checked*/, Share x, unsigned count,
                        std::optional<Rank> receiver) -> Task<RingArray> {
  const Party::Scope scope = party.scope("open");
  const size_t size = cut_size(count) * x.size();
  if (receiver.value_or(party.other(2)) == party.other(2)) {
    std::vector<std::byte> cut(size);
    cut_words(x.parts[1], count, cut);
    party.send(party.other(2), cut);
  }
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_await party.next_round();
    co_return RingArray();
  }
  std::vector<std::byte> cut(size);
  co_await party.receive(party.other(1), cut);
  const RingArray third = uncut_words(cut, count, x.ring(), x.size(), party.memory());
  co_return low_bits(add(add(x.parts[0], x.parts[1]), third), count);
}

auto Aby3::open_bits_checked(Party& party, Checked /*checked*/, Bits x,
                             std::optional<Rank> receiver) -> Task<BitPlanes> {
  const Party::Scope scope = party.scope("open_bits");
  std::vector<std::byte> packed(BitPlanes::packed_size(x.width(), x.size()));
  if (receiver.value_or(party.other(2)) == party.other(2)) {
    pack(x.parts[1], packed);
    party.send(party.other(2), packed);
  }
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_await party.next_round();
    co_return BitPlanes();
  }
  co_await party.receive(party.other(1), packed);
  const BitPlanes third = unpack(packed, x.width(), x.size(), party.memory());
  co_return exclusive_or(exclusive_or(x.parts[0], x.parts[1]), third);
}

}  // namespace tacet::mpc
