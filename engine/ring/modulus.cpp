#include "engine/ring/modulus.h"

#include "base/check.h"

namespace tacet::ring {

Modulus::Modulus(uint64_t q) : value(q) {
  TACET_CHECK(q >= 2 && (q >> kMaxModulusBits) == 0, "a modulus has 2 to 50 bits");
  // floor((2^128 - 1) / q) is floor(2^128 / q) unless q is a power of two, and then one less,
  // which reduction bears.
  const Uint128 ratio = ~Uint128{0} / q;
  ratio_high = static_cast<uint64_t>(ratio >> 64);
  ratio_low = static_cast<uint64_t>(ratio);
  shift = bits() - 2;
  shifted_ratio = static_cast<uint64_t>(ratio >> (64 - shift));
  as_double = static_cast<double>(q);
  inverse = 1.0 / as_double;
}

auto power(uint64_t a, uint64_t exponent, const Modulus& q) -> uint64_t {
  uint64_t result = reduce(uint64_t{1}, q);
  for (; exponent != 0; exponent >>= 1, a = multiply(a, a, q)) {
    if ((exponent & 1) != 0) {
      result = multiply(result, a, q);
    }
  }
  return result;
}

auto invert(uint64_t a, const Modulus& q) -> uint64_t {
  // Extended Euclid: row = coefficient * a modulo q, for both rows.
  auto row = static_cast<int64_t>(q.value);
  auto next_row = static_cast<int64_t>(a);
  int64_t coefficient = 0;
  int64_t next_coefficient = 1;
  while (next_row != 0) {
    const int64_t quotient = row / next_row;
    row -= quotient * next_row;
    coefficient -= quotient * next_coefficient;
    std::swap(row, next_row);
    std::swap(coefficient, next_coefficient);
  }
  return row == 1 ? residue(coefficient, q) : 0;
}

auto factor(uint64_t value, const Modulus& q) -> Factor {
  return {.value = value,
          .quotient = static_cast<uint64_t>((static_cast<Uint128>(value) << 64) / q.value)};
}

}  // namespace tacet::ring
