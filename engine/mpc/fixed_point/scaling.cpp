#include "engine/mpc/fixed_point/scaling.h"

#include <algorithm>
#include <bit>

#include "engine/mpc/circuits/adders.h"

namespace tacet::mpc {

auto length_planes(Party& party, Bits x) -> Task<Bits> {
  const unsigned width = x.width();
  Bits reached = co_await suffix_or(party, x);
  const Bits zero = party.protocol().complement(party, plane_range(reached, 0, 1));
  const Bits none = zero_bits(reached.n_parts, 1, reached.size(), party.memory());
  std::vector<Bits> above;
  if (width > 1) {
    above.push_back(plane_range(reached, 1, width - 1));
  }
  above.push_back(none);
  const Bits highest = exclusive_or(reached, stack_planes(above));
  const std::vector<Bits> planes = {zero, highest};
  co_return stack_planes(planes);
}

auto chosen_bits(const Bits& one_hot, std::span<const unsigned> values) -> Bits {
  const unsigned greatest = *std::max_element(values.begin(), values.end());
  const auto width = std::max(1U, static_cast<unsigned>(std::bit_width(greatest)));
  return map_parts(one_hot, [&](const BitPlanes& planes) {
    BitPlanes bits = BitPlanes::zeros(width, planes.size(), planes.memory());
    const size_t stride = planes.stride();
    const std::span<const uint64_t> from = planes.words();
    const std::span<uint64_t> to = bits.edit();
    for (size_t p = 0; p < values.size(); ++p) {
      for (unsigned bit = 0; bit < width; ++bit) {
        if ((values[p] >> bit & 1) != 0) {
          for (size_t i = 0; i < stride; ++i) {
            to[bit * stride + i] ^= from[p * stride + i];
          }
        }
      }
    }
    return bits;
  });
}

auto planes_to_numbers(Party& party, Bits x, Ring ring) -> Task<std::vector<Share>> {
  const size_t n = x.size();
  const unsigned width = x.width();
  Share all = co_await party.protocol().each_bit_to_arithmetic(party, std::move(x), ring);
  std::vector<Share> numbers;
  for (unsigned p = 0; p < width; ++p) {
    numbers.push_back(slice(all, p * n, n));
  }
  co_return numbers;
}

auto one_or(Party& party, const Share& bit, Word128 value) -> Share {
  return party.protocol().add_constant(party, scale(bit, value - 1), 1);
}

auto power_factors(Party& party, std::span<const Share> bits, unsigned step) -> std::vector<Share> {
  std::vector<Share> factors;
  for (size_t j = 0; j < bits.size(); ++j) {
    const unsigned exponent = step << j;
    factors.push_back(one_or(party, bits[j], exponent < 128 ? Word128{1} << exponent : 0));
  }
  return factors;
}

auto product_of(Party& party, std::vector<Share> factors) -> Task<Share> {
  while (factors.size() > 1) {
    const size_t n_pairs = factors.size() / 2;
    const size_t n = factors[0].size();
    const std::span<const Share> all(factors);
    const Share left = concatenate(all.subspan(0, n_pairs));
    const Share right = concatenate(all.subspan(n_pairs, n_pairs));
    const Share products = co_await multiply(party, left, right);
    std::vector<Share> next;
    for (size_t i = 0; i < n_pairs; ++i) {
      next.push_back(slice(products, i * n, n));
    }
    if (factors.size() % 2 != 0) {
      next.push_back(factors.back());
    }
    factors = std::move(next);
  }
  co_return factors.front();
}

// The difference of numbers of unlike signs may overflow: there the sign of x alone decides.
auto outside(Party& party, Share x, int64_t low, int64_t high) -> Task<Outside> {
  const size_t n = x.size();
  const Protocol& protocol = party.protocol();
  const auto minus = [](int64_t bound) { return 0 - static_cast<Word128>(bound); };
  const std::vector<Share> numbers = {x, protocol.add_constant(party, x, minus(high)),
                                      protocol.add_constant(party, x, minus(low))};
  const Bits tops = co_await top_bit(party, concatenate(numbers), 64);
  const Bits sign = slice(tops, 0, n);
  const std::vector<Bits> left = {protocol.complement(party, sign), sign};
  const std::vector<Bits> right = {protocol.complement(party, slice(tops, n, n)),
                                   slice(tops, 2 * n, n)};
  const Bits both = co_await conjunction(party, concatenate(left), concatenate(right));
  co_return Outside{.is_negative = sign, .below = slice(both, n, n), .above = slice(both, 0, n)};
}

auto one_without(Party& party, const Share& bit) -> Share {
  return party.protocol().add_constant(party, negate(bit), 1);
}

auto shifted(Party& party, Share x, int shift, Truncation how) -> Task<Share> {
  if (shift > 0) {
    Share result = co_await truncate(party, x, static_cast<unsigned>(shift), how);
    co_return result;
  }
  co_return shift_left(x, static_cast<unsigned>(-shift));
}

auto multiply_shifted(Party& party, Share x, Share y, int shift, Truncation how) -> Task<Share> {
  if (shift > 0) {
    Share result =
        co_await party.protocol().multiply_truncate(party, x, y, static_cast<unsigned>(shift), how);
    co_return result;
  }
  Share product = co_await multiply(party, x, y);
  co_return shift_left(product, static_cast<unsigned>(-shift));
}

}  // namespace tacet::mpc
