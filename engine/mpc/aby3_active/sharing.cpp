#include <algorithm>
#include <array>

#include "base/cpu.h"
#include "base/wipe.h"
#include "engine/mpc/aby3_active/aby3_active.h"
#include "engine/mpc/aby3_active/active_protocol.h"
#include "engine/mpc/aby3_active/digest.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {

auto make_aby3_active() -> std::unique_ptr<Protocol> {
  return std::make_unique<Aby3Active>();
}

ActiveKeys::ActiveKeys(const secure_random::AesKey& first, const secure_random::AesKey& second)
    : of_parts_{{{first, secure_random::AesBlock{}, best_isa()},
                 {second, secure_random::AesBlock{}, best_isa()}}} {}

auto ActiveKeys::words(const Party& party, size_t part, Ring ring, size_t n) -> RingArray {
  RingArray words(ring, n, party.memory());
  of_part(part).fill(words.edit_bytes());
  return words;
}

auto ActiveKeys::planes(const Party& party, size_t part, unsigned width, size_t n) -> BitPlanes {
  BitPlanes planes(width, n, party.memory());
  of_part(part).fill(std::as_writable_bytes(planes.edit()));
  return planes;
}

auto own_part(const Party& party, Rank part) -> std::optional<size_t> {
  if (part == party.rank()) {
    return 0;
  }
  return part == party.other(1) ? std::optional<size_t>(1) : std::nullopt;
}

auto from_part(const Party& party, Rank part, const RingArray& words) -> Share {
  Share out = zero_share(2, words.ring(), words.size(), party.memory());
  if (const std::optional<size_t> own = own_part(party, part)) {
    out.parts[*own] = words;
  }
  return out;
}

auto from_part(const Party& party, Rank part, const BitPlanes& planes) -> Bits {
  Bits out = zero_bits(2, planes.width(), planes.size(), party.memory());
  if (const std::optional<size_t> own = own_part(party, part)) {
    out.parts[*own] = planes;
  }
  return out;
}

// Key i is party i's, which gives it to party i - 1: the other two never share one with a liar
// that it could give them differently.
auto Aby3Active::start(Party& party) -> Task<> {
  TACET_CHECK(party.n_parties() == kActiveParties, "aby3-active is for three parties");
  secure_random::AesKey own{};
  secure_random::AesKey next{};
  party.random().fill(own);
  party.send(party.other(2), own);
  co_await party.receive(party.other(1), next);
  keys_.emplace(own, next);
  wipe(std::span(own));
  wipe(std::span(next));
  co_return kDone;
}

auto Aby3Active::constant_part(const Party& party) const -> std::optional<size_t> {
  return own_part(party, 0);
}

// Whatever the owner sends is an input: its second part, of which only the next party has a copy.
auto Aby3Active::share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
    -> Task<Share> {
  const Party::Scope scope = party.scope("share");
  const Rank own = (party.rank() + kActiveParties - owner) % kActiveParties;
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

auto Aby3Active::share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
    -> Task<Bits> {
  const Party::Scope scope = party.scope("share_bits");
  const Rank own = (party.rank() + kActiveParties - owner) % kActiveParties;
  std::vector<std::byte> packed(own == 2 ? 0 : BitPlanes::packed_size(width, n));
  if (own == 0) {
    TACET_CHECK(values.width() == width && values.size() == n, "not the bits that were announced");
    BitPlanes first = keys_->planes(party, 0, width, n);
    BitPlanes second = exclusive_or(values, first);
    pack(second, packed);
    party.send(party.other(1), packed);
    co_await party.next_round();
    co_return Bits(std::move(first), std::move(second));
  }
  BitPlanes zero = BitPlanes::zeros(width, n, party.memory());
  if (own == 1) {
    co_await party.receive(owner, packed);
    co_return Bits(unpack(packed, width, n, party.memory()), std::move(zero));
  }
  BitPlanes second = keys_->planes(party, 1, width, n);
  co_await party.next_round();
  co_return Bits(std::move(zero), std::move(second));
}

auto Aby3Active::random_share(Party& party, Ring ring, size_t n) -> Task<Share> {
  RingArray first = keys_->words(party, 0, ring, n);
  RingArray second = keys_->words(party, 1, ring, n);
  co_return Share(std::move(first), std::move(second));
}

auto Aby3Active::random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> {
  BitPlanes first = keys_->planes(party, 0, width, n);
  BitPlanes second = keys_->planes(party, 1, width, n);
  co_return Bits(std::move(first), std::move(second));
}

// A receiver lacks the part that the next party holds second and the one before it holds first.
auto Aby3Active::exchange_parts(Party& party, std::span<const std::byte> first,
                                std::span<const std::byte> second, std::optional<Rank> receiver)
    -> Task<std::vector<std::byte>> {
  const Digest digest = digest_of(first);
  if (receiver.value_or(party.other(2)) == party.other(2)) {
    party.send(party.other(2), second);
  }
  if (receiver.value_or(party.other(1)) == party.other(1)) {
    party.send(party.other(1), digest);
  }
  std::vector<std::byte> third;
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_await party.next_round();
    co_return third;
  }
  third.resize(second.size());
  Digest expected{};
  std::vector<Receipt> receipts;
  receipts.push_back({.from = party.other(1), .into = third});
  receipts.push_back({.from = party.other(2), .into = expected});
  co_await party.receive(std::move(receipts));
  // Honest parties' digests are equal whatever is opened.
  if (!are_equal(digest_of(third), expected)) {
    party.accuse({.check = "openings", .first = party.other(1), .second = party.other(2)});
    co_await party.next_round();
  }
  co_return third;
}

auto Aby3Active::open_checked(Party& party, Checked /*checked*/, Share x, unsigned count,
                              std::optional<Rank> receiver) -> Task<RingArray> {
  const Party::Scope scope = party.scope("open");
  std::vector<std::byte> first(cut_size(count) * x.size());
  std::vector<std::byte> second(first.size());
  cut_words(low_bits(x.parts[0], count), count, first);
  cut_words(low_bits(x.parts[1], count), count, second);
  const std::vector<std::byte> cut = co_await exchange_parts(party, first, second, receiver);
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_return RingArray();
  }
  const RingArray third = uncut_words(cut, count, x.ring(), x.size(), party.memory());
  co_return low_bits(add(add(x.parts[0], x.parts[1]), third), count);
}

auto Aby3Active::open_bits_checked(Party& party, Checked /*checked*/, Bits x,
                                   std::optional<Rank> receiver) -> Task<BitPlanes> {
  const Party::Scope scope = party.scope("open_bits");
  std::vector<std::byte> first(BitPlanes::packed_size(x.width(), x.size()));
  std::vector<std::byte> second(first.size());
  pack(x.parts[0], first);
  pack(x.parts[1], second);
  const std::vector<std::byte> packed = co_await exchange_parts(party, first, second, receiver);
  if (receiver.value_or(party.rank()) != party.rank()) {
    co_return BitPlanes();
  }
  const BitPlanes third = unpack(packed, x.width(), x.size(), party.memory());
  co_return exclusive_or(exclusive_or(x.parts[0], x.parts[1]), third);
}

auto Aby3Active::check_agreement(Party& party, std::vector<std::byte> bytes) -> Task<> {
  const Party::Scope scope = party.scope("check_agreement");
  const Digest own = digest_of(bytes);
  std::array<Digest, 2> theirs{};
  std::vector<Receipt> receipts;
  for (Rank distance = 1; distance < kActiveParties; ++distance) {
    party.send(party.other(distance), own);
    receipts.push_back({.from = party.other(distance), .into = theirs[distance - 1]});
  }
  co_await party.receive(std::move(receipts));
  for (Rank distance = 1; distance < kActiveParties; ++distance) {
    if (!are_equal(theirs[distance - 1], own)) {
      party.accuse({.check = "agreement", .first = party.other(1), .second = party.other(2)});
      co_await party.next_round();
    }
  }
  co_return kDone;
}

}  // namespace tacet::mpc
