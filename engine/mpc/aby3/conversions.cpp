#include <array>

#include "engine/mpc/aby3/aby3_protocol.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {

// Below, part numbers count from the leader's: part 0 is known to the leader and to party 2 behind
// it, part 1 to the leader and party 1, part 2 to parties 1 and 2.

auto split_share(Roles roles, const Share& x) -> Split {
  switch (roles.own) {
    case 0:
      return {.leaders = add(x.parts[0], x.parts[1]), .others = {}};
    case 1:
      return {.leaders = {}, .others = x.parts[1]};
    default:
      return {.leaders = {}, .others = x.parts[0]};
  }
}

/// Bits of a number that parties 1 and 2 know, as shares: parts 0 and 1 are zero.
static auto from_others(const Party& party, Roles roles, BitPlanes known, unsigned width, size_t n)
    -> Bits {
  BitPlanes zero = BitPlanes::zeros(width, n, party.memory());
  switch (roles.own) {
    case 0:
      return {zero, zero};
    case 1:
      return {zero, std::move(known)};
    default:
      return {std::move(known), zero};
  }
}

auto planes_of(Roles roles, const Split& split, unsigned width) -> SplitPlanes {
  return roles.own == 0 ? SplitPlanes{to_planes(split.leaders, width), {}}
                        : SplitPlanes{{}, to_planes(split.others, width)};
}

auto Aby3::summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> {
  const Party::Scope scope = party.scope("summands");
  const Roles roles = next_roles(party);
  SplitPlanes split = planes_of(roles, split_share(roles, x), width);
  const size_t n = x.size();
  std::vector<Bits> terms;
  terms.push_back(co_await share_from_leader(party, roles, std::move(split.known), width, n));
  terms.push_back(from_others(party, roles, std::move(split.theirs), width, n));
  co_return terms;
}

/// `carry` one place up, without what leaves at the top: the top carry has no place.
static auto with_empty_top(const Party& party, const BitPlanes& low) -> BitPlanes {
  const std::array<BitPlanes, 2> parts{low, BitPlanes::zeros(1, low.size(), party.memory())};
  return stack_planes(parts);
}

// With the leader's number a = a0 ^ a1 and the others' b, party 1 computes a1 b and party 2 a0 b:
// the conjunction's parts 1 and 0, but for a mask of their common key. Both are sent to the leader,
// which sends nothing.
auto Aby3::half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> {
  const Party::Scope scope = party.scope("half_sum");
  const Roles roles = next_roles(party);
  SplitPlanes split = planes_of(roles, split_share(roles, x), width);
  const size_t n = x.size();
  Bits sum = co_await share_from_leader(party, roles, std::move(split.known), width, n);

  const unsigned n_carries = width - 1;
  const size_t n_packed = BitPlanes::packed_size(n_carries, n);
  Bits carry;
  if (roles.own == 0) {
    std::vector<std::byte> packed0(n_packed);
    std::vector<std::byte> packed1(n_packed);
    std::vector<Receipt> receipts;
    receipts.push_back({.from = party.other(2), .into = packed0});
    receipts.push_back({.from = party.other(1), .into = packed1});
    co_await party.receive(std::move(receipts));
    carry = Bits(with_empty_top(party, unpack(packed0, n_carries, n, party.memory())),
                 with_empty_top(party, unpack(packed1, n_carries, n, party.memory())));
  } else {
    // Part 2 of the sum is b itself.
    const size_t mine = roles.own == 1 ? 0 : 1;
    sum.parts[1 - mine] = split.theirs;
    const size_t common_key = 1 - mine;
    const BitPlanes mask0 = keys_->planes(party, common_key, n_carries, n);
    const BitPlanes mask1 = keys_->planes(party, common_key, n_carries, n);
    const BitPlanes product = mpc::conjunction(plane_range(sum.parts[mine], 0, n_carries),
                                               plane_range(split.theirs, 0, n_carries));
    const BitPlanes masked = exclusive_or(product, roles.own == 1 ? mask1 : mask0);
    std::vector<std::byte> packed(n_packed);
    pack(masked, packed);
    party.send(roles.leader, packed);
    co_await party.next_round();
    carry.n_parts = 2;
    carry.parts[mine] = with_empty_top(party, masked);
    carry.parts[1 - mine] = with_empty_top(party, exclusive_or(mask0, mask1));
  }
  co_return HalfSum{.sum = std::move(sum), .carry = std::move(carry)};
}

// The leader's a and the others' b add up to zero if a = -b.
auto Aby3::zero_planes(Party& party, Share x, unsigned width) -> Task<Bits> {
  const Party::Scope scope = party.scope("zero_planes");
  const Roles roles = next_roles(party);
  const Split split = split_share(roles, x);
  BitPlanes known;
  BitPlanes theirs;
  if (roles.own == 0) {
    known = to_planes(split.leaders, width);
  } else {
    theirs = to_planes(negate(split.others), width);
  }
  const size_t n = x.size();
  Bits leaders = co_await share_from_leader(party, roles, std::move(known), width, n);
  if (roles.own != 0) {
    leaders.parts[roles.own == 1 ? 1 : 0] = std::move(theirs);
  }
  co_return leaders;
}

namespace {

/// Bytes of plane p of a number modulo 2^bits: its weight takes p bits away.
auto plane_size(Ring ring, unsigned p, size_t n) -> size_t {
  return cut_size(n_bits(ring) - p) * n;
}

auto all_planes_size(Ring ring, unsigned width, size_t n) -> size_t {
  size_t size = 0;
  for (unsigned p = 0; p < width; ++p) {
    size += plane_size(ring, p, n);
  }
  return size;
}

auto bit_words(const BitPlanes& x, unsigned p, Ring ring) -> RingArray {
  return from_planes(plane_range(x, p, 1), ring);
}

/// word if the bit of `d` is 0, -word if it is 1, times 2^p, added to `sum`.
void add_signed(RingArray& sum, const RingArray& words, const BitPlanes& d, unsigned p) {
  const std::span<const uint64_t> plane = d.plane(p);
  with_word(sum.ring(), [&]<class T>(std::type_identity<T>) {
    const T* from = words.words<T>().data();
    T* to = sum.edit<T>().data();
    for (size_t i = 0; i < sum.size(); ++i) {
      const T bit = static_cast<T>(plane[i / 64] >> (i % 64) & 1);
      const T flip = static_cast<T>(0 - bit);
      to[i] += static_cast<T>(((from[i] ^ flip) + bit) << p);
    }
  });
}

}  // namespace

// Each bit is c ^ d with a c of the leader's and a d of both others': c (1 - 2d) + d as a number.
// The leader shares c = c0 + c1 for each bit; parties 1 and 2 scale what they know of it, and send
// the leader its parts of the sum under a mask of their common key.
auto Aby3::bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> {
  const Party::Scope scope = party.scope("bits_to_arithmetic");
  const Roles roles = next_roles(party);
  const unsigned width = x.width();
  const size_t n = x.size();
  TACET_CHECK(width <= n_bits(ring), "more bits than a word has");
  if (roles.own == 0) {
    const BitPlanes c = exclusive_or(x.parts[0], x.parts[1]);
    std::vector<std::byte> cut;
    for (unsigned p = 0; p < width; ++p) {
      const RingArray c0 = keys_->words(party, 0, ring, n);
      cut.resize(plane_size(ring, p, n));
      cut_words(subtract(bit_words(c, p, ring), c0), n_bits(ring) - p, cut);
      party.send(party.other(1), cut);
    }
    co_await party.next_round();
    RingArray z0(ring, n, party.memory());
    RingArray z1(ring, n, party.memory());
    std::vector<Receipt> receipts;
    receipts.push_back({.from = party.other(2), .into = z0.edit_bytes()});
    receipts.push_back({.from = party.other(1), .into = z1.edit_bytes()});
    co_await party.receive(std::move(receipts));
    co_return Share(std::move(z0), std::move(z1));
  }

  const size_t mine = roles.own == 1 ? 0 : 1;
  const BitPlanes& d = x.parts[1 - mine];
  const RingArray mask0 = keys_->words(party, 1 - mine, ring, n);
  const RingArray mask1 = keys_->words(party, 1 - mine, ring, n);
  RingArray sum = roles.own == 1 ? mask1 : mask0;
  if (roles.own == 1) {
    std::vector<std::byte> cut(all_planes_size(ring, width, n));
    co_await party.receive(roles.leader, cut);
    std::span<const std::byte> rest = cut;
    for (unsigned p = 0; p < width; ++p) {
      const size_t size = plane_size(ring, p, n);
      const RingArray c1 = uncut_words(rest.first(size), n_bits(ring) - p, ring, n, party.memory());
      add_signed(sum, c1, d, p);
      rest = rest.subspan(size);
    }
  } else {
    for (unsigned p = 0; p < width; ++p) {
      add_signed(sum, keys_->words(party, 1, ring, n), d, p);
    }
    sum = add(sum, from_planes(d, ring));
    co_await party.next_round();
  }
  party.send(roles.leader, sum.bytes());
  co_await party.next_round();
  RingArray common = negate(add(mask0, mask1));
  co_return roles.own == 1 ? Share(std::move(sum), std::move(common))
                           : Share(std::move(common), std::move(sum));
}

}  // namespace tacet::mpc
