#pragma once

#include <array>
#include <cstdint>

#include "engine/mpc/ring_array.h"
#include "engine/secure_random/aes_ctr.h"

namespace tacet::mpc {

/// The integers modulo an odd number p with 2^50 < p < 2^51, a prime but for tests of primality.
/// *Elements* are words below p. A *weight* is an element times 2^52 modulo p (Montgomery's form),
/// so that the product of a weight and an element is one step of his reduction. No operation
/// branches on elements.
class PrimeField {
 public:
  static constexpr unsigned kShift = 52;
  static constexpr uint64_t kMask = (uint64_t{1} << kShift) - 1;
  static constexpr unsigned kBits = 51;

  explicit PrimeField(uint64_t modulus);

  [[nodiscard, gnu::always_inline]] auto modulus() const -> uint64_t { return p_; }
  /// -1 / p modulo 2^52.
  [[nodiscard, gnu::always_inline]] auto negated_inverse() const -> uint64_t {
    return negated_inverse_;
  }
  /// The weights of 1 and of 2^52.
  [[nodiscard, gnu::always_inline]] auto one() const -> uint64_t { return one_; }
  [[nodiscard, gnu::always_inline]] auto shifted_one() const -> uint64_t { return shifted_one_; }

  [[nodiscard, gnu::always_inline]] auto add(uint64_t x, uint64_t y) const -> uint64_t {
    return once_reduced(x + y);
  }
  [[nodiscard, gnu::always_inline]] auto subtract(uint64_t x, uint64_t y) const -> uint64_t {
    return once_reduced(x + p_ - y);
  }
  /// weight x, for a weight or element below p and an x of 52 bits.
  [[nodiscard, gnu::always_inline]] auto times(uint64_t weight, uint64_t x) const -> uint64_t {
    return once_reduced(divided(Word128{weight} * x));
  }
  /// x mod p.
  [[nodiscard, gnu::always_inline]] auto reduced_word(uint64_t x) const -> uint64_t {
    const auto quotient = static_cast<uint64_t>(Word128{x} * reciprocal_ >> 64);
    return once_reduced(x - quotient * p_);
  }
  [[nodiscard, gnu::always_inline]] auto reduced(Word128 x) const -> uint64_t {
    return add(reduced_word(static_cast<uint64_t>(x)),
               times(weight_of_word_, reduced_word(static_cast<uint64_t>(x >> 64))));
  }
  /// x / 2^52 modulo p, below x / 2^52 + p: for x < 2^115.
  [[nodiscard, gnu::always_inline]] auto divided(Word128 x) const -> uint64_t {
    const uint64_t q = static_cast<uint64_t>(x) * negated_inverse_ & kMask;
    return static_cast<uint64_t>((x + Word128{q} * p_) >> kShift);
  }
  [[nodiscard, gnu::always_inline]] auto weight_of(uint64_t x) const -> uint64_t {
    return times(shifted_one_, x);
  }

 private:
  /// Of x < 2 p.
  [[nodiscard, gnu::always_inline]] auto once_reduced(uint64_t x) const -> uint64_t {
    const uint64_t less = x - p_;
    return less + (p_ & (0 - (less >> 63)));
  }

  uint64_t p_;
  uint64_t negated_inverse_ = 1;
  uint64_t one_ = 0;
  uint64_t shifted_one_ = 0;
  uint64_t reciprocal_ = 0;      ///< 2^64 / p, rounded down: quotients are one too small at most
  uint64_t weight_of_word_ = 0;  ///< of 2^64
};

/// Whether an odd n with 2^50 < n < 2^51 is prime. Always right: the test of Miller and Rabin with
/// the first nine primes as bases has no exception below 3825123056546413051 (Jiang and Deng,
/// "Strong pseudoprimes to the first eight prime bases").
[[nodiscard]] auto is_prime(uint64_t n) -> bool;

/// A prime between 2^50 and 2^51, each as likely as any other: there are more than 2^44.8.
[[nodiscard]] auto draw_prime(secure_random::AesCtr& coins) -> uint64_t;

/// An element, uniform but for 2^-77.
[[nodiscard]] auto draw_element(const PrimeField& field, secure_random::AesCtr& coins) -> uint64_t;

}  // namespace tacet::mpc
