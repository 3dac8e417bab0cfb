#pragma once

#include <bit>
#include <cstdint>

/// Arithmetic in Z_q[X]/(X^N + 1) for word-sized q, and in products of such rings. The layer below
/// every homomorphic scheme; it knows of no keys and no messages.
namespace tacet::ring {

__extension__ using Uint128 = unsigned __int128;

/// Every modulus is below 2^50: then a product's quotient fits the 52-bit multiply-add as well as
/// the mantissa of a double, and lanes keep slack for lazy reduction.
inline constexpr unsigned kMaxModulusBits = 50;

// The kernels are compiled for several instruction sets: what they share must not become one
// function that the linker takes from whichever file it likes.
#define TACET_RING_INLINE [[gnu::always_inline]] inline
// Before a loop over registers: its count is a small constant.
#if defined(__clang__)
#define TACET_RING_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TACET_RING_UNROLL _Pragma("GCC unroll 16")
#endif

/// A modulus `2 <= q < 2^50`, with what reduction by it needs.
struct Modulus {
  Modulus() = default;
  explicit Modulus(uint64_t q);

  uint64_t value = 0;
  /// floor(2^128 / value), for Barrett reduction.
  uint64_t ratio_high = 0, ratio_low = 0;
  double as_double = 0, inverse = 0;  ///< value and 1 / value
  /// Two less than the bits of `value`, and floor(2^(64 + shift) / value).
  unsigned shift = 0;
  uint64_t shifted_ratio = 0;

  [[nodiscard]] auto bits() const -> unsigned {
    return static_cast<unsigned>(std::bit_width(value));
  }

  friend auto operator==(const Modulus& a, const Modulus& b) -> bool { return a.value == b.value; }
};

/// The high word of a product.
TACET_RING_INLINE auto multiply_high(uint64_t a, uint64_t b) -> uint64_t {
  return static_cast<uint64_t>((static_cast<Uint128>(a) * b) >> 64);
}

/// `x mod q` for `x < 2q`, without a branch.
TACET_RING_INLINE auto subtract_if_above(uint64_t x, uint64_t q) -> uint64_t {
  const uint64_t d = x - q;
  return d + (q & (0 - (d >> 63)));
}

/// `x mod q` for any word.
TACET_RING_INLINE auto reduce(uint64_t x, const Modulus& q) -> uint64_t {
  // ratio_high = floor(2^64 / q); the quotient is at most one too small.
  return subtract_if_above(x - multiply_high(x, q.ratio_high) * q.value, q.value);
}

/// `x mod q` for any 128 bits (Barrett; Handbook of Applied Cryptography, algorithm 14.42, with
/// only the words of the quotient's product that matter; the quotient is at most one too small).
TACET_RING_INLINE auto reduce(Uint128 x, const Modulus& q) -> uint64_t {
  const auto low = static_cast<uint64_t>(x);
  const auto high = static_cast<uint64_t>(x >> 64);
  const Uint128 middle = static_cast<Uint128>(low) * q.ratio_high + multiply_high(low, q.ratio_low);
  const Uint128 other = static_cast<Uint128>(high) * q.ratio_low + static_cast<uint64_t>(middle);
  const uint64_t quotient = high * q.ratio_high + static_cast<uint64_t>(middle >> 64) +
                            static_cast<uint64_t>(other >> 64);
  return subtract_if_above(low - quotient * q.value, q.value);
}

/// `x mod q` for x < 2^(62 + q.shift), as sums of up to 1024 products of a residue and a word below
/// 2^50 are. The quotient of what is left of x without its lowest bits is at most one too small:
/// they are worth less than 1/2, the ratio's fraction less than 1/4.
TACET_RING_INLINE auto reduce_products(Uint128 x, const Modulus& q) -> uint64_t {
  const auto low = static_cast<uint64_t>(x);
  const auto high = static_cast<uint64_t>(x >> 64);
  const uint64_t top = (high << 1 << (63 - q.shift)) | (low >> q.shift);
  return subtract_if_above(low - multiply_high(top, q.shifted_ratio) * q.value, q.value);
}

// Operands below are reduced, and so are results.

TACET_RING_INLINE auto add(uint64_t a, uint64_t b, const Modulus& q) -> uint64_t {
  return subtract_if_above(a + b, q.value);
}

TACET_RING_INLINE auto subtract(uint64_t a, uint64_t b, const Modulus& q) -> uint64_t {
  const uint64_t d = a - b;
  return d + (q.value & (0 - (d >> 63)));
}

TACET_RING_INLINE auto negate(uint64_t a, const Modulus& q) -> uint64_t {
  return (q.value - a) & (0 - static_cast<uint64_t>(a != 0));
}

TACET_RING_INLINE auto multiply(uint64_t a, uint64_t b, const Modulus& q) -> uint64_t {
  return reduce_products(static_cast<Uint128>(a) * b, q);
}

/// A signed number of less than q in size, as a residue; without a branch.
TACET_RING_INLINE auto residue(int64_t a, const Modulus& q) -> uint64_t {
  const auto bits = static_cast<uint64_t>(a);
  return bits + (q.value & (0 - (bits >> 63)));
}

/// The representative of a residue in (-q/2, q/2]; without a branch.
TACET_RING_INLINE auto centred(uint64_t a, const Modulus& q) -> int64_t {
  const uint64_t above = ((q.value / 2 - a) >> 63);
  return static_cast<int64_t>(a - (q.value & (0 - above)));
}

auto power(uint64_t a, uint64_t exponent, const Modulus& q) -> uint64_t;

/// The inverse of `a`, which must be prime to `q`; 0 if it is not. Takes time that depends on `a`:
/// not for secrets.
auto invert(uint64_t a, const Modulus& q) -> uint64_t;

/// A factor that many numbers are multiplied by, with its precomputed quotient (Shoup; Harvey,
/// "Faster arithmetic for number-theoretic transforms", section 2).
struct Factor {
  uint64_t value = 0;
  uint64_t quotient = 0;  ///< floor(value 2^64 / q)
};

auto factor(uint64_t value, const Modulus& q) -> Factor;

/// `a * f` modulo q for any word `a`, below 2q.
TACET_RING_INLINE auto multiply_lazily(uint64_t a, Factor f, uint64_t q) -> uint64_t {
  return a * f.value - multiply_high(a, f.quotient) * q;
}

TACET_RING_INLINE auto multiply(uint64_t a, Factor f, const Modulus& q) -> uint64_t {
  return subtract_if_above(multiply_lazily(a, f, q.value), q.value);
}

}  // namespace tacet::ring
