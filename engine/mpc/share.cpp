#include "engine/mpc/share.h"

namespace tacet::mpc {

auto add(const Share& x, const Share& y) -> Share {
  return map_parts(x, y, [](const RingArray& a, const RingArray& b) { return add(a, b); });
}

auto subtract(const Share& x, const Share& y) -> Share {
  return map_parts(x, y, [](const RingArray& a, const RingArray& b) { return subtract(a, b); });
}

auto negate(const Share& x) -> Share {
  return map_parts(x, [](const RingArray& a) { return negate(a); });
}

auto scale(const Share& x, Word128 constant) -> Share {
  return map_parts(x, [=](const RingArray& a) { return scale(a, constant); });
}

auto multiply_public(const Share& x, const RingArray& factors) -> Share {
  return map_parts(x, [&](const RingArray& a) { return multiply(a, factors); });
}

auto multiply_matrices_public(const Share& x, const RingArray& y, MatrixShape shape) -> Share {
  return map_parts(x, [&](const RingArray& a) { return multiply_matrices(a, y, shape); });
}

auto multiply_matrices_public(const RingArray& x, const Share& y, MatrixShape shape) -> Share {
  return map_parts(y, [&](const RingArray& a) { return multiply_matrices(x, a, shape); });
}

auto shift_left(const Share& x, unsigned distance) -> Share {
  return map_parts(x, [=](const RingArray& a) { return shift_left(a, distance); });
}

auto sum_rows(const Share& x, size_t length) -> Share {
  return map_parts(x, [=](const RingArray& a) { return sum_rows(a, length); });
}

auto narrow(const Share& x, Ring ring) -> Share {
  TACET_CHECK(n_bits(ring) <= n_bits(x.ring()), "shares do not widen by themselves");
  return map_parts(x, [=](const RingArray& a) { return convert(a, ring, Extend::Zero); });
}

auto gather(const Share& x, std::span<const uint32_t> indices) -> Share {
  return map_parts(x, [=](const RingArray& a) { return gather(a, indices); });
}

auto scatter(const Share& x, std::span<const uint32_t> indices) -> Share {
  return map_parts(x, [=](const RingArray& a) { return scatter(a, indices); });
}

auto slice(const Share& x, size_t begin, size_t n) -> Share {
  return map_parts(x, [=](const RingArray& a) { return slice(a, begin, n); });
}

auto concatenate(std::span<const Share> shares) -> Share {
  TACET_CHECK(!shares.empty(), "nothing to concatenate");
  Share out;
  out.n_parts = shares[0].n_parts;
  for (size_t i = 0; i < out.n_parts; ++i) {
    std::vector<RingArray> arrays;
    arrays.reserve(shares.size());
    for (const Share& share : shares) {
      arrays.push_back(share.parts[i]);
    }
    out.parts[i] = concatenate(arrays);
  }
  return out;
}

auto repeat_each(const Share& x, size_t count) -> Share {
  return map_parts(x, [=](const RingArray& a) { return repeat_each(a, count); });
}

auto tile(const Share& x, size_t count) -> Share {
  return map_parts(x, [=](const RingArray& a) { return tile(a, count); });
}

auto zero_share(uint8_t n_parts, Ring ring, size_t n, const Memory& memory) -> Share {
  Share out;
  out.n_parts = n_parts;
  for (size_t i = 0; i < n_parts; ++i) {
    out.parts[i] = RingArray::zeros(ring, n, memory);
  }
  return out;
}

}  // namespace tacet::mpc
