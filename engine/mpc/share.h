#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/mpc/ring_arithmetic.h"
#include "engine/mpc/ring_array.h"

namespace tacet::mpc {

/// What one party holds of an array of secrets modulo a ring: as many arrays as the protocol keeps,
/// at most three. What the parts are to the secrets is the protocol's business; that they are
/// linear in them is everybody's: the functions below work on each part and send nothing.
///
/// Integers of the language are held modulo a ring at least as wide. Only their low bits count:
/// what is above the width is the wrapped rest of sums and products. `Protocol::open` shows the
/// requested bits and no others; a conversion to a wider type extends explicitly
/// (engine/mpc/circuits).
struct Share {
  std::array<RingArray, 3> parts;
  uint8_t n_parts = 0;

  Share() = default;
  explicit Share(RingArray part) : parts{std::move(part)}, n_parts(1) {}
  Share(RingArray first, RingArray second)
      : parts{std::move(first), std::move(second)}, n_parts(2) {}
  Share(RingArray first, RingArray second, RingArray third)
      : parts{std::move(first), std::move(second), std::move(third)}, n_parts(3) {}

  [[nodiscard]] auto ring() const -> Ring { return parts[0].ring(); }
  /// Secrets.
  [[nodiscard]] auto size() const -> size_t { return parts[0].size(); }
};

/// `body` of every part: for whatever is linear.
template <class Body>
auto map_parts(const Share& x, Body body) -> Share {
  Share out;
  out.n_parts = x.n_parts;
  for (size_t i = 0; i < x.n_parts; ++i) {
    out.parts[i] = body(x.parts[i]);
  }
  return out;
}
template <class Body>
auto map_parts(const Share& x, const Share& y, Body body) -> Share {
  TACET_CHECK(x.n_parts == y.n_parts, "shares of different protocols");
  Share out;
  out.n_parts = x.n_parts;
  for (size_t i = 0; i < x.n_parts; ++i) {
    out.parts[i] = body(x.parts[i], y.parts[i]);
  }
  return out;
}

[[nodiscard]] auto add(const Share& x, const Share& y) -> Share;
[[nodiscard]] auto subtract(const Share& x, const Share& y) -> Share;
[[nodiscard]] auto negate(const Share& x) -> Share;
/// x times a public number, or times public numbers element by element.
[[nodiscard]] auto scale(const Share& x, Word128 constant) -> Share;
[[nodiscard]] auto multiply_public(const Share& x, const RingArray& factors) -> Share;
/// A product of matrices of which one is public.
[[nodiscard]] auto multiply_matrices_public(const Share& x, const RingArray& y, MatrixShape shape)
    -> Share;
[[nodiscard]] auto multiply_matrices_public(const RingArray& x, const Share& y, MatrixShape shape)
    -> Share;
[[nodiscard]] auto shift_left(const Share& x, unsigned distance) -> Share;
[[nodiscard]] auto sum_rows(const Share& x, size_t length) -> Share;
/// Modulo a ring that is not larger.
[[nodiscard]] auto narrow(const Share& x, Ring ring) -> Share;

/// See the functions of these names in ring_arithmetic.h; indices are public.
[[nodiscard]] auto gather(const Share& x, std::span<const uint32_t> indices) -> Share;
[[nodiscard]] auto scatter(const Share& x, std::span<const uint32_t> indices) -> Share;
[[nodiscard]] auto slice(const Share& x, size_t begin, size_t n) -> Share;
[[nodiscard]] auto concatenate(std::span<const Share> shares) -> Share;
[[nodiscard]] auto repeat_each(const Share& x, size_t count) -> Share;
[[nodiscard]] auto tile(const Share& x, size_t count) -> Share;

/// Zeros, as a share of `n_parts` parts.
[[nodiscard]] auto zero_share(uint8_t n_parts, Ring ring, size_t n, const Memory& memory) -> Share;

}  // namespace tacet::mpc
