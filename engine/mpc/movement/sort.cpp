#include "engine/mpc/movement/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/compare_bits.h"
#include "engine/mpc/movement/partition.h"
#include "engine/mpc/movement/permutations.h"

namespace tacet::mpc {

/// Keys of at most so many bits are sorted bit by bit.
static constexpr unsigned kRadixBits = 8;

/// Sums of all elements up to each one.
static auto running_sums(const Share& x) -> Share {
  return map_parts(x, [](const RingArray& part) {
    return with_word(part.ring(), [&]<class T>(std::type_identity<T>) {
      RingArray sums = part.like();
      const std::span<const T> from = part.words<T>();
      const std::span<T> to = sums.edit<T>();
      T total = 0;
      for (size_t i = 0; i < from.size(); ++i) {
        total = static_cast<T>(total + from[i]);
        to[i] = total;
      }
      return sums;
    });
  });
}

/// Where elements go for those with bit 0 to precede those with bit 1. Element i goes to z_i - 1
/// with bit 0, where z_i are the zeros up to it, and else to z_n + i - z_i.
static auto places_by_bit(Party& party, Share bit) -> Task<Share> {
  Protocol& protocol = party.protocol();
  const size_t n = bit.size();
  const Share zeros = running_sums(protocol.add_constant(party, negate(bit), 1));
  const Share all_zeros = tile(slice(zeros, n - 1, 1), n);
  const Share low = protocol.add_constant(party, zeros, ~Word128{0});
  std::vector<uint64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), uint64_t{1});
  const RingArray places = convert(RingArray::of(numbers), bit.ring(), Extend::Zero);
  const Share twice = shift_left(zeros, 1);
  const Share difference = protocol.add_public(party, subtract(all_zeros, twice), places);
  Share change = co_await multiply(party, bit, difference);
  co_return add(low, change);
}

/// The bits of the keys' distances from the lowest one.
static auto key_bits(Party& party, Share keys, KeyRange range) -> Task<Bits> {
  Share distances = party.protocol().add_constant(party, std::move(keys), 0 - range.low);
  return to_bits(party, std::move(distances), range.width);
}

static auto radix_sort(Party& party, Share keys, std::vector<Share> values, KeyRange range)
    -> Task<Sorted> {
  Protocol& protocol = party.protocol();
  const size_t n = keys.size();
  const Ring ring = keys.ring();
  Bits bits = co_await key_bits(party, keys, range);
  Share numbers = co_await protocol.each_bit_to_arithmetic(party, bits, ring);
  std::vector<Share> moving = std::move(values);
  moving.push_back(std::move(keys));
  for (unsigned p = range.width; p-- > 1;) {
    moving.push_back(slice(numbers, p * n, n));
  }
  Share bit = slice(numbers, 0, n);
  for (unsigned p = 0; p < range.width; ++p) {
    Share places = co_await places_by_bit(party, bit);
    moving = co_await move_to(party, std::move(places), std::move(moving));
    if (p + 1 < range.width) {
      bit = moving.back();
      moving.pop_back();
    }
  }
  Sorted sorted;
  sorted.keys = std::move(moving.back());
  moving.pop_back();
  sorted.values = std::move(moving);
  co_return sorted;
}

namespace {

/// Keys that are all different: each with its number behind it. The words of each part are those of
/// bits, which add up modulo 2.
struct DistinctKeys {
  Share keys;
  Share numbers;
  unsigned key_bits;
  unsigned number_bits;
};

}  // namespace

/// Bits as words, which may be gathered.
static auto as_words(const Bits& bits, Ring ring) -> Share {
  Share words;
  words.n_parts = bits.n_parts;
  for (size_t i = 0; i < bits.n_parts; ++i) {
    words.parts[i] = from_planes(bits.parts[i], ring);
  }
  return words;
}

static auto as_bits(const Share& words, unsigned width) -> Bits {
  Bits bits;
  bits.n_parts = words.n_parts;
  for (size_t i = 0; i < words.n_parts; ++i) {
    bits.parts[i] = to_planes(words.parts[i], width);
  }
  return bits;
}

/// How many bits the number of one of `n` elements has.
static auto bits_of_number(size_t n) -> unsigned {
  return std::max(1U, static_cast<unsigned>(std::bit_width(n - 1)));
}

static auto distinct_keys(Party& party, Share keys, Share numbers, KeyRange range)
    -> Task<DistinctKeys> {
  const unsigned number_bits = bits_of_number(keys.size());
  const Ring ring = range.width <= 32 ? Ring::Z32 : Ring::Z64;
  auto [high, low] = co_await all(key_bits(party, std::move(keys), range),
                                  to_bits(party, std::move(numbers), number_bits));
  DistinctKeys result;
  result.keys = as_words(high, ring);
  result.numbers = as_words(low, Ring::Z32);
  result.key_bits = range.width;
  result.number_bits = number_bits;
  co_return result;
}

/// Whether the first of each pair is less than the second.
static auto opened_less(Party& party, const DistinctKeys& distinct,
                        std::span<const Partition::Pair> pairs) -> Task<BitPlanes> {
  std::vector<uint32_t> left;
  std::vector<uint32_t> right;
  left.reserve(pairs.size());
  right.reserve(pairs.size());
  for (const auto& [a, b] : pairs) {
    left.push_back(a);
    right.push_back(b);
  }
  const auto bits_at = [&](std::span<const uint32_t> places) {
    const std::array<Bits, 2> parts{as_bits(gather(distinct.numbers, places), distinct.number_bits),
                                    as_bits(gather(distinct.keys, places), distinct.key_bits)};
    return stack_planes(parts);
  };
  Bits is_less = co_await less_of_bits(party, bits_at(left), bits_at(right));
  co_return co_await open_bits(party, std::move(is_less));
}

/// Comparisons whose bits the cache of a core holds.
static constexpr size_t kPiece = 8192;

/// The elements of shuffled keys in order, from the place `first_wanted` on. The comparisons of a
/// level are side by side in pieces.
static auto opened_order(Party& party, DistinctKeys distinct, size_t first_wanted)
    -> Task<std::vector<uint32_t>> {
  Partition partition(distinct.numbers.size(), first_wanted);
  for (std::vector<Partition::Pair> pairs = partition.questions(); !pairs.empty();
       pairs = partition.questions()) {
    std::vector<Task<BitPlanes>> pieces;
    for (size_t begin = 0; begin < pairs.size(); begin += kPiece) {
      const size_t n = std::min(kPiece, pairs.size() - begin);
      pieces.push_back(opened_less(party, distinct, std::span(pairs).subspan(begin, n)));
    }
    const std::vector<BitPlanes> opened = co_await all(std::move(pieces));
    std::vector<bool> is_less(pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
      const size_t in_piece = i % kPiece;
      const uint64_t word = opened[i / kPiece].plane(0)[in_piece / 64];
      is_less[i] = (word >> (in_piece % 64) & 1) != 0;
    }
    partition.answer(is_less);
  }
  co_return partition.order();
}

/// Keys, which come last, and arrays; from the place `first` on of their order.
static auto comparison_sort(Party& party, std::vector<Share> arrays, KeyRange range, size_t first)
    -> Task<std::vector<Share>> {
  // The order of equal keys is that of their numbers, which the shuffle hides.
  const size_t n = arrays.back().size();
  std::vector<uint32_t> in_order(n);
  std::iota(in_order.begin(), in_order.end(), 0U);
  std::vector<Share> numbers = {party.protocol().public_share(party, RingArray::of(in_order))};
  SecretPermutation hidden = co_await party.protocol().random_permutation(party, n);
  auto [shuffled_numbers, shuffled] =
      co_await all(party.protocol().permute(party, hidden, std::move(numbers), Direction::Forward),
                   party.protocol().permute(party, hidden, std::move(arrays), Direction::Forward));
  DistinctKeys distinct =
      co_await distinct_keys(party, shuffled.back(), shuffled_numbers[0], range);
  std::vector<uint32_t> order = co_await opened_order(party, std::move(distinct), first);
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first));
  for (Share& array : shuffled) {
    array = gather(array, order);
  }
  co_return shuffled;
}

auto sort(Party& party, Share keys, std::vector<Share> values, KeyRange range) -> Task<Sorted> {
  const Party::Scope scope = party.scope("sort");
  if (keys.size() < 2) {
    co_return Sorted{std::move(keys), std::move(values)};
  }
  if (range.width <= kRadixBits) {
    Sorted sorted = co_await radix_sort(party, std::move(keys), std::move(values), range);
    co_return sorted;
  }
  values.push_back(std::move(keys));
  std::vector<Share> arrays = co_await comparison_sort(party, std::move(values), range, 0);
  Sorted sorted;
  sorted.keys = std::move(arrays.back());
  arrays.pop_back();
  sorted.values = std::move(arrays);
  co_return sorted;
}

auto greatest(Party& party, Share keys, size_t k, KeyRange range) -> Task<Share> {
  const Party::Scope scope = party.scope("greatest");
  const size_t n = keys.size();
  TACET_CHECK(k <= n, "more elements than there are");
  if (n < 2 || k == 0) {
    co_return slice(keys, 0, k);
  }
  std::vector<Share> arrays = {std::move(keys)};
  std::vector<Share> found = co_await comparison_sort(party, std::move(arrays), range, n - k);
  std::vector<uint32_t> backwards(k);
  for (size_t i = 0; i < k; ++i) {
    backwards[i] = static_cast<uint32_t>(k - 1 - i);
  }
  co_return gather(found[0], backwards);
}

}  // namespace tacet::mpc
