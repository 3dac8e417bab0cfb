// x / 2^f of shares x_i. With 2^(k-2) added, x is below 2^(k-1), and
//
//   x / 2^f = sum of floor(x_i / 2^f) + (sum of the lowest f bits) / 2^f - w 2^(k-f)
//
// where w says how often the sum of the x_i ran over 2^k. The second term is below n, w too, and
// neither needs more than a few bits of each share to be known well enough.

#include <algorithm>
#include <bit>

#include "engine/mpc/semi2k/semi2k_state.h"

namespace tacet::mpc {
namespace {

/// Bit `place` of all words.
auto bit_of(const RingArray& x, unsigned place) -> BitPlanes {
  return to_planes(place == 0 ? x : shift_right(x, place), 1);
}

/// With about 2^(k-2) added.
auto raised(const Party& party, const RingArray& x, unsigned f) -> RingArray {
  return party.rank() == 0 ? add_constant(x, truncation_offset(n_bits(x.ring()), f)) : x;
}

/// ceil(x / 2^f) of unsigned words.
auto shift_right_up(const RingArray& x, unsigned f) -> RingArray {
  RingArray result = shift_right(x, f);
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const std::span<const T> words = x.words<T>();
    const std::span<T> out = result.edit<T>();
    const T mask = static_cast<T>((T{1} << f) - 1);
    for (size_t i = 0; i < out.size(); ++i) {
      const T low = words[i] & mask;
      // The top bit of low | -low: whether low is not zero.
      out[i] += static_cast<T>(static_cast<T>(low | (T{0} - low)) >> (8 * sizeof(T) - 1));
    }
  });
  return result;
}

/// What is left to be taken off at party 0: what was added, / 2^f.
auto lowered(const Party& party, const RingArray& x, unsigned f) -> RingArray {
  const Word128 offset = truncation_offset(n_bits(x.ring()), f) >> f;
  return party.rank() == 0 ? add_constant(x, 0 - offset) : x;
}

/// Two parties: x, below 2^(k-1), ran over exactly if one of the shares has its top bit set, m_0 or
/// m_1, and 2 w = m_0 + m_1 + (m_0 ^ m_1).
auto truncate_two(Party& party, Semi2kState& state, RingArray x, unsigned f) -> Task<RingArray> {
  const Ring ring = x.ring();
  const RingArray share = raised(party, x, f);
  const BitPlanes top = bit_of(share, n_bits(ring) - 1);
  const RingArray either = co_await semi2k_bits_to_numbers(party, state, top, ring);
  // One rounds down and the other up: on average neither.
  const RingArray shifted = party.rank() == 0 ? shift_right(share, f) : shift_right_up(share, f);
  const RingArray wraps = shift_left(add(from_planes(top, ring), either), n_bits(ring) - f - 1);
  co_return lowered(party, subtract(shifted, wraps), f);
}

/// Shifts planes up by `distance`: the numbers times 2^distance modulo 2^width.
auto shift_up(const Party& party, const Bits& x, unsigned distance) -> Bits {
  const Bits parts[] = {zero_bits(1, distance, x.size(), party.memory()),
                        plane_range(x, 0, x.width() - distance)};
  return stack_planes(parts);
}

/// The sum of two numbers modulo 2^width (Kogge and Stone).
auto add_bits(Party& party, Semi2kState& state, Bits x, Bits y) -> Task<Bits> {
  const unsigned width = x.width();
  const Bits sum = exclusive_or(x, y);
  Bits carries = co_await semi2k_conjunction(party, state, std::move(x), std::move(y));
  Bits passes = sum;
  for (unsigned distance = 1; distance < width; distance *= 2) {
    const Bits left[] = {passes, passes};
    const Bits right[] = {shift_up(party, carries, distance), shift_up(party, passes, distance)};
    Bits both = co_await semi2k_conjunction(party, state, stack_planes(left), stack_planes(right));
    carries = exclusive_or(carries, plane_range(both, 0, width));
    passes = plane_range(both, width, width);
  }
  co_return exclusive_or(sum, shift_up(party, carries, 1));
}

/// The sum of the numbers that each party has, modulo 2^width: carry-save additions, then one with
/// carries.
auto sum_private(Party& party, Semi2kState& state, BitPlanes own) -> Task<Bits> {
  const unsigned width = own.width();
  std::vector<Bits> terms;
  for (Rank owner = 0; owner < party.n_parties(); ++owner) {
    terms.push_back(owner == party.rank() ? Bits(own)
                                          : zero_bits(1, width, own.size(), party.memory()));
  }
  while (terms.size() > 2) {
    std::vector<Bits> next;
    std::vector<Bits> left;
    std::vector<Bits> right;
    const size_t n_threes = terms.size() / 3;
    for (size_t i = 0; i < n_threes; ++i) {
      left.push_back(exclusive_or(terms[3 * i], terms[3 * i + 1]));
      right.push_back(exclusive_or(terms[3 * i], terms[3 * i + 2]));
    }
    const Bits products =
        co_await semi2k_conjunction(party, state, stack_planes(left), stack_planes(right));
    for (size_t i = 0; i < n_threes; ++i) {
      const Bits product = plane_range(products, static_cast<unsigned>(i) * width, width);
      next.push_back(exclusive_or(left[i], terms[3 * i + 2]));
      next.push_back(shift_up(party, exclusive_or(terms[3 * i], product), 1));
    }
    next.insert(next.end(), terms.begin() + static_cast<ptrdiff_t>(3 * n_threes), terms.end());
    terms = std::move(next);
  }
  co_return co_await add_bits(party, state, terms[0], terms[1]);
}

/// How many of the lowest f bits of each share are used, at most.
constexpr unsigned kMaxFraction = 12;

/// Numbers of [0, bound), uniform but for 2^-20, for `bound` up to 2^12.
auto random_below(Party& party, Ring ring, size_t n, uint64_t bound) -> RingArray {
  std::vector<uint32_t> words(n);
  party.random().fill(std::as_writable_bytes(std::span(words)));
  RingArray result(ring, n, party.memory());
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> out = result.edit<T>();
    for (size_t i = 0; i < n; ++i) {
      out[i] = static_cast<T>(words[i] * bound >> 32);
    }
  });
  return result;
}

/// More than two parties. Of the lowest f bits of the shares the top g are added, and a random
/// number r of one party: floor((sum + r) / 2^g) is the second term, rounded up with the
/// probability of its fraction. What the bits below, if there are any, could add is less than n:
/// with r below 2^g - n, plus n, they change the result by no more than one, and its average by
/// less than n / 2^g.
///
/// Of all bits the top few, with n for those below: the sum is between w and w + 1.
auto truncate_many(Party& party, Semi2kState& state, RingArray x, unsigned f) -> Task<RingArray> {
  const Ring ring = x.ring();
  const Rank n = party.n_parties();
  const unsigned n_fraction = std::min(f, kMaxFraction);
  const auto n_top = static_cast<unsigned>(std::bit_width(2 * n));
  const auto n_whole = static_cast<unsigned>(std::bit_width(n));
  const RingArray share = raised(party, x, f);
  RingArray low = low_bits(share, f);
  RingArray high = shift_right(share, n_bits(ring) - n_top);
  if (f > n_fraction) {
    low = shift_right(low, f - n_fraction);
  }
  if (party.rank() == 0) {
    const unsigned unknown = f > n_fraction ? n : 0;
    const RingArray random =
        random_below(party, ring, x.size(), (uint64_t{1} << n_fraction) - unknown);
    low = add_constant(add(low, random), unknown);
    high = add_constant(high, n);
  }
  auto [carry_sum, wrap_sum] =
      co_await all(sum_private(party, state, to_planes(low, n_fraction + n_whole)),
                   sum_private(party, state, to_planes(high, n_top + n_whole)));
  // The whole parts: planes of the first, then of the second.
  std::vector<BitPlanes> planes;
  for (unsigned p = 0; p < n_whole; ++p) {
    planes.push_back(plane_range(carry_sum.parts[0], n_fraction + p, 1));
  }
  for (unsigned p = 0; p < n_whole; ++p) {
    planes.push_back(plane_range(wrap_sum.parts[0], n_top + p, 1));
  }
  const BitPlanes all_planes = concatenate(planes);
  const RingArray bits = co_await semi2k_bits_to_numbers(party, state, all_planes, ring);
  RingArray result = shift_right(share, f);
  for (unsigned p = 0; p < n_whole; ++p) {
    const RingArray carry = slice(bits, p * x.size(), x.size());
    result = add(result, shift_left(carry, p));
    const unsigned place = n_bits(ring) - f + p;
    if (place < n_bits(ring)) {
      const RingArray wrap = slice(bits, (n_whole + p) * x.size(), x.size());
      result = subtract(result, shift_left(wrap, place));
    }
  }
  co_return lowered(party, result, f);
}

}  // namespace

auto semi2k_truncate(Party& party, Semi2kState& state, RingArray x, unsigned f) -> Task<RingArray> {
  RingArray result(x.ring(), 0);
  if (party.n_parties() == 2) {
    result = co_await truncate_two(party, state, std::move(x), f);
  } else {
    result = co_await truncate_many(party, state, std::move(x), f);
  }
  // The low bits of the shares are those of the operand's: fresh ones hide that.
  state.seeds.add_zero(party, result);
  co_return result;
}

auto semi2k_truncate_locally(const Party& party, const RingArray& x, unsigned f) -> RingArray {
  // As signed numbers the shares add up to x, or run over with probability |x| / 2^k. One rounds
  // down, the other up.
  return party.rank() == 0 ? shift_right_arithmetic(x, f)
                           : negate(shift_right_arithmetic(negate(x), f));
}

}  // namespace tacet::mpc
