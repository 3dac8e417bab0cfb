#include "engine/mpc/fixed_point/polynomial.h"

#include <algorithm>

namespace tacet::mpc {

namespace {

__extension__ using SignedWord128 = __int128;

constexpr unsigned kCoefficientBits = 60;

struct Table {
  Polynomial polynomial;
  std::span<const int64_t> coefficients;
  unsigned bits;  ///< how exact it is
};

#define TACET_POLYNOMIAL(Name, bits, ...) constexpr int64_t k##Name##bits[] = {__VA_ARGS__};
#include "engine/mpc/fixed_point/polynomials.def"

constexpr Table kTables[] = {
#define TACET_POLYNOMIAL(Name, bits, ...) {Polynomial::Name, k##Name##bits, bits},
#include "engine/mpc/fixed_point/polynomials.def"
};

/// a * b * 2^-shift, rounded to nearest.
auto scaled(int64_t a, int64_t b, unsigned shift) -> SignedWord128 {
  const SignedWord128 product = static_cast<SignedWord128>(a) * b;
  return (product + (SignedWord128{1} << (shift - 1))) >> shift;
}

}  // namespace

auto coefficients_of(Polynomial polynomial, unsigned inner_bits) -> std::span<const int64_t> {
  std::span<const int64_t> found;
  for (const Table& table : kTables) {
    // Tables of one polynomial are in the order of their errors.
    if (table.polynomial == polynomial) {
      found = table.coefficients;
      if (table.bits >= inner_bits + 1) {
        break;
      }
    }
  }
  return found;
}

auto evaluate_polynomial(Party& party, Polynomial polynomial, Share t, unsigned inner_bits,
                         Truncation how, int64_t scale) -> Task<Share> {
  const std::span<const int64_t> coefficients = coefficients_of(polynomial, inner_bits);
  const size_t degree = coefficients.size() - 1;
  const size_t n = t.size();
  // Coefficients have as many bits as the ring leaves them.
  const unsigned bits = std::min(n_bits(t.ring()) - 5 - inner_bits, kCoefficientBits);
  std::vector<Share> powers = {t};
  while (powers.size() < degree) {
    const size_t count = std::min(powers.size(), degree - powers.size());
    const Share highest = tile(powers.back(), count);
    const Share others = concatenate(std::span<const Share>(powers.data(), count));
    const Share products =
        co_await party.protocol().multiply_truncate(party, highest, others, inner_bits, how);
    for (size_t i = 0; i < count; ++i) {
      powers.push_back(slice(products, i * n, n));
    }
  }
  const auto coefficient = [&](size_t i) {
    return static_cast<Word128>(scaled(coefficients[i], scale, 2 * kCoefficientBits - bits));
  };
  Share sum = mpc::scale(powers[0], coefficient(1));
  for (size_t i = 2; i <= degree; ++i) {
    sum = add(sum, mpc::scale(powers[i - 1], coefficient(i)));
  }
  sum = party.protocol().add_constant(party, sum, coefficient(0) << inner_bits);
  Share result = co_await truncate(party, sum, bits, how);
  co_return result;
}

}  // namespace tacet::mpc
