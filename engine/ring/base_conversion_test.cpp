#include "engine/ring/base_conversion.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "engine/ring/primes.h"
#include "engine/ring/row_pool.h"

namespace tacet::ring {
namespace {

constexpr size_t kN = 256;

auto moduli(unsigned bits, size_t n_primes, size_t n_skipped = 0) -> std::vector<Modulus> {
  std::vector<Modulus> result;
  for (const uint64_t q : largest_primes(bits, 2 * kN, n_skipped + n_primes)) {
    if (n_skipped > 0) {
      --n_skipped;
    } else {
      result.emplace_back(q);
    }
  }
  return result;
}

/// Small enough to be exact, near enough to the ends of the range to matter: `x` in units of
/// Q / 2^20, plus a small number.
struct Number {
  int64_t fraction;
  int64_t rest;
};

/// The number modulo `p`. Q / 2^20 is not an integer: (Q - Q mod 2^20) / 2^20 stands for it.
auto residue_of(Number x, std::span<const Modulus> base, const Modulus& p) -> uint64_t {
  const Modulus unit(uint64_t{1} << 20);
  const uint64_t below = product_modulo(base, unit);
  const uint64_t q = subtract(product_modulo(base, p), below % p.value, p);
  const uint64_t step = multiply(q, invert(unit.value % p.value, p), p);
  const auto wrap = [&](int64_t a) {
    const auto value = static_cast<int64_t>(p.value);
    return static_cast<uint64_t>((a % value + value) % value);
  };
  return add(multiply(step, wrap(x.fraction), p), wrap(x.rest), p);
}

TEST(BaseConversion, CarriesTheRepresentativeNearZeroOver) {
  std::mt19937_64 random(1);
  for (const Isa isa : supported_isas()) {
    const Kernels& kernels = kernels_for(isa);
    for (const size_t n_from : {1U, 2U, 3U, 7U, 18U}) {
      for (const unsigned bits : {36U, 50U}) {
        const std::vector<Modulus> from = moduli(bits, n_from);
        std::vector<Modulus> to = moduli(50, 3, 20);
        to.emplace_back(65537);
        const BaseConversion conversion(from, to);
        auto pool = std::make_shared<RowPool>();
        std::vector<Number> numbers;
        for (size_t i = 0; i < kN; ++i) {
          const auto fraction = static_cast<int64_t>(random() % ((1 << 20) - 2)) - (1 << 19) + 1;
          numbers.push_back(
              {i % 4 == 0 ? 0 : fraction, static_cast<int64_t>(random() % 2001) - 1000});
        }
        Rows x(pool, n_from, kN);
        std::vector<const uint64_t*> rows;
        for (size_t k = 0; k < n_from; ++k) {
          for (size_t i = 0; i < kN; ++i) {
            x.row(k)[i] = residue_of(numbers[i], from, from[k]);
          }
          rows.push_back(x.row(k));
        }
        Rows terms(pool, n_from + 1, kN);
        conversion.prepare(kernels, rows, terms.row_pointers(), kN);
        Rows out(pool, 1, kN);
        for (size_t j = 0; j < to.size(); ++j) {
          conversion.convert(kernels, terms.row_pointers(), j, out.row(0), kN);
          for (size_t i = 0; i < kN; ++i) {
            ASSERT_EQ(out.row(0)[i], residue_of(numbers[i], from, to[j]))
                << isa_name(isa) << " " << n_from << " primes of " << bits << " bits, to "
                << to[j].value << ": " << numbers[i].fraction << "/2^20 Q + " << numbers[i].rest;
          }
        }
      }
    }
  }
}

TEST(BaseConversion, MultipliesByFactors) {
  const std::vector<Modulus> from = moduli(40, 2);
  const std::vector<Modulus> to = moduli(50, 1);
  const BaseConversion conversion(from, to, {.before = {3, 3}, .after = {5}});
  auto pool = std::make_shared<RowPool>();
  Rows x(pool, 2, kN);
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 0; i < kN; ++i) {
      x.row(k)[i] = i;
    }
  }
  Rows terms(pool, 3, kN);
  conversion.prepare(scalar_kernels(), std::as_const(x).row_pointers(), terms.row_pointers(), kN);
  Rows out(pool, 1, kN);
  conversion.convert(scalar_kernels(), terms.row_pointers(), 0, out.row(0), kN);
  for (size_t i = 0; i < kN; ++i) {
    ASSERT_EQ(out.row(0)[i], 15 * i);
  }
}

}  // namespace
}  // namespace tacet::ring
