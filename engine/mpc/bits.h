#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/mpc/ring_array.h"

namespace tacet::mpc {

/// `n` numbers of `width` bits, bit-sliced: plane p has bit p of all of them, 64 to a word, number
/// i in bit i mod 64 of word i / 64. Bits of the last word that belong to no number are of no
/// meaning, and never sent. Copies share memory until edited.
class BitPlanes {
 public:
  BitPlanes() = default;
  /// Of any content.
  BitPlanes(unsigned width, size_t n, const Memory& memory = nullptr);
  static auto zeros(unsigned width, size_t n, const Memory& memory = nullptr) -> BitPlanes;
  /// Every number has the low `width` bits of `value`.
  static auto filled(unsigned width, size_t n, Word128 value, const Memory& memory = nullptr)
      -> BitPlanes;

  [[nodiscard]] auto width() const -> unsigned { return width_; }
  /// Numbers.
  [[nodiscard]] auto size() const -> size_t { return n_; }
  /// Words of a plane.
  [[nodiscard]] auto stride() const -> size_t { return (n_ + 63) / 64; }
  [[nodiscard]] auto memory() const -> Memory { return words_.memory(); }

  /// All planes, one behind the other.
  [[nodiscard]] auto words() const -> std::span<const uint64_t> { return words_.words<uint64_t>(); }
  [[nodiscard]] auto edit() -> std::span<uint64_t> { return words_.edit<uint64_t>(); }
  [[nodiscard]] auto plane(unsigned p) const -> std::span<const uint64_t> {
    return words().subspan(p * stride(), stride());
  }
  [[nodiscard]] auto edit_plane(unsigned p) -> std::span<uint64_t> {
    return edit().subspan(p * stride(), stride());
  }
  /// Number `i`. Slow.
  [[nodiscard]] auto at(size_t i) const -> Word128;

  /// Bytes that all planes take when they are sent: each is cut to whole bytes.
  [[nodiscard]] auto n_packed_bytes() const -> size_t { return packed_size(width_, n_); }
  static constexpr auto packed_size(unsigned width, size_t n) -> size_t {
    return width * ((n + 7) / 8);
  }

  /// The same numbers.
  friend auto operator==(const BitPlanes& a, const BitPlanes& b) -> bool;

  /// `count` planes from `begin` on, which share their words with these until one is edited.
  friend auto plane_range(const BitPlanes& x, unsigned begin, unsigned count) -> BitPlanes;

 private:
  unsigned width_ = 0;
  size_t n_ = 0;
  RingArray words_;
};

/// The low `width` bits of each word, as planes; and back, zero-extended.
[[nodiscard]] auto to_planes(const RingArray& x, unsigned width) -> BitPlanes;
[[nodiscard]] auto from_planes(const BitPlanes& x, Ring ring) -> RingArray;

[[nodiscard]] auto exclusive_or(const BitPlanes& x, const BitPlanes& y) -> BitPlanes;
[[nodiscard]] auto conjunction(const BitPlanes& x, const BitPlanes& y) -> BitPlanes;
[[nodiscard]] auto complement(const BitPlanes& x) -> BitPlanes;

/// Plane p of the result is plane `planes[p]` of `x`.
[[nodiscard]] auto select_planes(const BitPlanes& x, std::span<const unsigned> planes) -> BitPlanes;
[[nodiscard]] auto plane_range(const BitPlanes& x, unsigned begin, unsigned count) -> BitPlanes;
/// The planes of the first, then those of the second and so on; of equal sizes.
[[nodiscard]] auto stack_planes(std::span<const BitPlanes> parts) -> BitPlanes;
/// Numbers gathered by public indices, sliced or put one behind the other.
[[nodiscard]] auto gather(const BitPlanes& x, std::span<const uint32_t> indices) -> BitPlanes;
[[nodiscard]] auto slice(const BitPlanes& x, size_t begin, size_t n) -> BitPlanes;
[[nodiscard]] auto concatenate(std::span<const BitPlanes> parts) -> BitPlanes;

/// The planes as they are sent: `n_packed_bytes()` bytes, each plane cut to whole bytes, in which
/// bits that belong to no number are zero.
void pack(const BitPlanes& x, std::span<std::byte> out);
[[nodiscard]] auto unpack(std::span<const std::byte> bytes, unsigned width, size_t n,
                          const Memory& memory) -> BitPlanes;

/// What one party holds of secret bits: planes that the protocol shares modulo 2, at most three.
/// As `Share`, linear in the secrets: sums are `exclusive_or`, and everything here is local.
struct Bits {
  std::array<BitPlanes, 3> parts;
  uint8_t n_parts = 0;

  Bits() = default;
  explicit Bits(BitPlanes part) : parts{std::move(part)}, n_parts(1) {}
  Bits(BitPlanes first, BitPlanes second)
      : parts{std::move(first), std::move(second)}, n_parts(2) {}
  Bits(BitPlanes first, BitPlanes second, BitPlanes third)
      : parts{std::move(first), std::move(second), std::move(third)}, n_parts(3) {}

  [[nodiscard]] auto width() const -> unsigned { return parts[0].width(); }
  [[nodiscard]] auto size() const -> size_t { return parts[0].size(); }
};

template <class Body>
auto map_parts(const Bits& x, Body body) -> Bits {
  Bits out;
  out.n_parts = x.n_parts;
  for (size_t i = 0; i < x.n_parts; ++i) {
    out.parts[i] = body(x.parts[i]);
  }
  return out;
}

[[nodiscard]] auto exclusive_or(const Bits& x, const Bits& y) -> Bits;
/// And with public bits.
[[nodiscard]] auto conjunction_public(const Bits& x, const BitPlanes& y) -> Bits;
[[nodiscard]] auto select_planes(const Bits& x, std::span<const unsigned> planes) -> Bits;
[[nodiscard]] auto plane_range(const Bits& x, unsigned begin, unsigned count) -> Bits;
/// One plane, `count` times.
[[nodiscard]] auto repeat_plane(const Bits& x, unsigned plane, unsigned count) -> Bits;
[[nodiscard]] auto stack_planes(std::span<const Bits> parts) -> Bits;
[[nodiscard]] auto gather(const Bits& x, std::span<const uint32_t> indices) -> Bits;
[[nodiscard]] auto slice(const Bits& x, size_t begin, size_t n) -> Bits;
[[nodiscard]] auto concatenate(std::span<const Bits> parts) -> Bits;

/// Shares of zero bits.
[[nodiscard]] auto zero_bits(uint8_t n_parts, unsigned width, size_t n, const Memory& memory)
    -> Bits;

}  // namespace tacet::mpc
