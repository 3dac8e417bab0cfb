#include "engine/mpc/protocol.h"

#include <array>
#include <utility>

namespace tacet::mpc {

auto Protocol::open(Party& party, Share x, unsigned n_bits, std::optional<Rank> receiver)
    -> Task<RingArray> {
  co_await check(party);
  co_return co_await open_checked(party, Checked(), std::move(x), n_bits, receiver);
}

auto Protocol::open_bits(Party& party, Bits x, std::optional<Rank> receiver) -> Task<BitPlanes> {
  co_await check(party);
  co_return co_await open_bits_checked(party, Checked(), std::move(x), receiver);
}

auto Protocol::check(Party& /*party*/) -> Task<> {
  co_return kDone;
}

auto Protocol::check_agreement(Party& /*party*/, std::vector<std::byte> /*bytes*/) -> Task<> {
  co_return kDone;
}

auto Protocol::square(Party& party, Share x) -> Task<Share> {
  return multiply(party, x, x);
}

auto Protocol::public_share(const Party& party, const RingArray& values) const -> Share {
  Share out = zero_share(n_parts(), values.ring(), values.size(), party.memory());
  if (const std::optional<size_t> part = constant_part(party)) {
    out.parts[*part] = values;
  }
  return out;
}

auto Protocol::public_bits(const Party& party, const BitPlanes& values) const -> Bits {
  Bits out = zero_bits(n_parts(), values.width(), values.size(), party.memory());
  if (const std::optional<size_t> part = constant_part(party)) {
    out.parts[*part] = values;
  }
  return out;
}

auto Protocol::add_public(const Party& party, Share x, const RingArray& values) const -> Share {
  if (const std::optional<size_t> part = constant_part(party)) {
    x.parts[*part] = add(x.parts[*part], values);
  }
  return x;
}

auto Protocol::add_constant(const Party& party, Share x, Word128 constant) const -> Share {
  if (const std::optional<size_t> part = constant_part(party)) {
    x.parts[*part] = mpc::add_constant(x.parts[*part], constant);
  }
  return x;
}

auto Protocol::exclusive_or_public(const Party& party, Bits x, const BitPlanes& values) const
    -> Bits {
  if (const std::optional<size_t> part = constant_part(party)) {
    x.parts[*part] = exclusive_or(x.parts[*part], values);
  }
  return x;
}

auto Protocol::complement(const Party& party, Bits x) const -> Bits {
  if (const std::optional<size_t> part = constant_part(party)) {
    x.parts[*part] = mpc::complement(x.parts[*part]);
  }
  return x;
}

/// 2x modulo 2^width.
static auto doubled(const Party& party, const Bits& x) -> Bits {
  if (x.width() <= 1) {
    return zero_bits(x.n_parts, x.width(), x.size(), party.memory());
  }
  const std::array<Bits, 2> planes{zero_bits(x.n_parts, 1, x.size(), party.memory()),
                                   plane_range(x, 0, x.width() - 1)};
  return stack_planes(planes);
}

auto Protocol::half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> {
  std::vector<Bits> terms = co_await summands(party, std::move(x), width);
  TACET_CHECK(!terms.empty(), "a secret without summands");
  if (terms.size() == 1) {
    Bits none = zero_bits(n_parts(), width, terms[0].size(), party.memory());
    co_return HalfSum{.sum = std::move(terms[0]), .carry = std::move(none)};
  }
  // Three numbers have the sum of two: their parities, and twice their majorities, which are
  // a ^ (a ^ b)(a ^ c). All threes of a level at once.
  while (terms.size() > 2) {
    const size_t n_threes = terms.size() / 3;
    std::vector<Bits> left;
    std::vector<Bits> right;
    for (size_t i = 0; i < n_threes; ++i) {
      left.push_back(exclusive_or(terms[3 * i], terms[3 * i + 1]));
      right.push_back(exclusive_or(terms[3 * i], terms[3 * i + 2]));
    }
    Bits products = co_await conjunction(party, stack_planes(left), stack_planes(right));
    std::vector<Bits> next;
    for (size_t i = 0; i < n_threes; ++i) {
      const Bits product = plane_range(products, static_cast<unsigned>(i) * width, width);
      next.push_back(exclusive_or(left[i], terms[3 * i + 2]));
      next.push_back(doubled(party, exclusive_or(terms[3 * i], product)));
    }
    next.insert(next.end(), terms.begin() + static_cast<ptrdiff_t>(3 * n_threes), terms.end());
    terms = std::move(next);
  }
  Bits carry = co_await conjunction(party, terms[0], terms[1]);
  co_return HalfSum{.sum = exclusive_or(terms[0], terms[1]), .carry = std::move(carry)};
}

auto Protocol::zero_planes(Party& party, Share x, unsigned width) -> Task<Bits> {
  // a + b = 0 exactly if a ^ b = 2 (a | b), as the carry into each place is then that of a | b; and
  // a | b = (a ^ b) ^ (a & b).
  HalfSum half = co_await half_sum(party, std::move(x), width);
  co_return exclusive_or(half.sum, doubled(party, exclusive_or(half.sum, half.carry)));
}

auto Protocol::each_bit_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> {
  // The planes as numbers of one bit, behind one another.
  std::vector<Bits> planes;
  for (unsigned p = 0; p < x.width(); ++p) {
    planes.push_back(plane_range(x, p, 1));
  }
  return bits_to_arithmetic(party, concatenate(planes), ring);
}

auto Protocol::multiply_truncate(Party& party, Share x, Share y, unsigned f, Truncation how)
    -> Task<Share> {
  Share product = co_await multiply(party, std::move(x), std::move(y));
  co_return co_await truncate(party, std::move(product), f, how);
}

auto Protocol::dot_truncate(Party& party, Share x, Share y, size_t length, unsigned f,
                            Truncation how) -> Task<Share> {
  Share product = co_await dot(party, std::move(x), std::move(y), length);
  co_return co_await truncate(party, std::move(product), f, how);
}

auto Protocol::multiply_matrices_truncate(Party& party, Share x, Share y, MatrixShape shape,
                                          unsigned f, Truncation how) -> Task<Share> {
  Share product = co_await multiply_matrices(party, std::move(x), std::move(y), shape);
  co_return co_await truncate(party, std::move(product), f, how);
}

}  // namespace tacet::mpc
