#include <algorithm>
#include <array>
#include <vector>

#include "engine/mpc/aby3/aby3_protocol.h"
#include "engine/mpc/aby3/masks.h"
#include "engine/mpc/word_bytes.h"

/// Truncation. The secret, moved up by a quarter of the ring so that it is not negative (modulo
/// 2^128 by a bit less, so that the product of the least number of 64 bits with itself fits), is
/// a + b - w 2^k with a number a of the leader's and a number b of both others'. As its top bit is
/// zero, w is the disjunction of the top bits of a and b. So x / 2^f is, but for rounding,
///
///     a / 2^f + b / 2^f - w 2^(k-f) - 2^(k-2-f)
///
/// which the leader knows but for b: a sum of b's part and one of two candidates of its own,
/// A0 = a / 2^f - msb(a) 2^(k-f) and A1 = a / 2^f - 2^(k-f), chosen by the top bit of b. One
/// quotient is rounded down and one up: the error is less than one, and zero on average.
///
/// Both others learn the candidate under a mask: the leader sends A0 - z0 - z1 + m 2^(k-f) and the
/// f bits of (A1 - A0) / 2^(k-f) + m' - m to party 1, with masks m and m' that party 2 knows too,
/// of which party 2 sends the one that the bit chooses; and the same to party 2, by party 1. All of
/// that is one round.
namespace tacet::mpc {

namespace {

/// Roles of a kernel's chunk, in words.
template <class T>
struct Shift {
  unsigned f;
  static constexpr unsigned kBits = 8 * sizeof(T);

  auto weight() const -> unsigned { return kBits - f; }
  auto offset() const -> T { return static_cast<T>(truncation_offset(kBits, f)); }
  /// Rounded up, and without the offset.
  auto of_others(T b) const -> T {
    const T rest = b & low_mask<T>(f);
    return static_cast<T>((b >> f) + (rest != 0 ? 1 : 0) - (offset() >> f));
  }
};

template <class T>
auto top_bit(T x) -> T {
  return static_cast<T>(x >> (8 * sizeof(T) - 1));
}

/// What the leader sends to one of the others.
template <class T>
struct Offer {
  std::vector<T> first;
  std::vector<T> difference;

  explicit Offer(size_t n) : first(n), difference(n) {}

  void make(std::span<const T> a, const T* z0, const T* z1, const std::vector<T>& masks,
            Shift<T> shift) {
    const size_t n = a.size();
    for (size_t i = 0; i < n; ++i) {
      const T value = static_cast<T>(a[i] + shift.offset());
      const T top = top_bit(value);
      const T candidate = static_cast<T>((value >> shift.f) - (top << shift.weight()));
      first[i] = static_cast<T>(candidate - z0[i] - z1[i] + (masks[i] << shift.weight()));
      difference[i] = static_cast<T>(top - 1 + masks[n + i] - masks[i]);
    }
  }
};

/// Sizes of the pieces that an array is worked on in.
template <class T, class Body>
void for_chunks(size_t n, Body body) {
  constexpr size_t kChunk = kChunkBytes / sizeof(T);
  for (size_t begin = 0; begin < n; begin += kChunk) {
    body(begin, std::min(kChunk, n - begin));
  }
}

/// Fills a piece of one part from its key, and masks for both candidates behind it.
template <class T>
void draw(secure_random::AesCtr& key, std::span<T> part, std::vector<T>& masks) {
  key.fill(std::as_writable_bytes(part));
  masks.resize(2 * part.size());
  key.fill(std::as_writable_bytes(std::span(masks)));
}

/// The leader's side: draws its two parts and sends both others their offers.
template <class T>
void send_offers(Party& party, PartKeys& keys, unsigned f, std::span<const T> a, std::span<T> z0,
                 std::span<T> z1) {
  const size_t size = cut_size(f);
  for_chunks<T>(a.size(), [&](size_t begin, size_t count) {
    std::vector<T> masks0;
    std::vector<T> masks1;
    draw(keys.of_part(0), z0.subspan(begin, count), masks0);
    draw(keys.of_part(1), z1.subspan(begin, count), masks1);
    Offer<T> offer(count);
    std::vector<std::byte> cut(size * count);
    auto send_offer = [&](Rank to, const std::vector<T>& masks) {
      offer.make(a.subspan(begin, count), &z0[begin], &z1[begin], masks, {.f = f});
      party.send(to, std::as_bytes(std::span(offer.first)));
      cut_words<T>(offer.difference, f, cut.data());
      party.send(to, cut);
    };
    send_offer(party.other(1), masks0);
    send_offer(party.other(2), masks1);
  });
}

/// Draws the part whose key the leader has too, and sends the other of both others the masks that
/// the top bits of `b` choose.
template <class T>
void send_chosen_masks(Party& party, secure_random::AesCtr& key, Rank peer, unsigned f,
                       std::span<const T> b, std::span<T> part) {
  for_chunks<T>(b.size(), [&](size_t begin, size_t count) {
    std::vector<T> masks;
    draw(key, part.subspan(begin, count), masks);
    for (size_t i = 0; i < count; ++i) {
      const T choice = static_cast<T>(0 - top_bit(b[begin + i]));
      masks[i] ^= (masks[i] ^ masks[count + i]) & choice;
    }
    std::vector<std::byte> cut(cut_size(f) * count);
    cut_words<T>(std::span<const T>(masks).first(count), f, cut.data());
    party.send(peer, cut);
  });
}

/// The candidates of `b`'s top bits without their masks, and the quotients of `b`.
template <class T>
void add_chosen(const std::vector<std::byte>& offers, const std::vector<std::byte>& chosen,
                unsigned f, std::span<const T> b, std::span<T> part) {
  const Shift<T> shift{.f = f};
  const size_t size = cut_size(f);
  for_chunks<T>(b.size(), [&](size_t begin, size_t count) {
    std::vector<T> candidates(count);
    std::vector<T> differences(count);
    std::vector<T> masks(count);
    const std::byte* offer = offers.data() + begin * (sizeof(T) + size);
    std::memcpy(candidates.data(), offer, count * sizeof(T));
    uncut_words<T>(offer + count * sizeof(T), f, differences);
    uncut_words<T>(chosen.data() + begin * size, f, masks);
    for (size_t i = 0; i < count; ++i) {
      const T y = b[begin + i];
      const T choice = static_cast<T>(0 - top_bit(y));
      part[begin + i] = static_cast<T>(shift.of_others(y) + candidates[i] +
                                       (((differences[i] & choice) - masks[i]) << shift.weight()));
    }
  });
}

auto truncate_exactly(Party& party, PartKeys& keys, Roles roles, Split split, size_t n, Ring ring,
                      unsigned f) -> Task<Share> {
  RingArray first(ring, n, party.memory());
  RingArray second(ring, n, party.memory());
  if (roles.own == 0) {
    with_word(ring, [&]<class T>(std::type_identity<T>) {
      send_offers<T>(party, keys, f, split.leaders.words<T>(), first.edit<T>(), second.edit<T>());
    });
    co_await party.next_round();
    co_return Share(std::move(first), std::move(second));
  }

  // Of the two parts, one comes from the key that the leader has too; the other one is made here.
  const size_t keyed = roles.own == 1 ? 0 : 1;
  const Rank peer = roles.own == 1 ? party.other(1) : party.other(2);
  const RingArray& b = split.others;
  RingArray& drawn = keyed == 0 ? first : second;
  RingArray& made = keyed == 0 ? second : first;
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    send_chosen_masks<T>(party, keys.of_part(keyed), peer, f, b.words<T>(), drawn.edit<T>());
  });
  std::vector<std::byte> offers(n * (n_bytes(ring) + cut_size(f)));
  std::vector<std::byte> chosen(n * cut_size(f));
  std::vector<Receipt> receipts;
  receipts.push_back({.from = roles.leader, .into = offers});
  receipts.push_back({.from = peer, .into = chosen});
  co_await party.receive(std::move(receipts));
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    add_chosen<T>(offers, chosen, f, b.words<T>(), made.edit<T>());
  });
  co_return Share(std::move(first), std::move(second));
}

// The same sum of numbers that are uniform, each by itself. Shares of inputs and of public values
// have parts that are zero, and what is computed from those locally keeps them. Nobody learns from
// the mask: every party could have drawn it itself, and each has one of the two numbers already.
auto made_uniform(const Party& party, PartKeys& keys, Roles roles, Split split, size_t n, Ring ring)
    -> Split {
  RingArray mask(ring, n, party.memory());
  keys.common().fill(mask.edit_bytes());
  if (roles.own == 0) {
    return {.leaders = add(split.leaders, mask), .others = {}};
  }
  return {.leaders = {}, .others = subtract(split.others, mask)};
}

// Without the choice: each side shifts what it has (Mohassel and Zhang, "SecureML", 4.1, with one
// side rounded up). The leader's quotient becomes parts 0 and 1, that of the others is part 2. The
// sum of both sides runs over with probability |x| / 2^k if they are uniform, whatever x is; it
// does for every negative x that one side has alone.
auto truncate_roughly(Party& party, PartKeys& keys, Roles roles, Split split, size_t n, Ring ring,
                      unsigned f) -> Task<Share> {
  split = made_uniform(party, keys, roles, std::move(split), n, ring);
  if (roles.own == 0) {
    RingArray first = keys.words(party, 0, ring, n);
    RingArray second = subtract(shift_right(split.leaders, f), first);
    party.send(party.other(1), second.bytes());
    co_await party.next_round();
    co_return Share(std::move(first), std::move(second));
  }
  RingArray common = negate(shift_right(negate(split.others), f));
  if (roles.own == 1) {
    RingArray first(ring, n, party.memory());
    co_await party.receive(roles.leader, first.edit_bytes());
    co_return Share(std::move(first), std::move(common));
  }
  RingArray second = keys.words(party, 1, ring, n);
  co_await party.next_round();
  co_return Share(std::move(common), std::move(second));
}

auto truncate_split(Party& party, PartKeys& keys, Roles roles, Split split, size_t n, Ring ring,
                    unsigned f, Truncation how) -> Task<Share> {
  TACET_CHECK(f > 0 && f < n_bits(ring) - 1, "a truncation by all bits or none");
  return how == Truncation::Exact
             ? truncate_exactly(party, keys, roles, std::move(split), n, ring, f)
             : truncate_roughly(party, keys, roles, std::move(split), n, ring, f);
}

}  // namespace

auto Aby3::split_product(Party& party, Roles roles, RingArray local) -> Task<Split> {
  mask(local);
  if (roles.own == 0) {
    RingArray next = local.like();
    co_await party.receive(party.other(1), next.edit_bytes());
    co_return Split{.leaders = add(local, next), .others = {}};
  }
  if (roles.own == 1) {
    party.send(roles.leader, local.bytes());
    RingArray common = local.like();
    co_await party.receive(party.other(1), common.edit_bytes());
    co_return Split{.leaders = {}, .others = std::move(common)};
  }
  party.send(party.other(2), local.bytes());
  co_await party.next_round();
  co_return Split{.leaders = {}, .others = std::move(local)};
}

namespace {

/// Arrays of so many chunks are worked on in three parts, each with another leader.
constexpr size_t kChunksToDivide = 3;

auto is_to_be_divided(size_t n, Ring ring) -> bool {
  return n * n_bytes(ring) >= kChunksToDivide * kChunkBytes;
}

/// Where part `i` of three begins.
auto third(size_t n, size_t i) -> size_t {
  return n * i / 3 / 64 * 64;
}
auto third_of(const Share& x, size_t i) -> Share {
  const size_t n = x.size();
  const size_t end = i == 2 ? n : third(n, i + 1);
  return slice(x, third(n, i), end - third(n, i));
}

}  // namespace

auto Aby3::truncate(Party& party, Share x, unsigned f, Truncation how) -> Task<Share> {
  const Party::Scope scope = party.scope("trunc_s");
  if (is_to_be_divided(x.size(), x.ring())) {
    std::vector<Task<Share>> tasks;
    for (size_t i = 0; i < 3; ++i) {
      const Roles roles = next_roles(party);
      const Share part = third_of(x, i);
      tasks.push_back(truncate_split(party, *keys_, roles, split_share(roles, part), part.size(),
                                     x.ring(), f, how));
    }
    const std::vector<Share> parts = co_await all(std::move(tasks));
    co_return concatenate(parts);
  }
  const Roles roles = next_roles(party);
  co_return co_await truncate_split(party, *keys_, roles, split_share(roles, x), x.size(), x.ring(),
                                    f, how);
}

auto Aby3::truncate_sum(Party& party, RingArray local, unsigned f, Truncation how) -> Task<Share> {
  const Roles roles = next_roles(party);
  const size_t n = local.size();
  const Ring ring = local.ring();
  Split split = co_await split_product(party, roles, std::move(local));
  co_return co_await truncate_split(party, *keys_, roles, std::move(split), n, ring, f, how);
}

auto Aby3::multiply_truncate(Party& party, Share x, Share y, unsigned f, Truncation how)
    -> Task<Share> {
  const Party::Scope scope = party.scope("mul_trunc_ss");
  if (is_to_be_divided(x.size(), x.ring())) {
    std::vector<Task<Share>> tasks;
    for (size_t i = 0; i < 3; ++i) {
      tasks.push_back(truncate_sum(party, local_product(third_of(x, i), third_of(y, i)), f, how));
    }
    const std::vector<Share> parts = co_await all(std::move(tasks));
    co_return concatenate(parts);
  }
  co_return co_await truncate_sum(party, local_product(x, y), f, how);
}

auto Aby3::dot_truncate(Party& party, Share x, Share y, size_t length, unsigned f, Truncation how)
    -> Task<Share> {
  const Party::Scope scope = party.scope("dot_trunc_ss");
  co_return co_await truncate_sum(party, local_dot(x, y, length), f, how);
}

auto Aby3::multiply_matrices_truncate(Party& party, Share x, Share y, MatrixShape shape, unsigned f,
                                      Truncation how) -> Task<Share> {
  const Party::Scope scope = party.scope("matmul_trunc_ss");
  co_return co_await truncate_sum(party, local_matrix_product(x, y, shape), f, how);
}

}  // namespace tacet::mpc
