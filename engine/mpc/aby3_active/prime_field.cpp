#include "engine/mpc/aby3_active/prime_field.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/check.h"

namespace tacet::mpc {

namespace {

constexpr std::array<uint64_t, 24> kSmallPrimes{3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                                43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
constexpr std::array<uint64_t, 9> kBases{2, 3, 5, 7, 11, 13, 17, 19, 23};

/// Whether n looks like a prime to base `base`: base^d is 1, or one of its squares is -1, where
/// n - 1 = 2^s d.
auto is_probable_prime(const PrimeField& modulo, uint64_t base) -> bool {
  const uint64_t n = modulo.modulus();
  const int s = std::countr_zero(n - 1);
  const uint64_t weight = modulo.weight_of(base);
  uint64_t power = 1;
  for (int bit = 63 - std::countl_zero(n - 1); bit >= s; --bit) {
    power = modulo.times(modulo.weight_of(power), power);
    if (((n - 1) >> bit & 1) != 0) {
      power = modulo.times(weight, power);
    }
  }
  bool is_probable = power == 1 || power == n - 1;
  for (int i = 1; i < s && !is_probable; ++i) {
    power = modulo.times(modulo.weight_of(power), power);
    is_probable = power == n - 1;
  }
  return is_probable;
}

}  // namespace

PrimeField::PrimeField(uint64_t modulus) : p_(modulus) {
  TACET_CHECK(modulus >> (kBits - 1) == 1 && modulus % 2 == 1, "a modulus out of range");
  // Newton: each step doubles the right bits of 1 / p.
  uint64_t inverse = modulus;
  for (int i = 0; i < 5; ++i) {
    inverse *= 2 - modulus * inverse;
  }
  negated_inverse_ = (0 - inverse) & kMask;
  one_ = (uint64_t{1} << kShift) % modulus;
  shifted_one_ = static_cast<uint64_t>(Word128{one_} * one_ % modulus);
  reciprocal_ = ~uint64_t{0} / modulus;
  weight_of_word_ = weight_of(static_cast<uint64_t>((Word128{1} << 64) % modulus));
}

auto is_prime(uint64_t n) -> bool {
  if (std::any_of(kSmallPrimes.begin(), kSmallPrimes.end(),
                  [&](uint64_t small) { return n % small == 0; })) {
    return false;
  }
  const PrimeField modulo(n);
  return std::all_of(kBases.begin(), kBases.end(),
                     [&](uint64_t base) { return is_probable_prime(modulo, base); });
}

auto draw_prime(secure_random::AesCtr& coins) -> uint64_t {
  constexpr uint64_t kTop = uint64_t{1} << (PrimeField::kBits - 1);
  for (;;) {
    uint64_t bits = 0;
    coins.fill(std::as_writable_bytes(std::span(&bits, 1)));
    const uint64_t candidate = kTop | (bits & (kTop - 1)) | 1;
    if (is_prime(candidate)) {
      return candidate;
    }
  }
}

auto draw_element(const PrimeField& field, secure_random::AesCtr& coins) -> uint64_t {
  Word128 bits = 0;
  coins.fill(std::as_writable_bytes(std::span(&bits, 1)));
  return field.reduced(bits);
}

}  // namespace tacet::mpc
