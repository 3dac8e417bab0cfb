#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "engine/mpc/aby3_active/prime_check_test.h"

/// Checks of products by whole numbers, with a liar.
namespace tacet::mpc {
namespace {

/// Every byte of every message of a small check, some of larger ones.
TEST(PrimeCheckAttacks, FindsAlteredMessages) {
  std::mt19937_64 from(6);
  for (const size_t n : std::vector<size_t>{1, 20, 700, 4100}) {
    const Products<uint64_t> products(n, 1, from);
    const Result honest = run_products(n, products);
    ASSERT_TRUE(honest.holds);
    for (size_t stage = 0; stage < honest.n_folds; ++stage) {
      const size_t size = honest.messages[stage][0].size();
      const size_t step = n == 1 ? 1 : 1 + size / (n > 1000 ? 8 : 24);
      for (size_t byte = 0; byte < size; byte += step) {
        const auto flip = static_cast<std::byte>(1U << from() % 8);
        const Result result = run_products(
            n, products, [&](size_t at, size_t party, std::vector<std::byte>& message) {
              if (at == stage && party == byte % 3) {
                message[byte] ^= flip;
              }
            });
        EXPECT_FALSE(result.holds) << n << ' ' << stage << ' ' << byte;
      }
    }
  }
}

/// A liar who makes a product wrong and then alters all that it sends.
TEST(PrimeCheckAttacks, FindsALiarWhoAltersEverything) {
  std::mt19937_64 from(7);
  for (size_t i = 0; i < 50; ++i) {
    Products<uint64_t> products(90, 1, from);
    products.z[0][i] = from();
    const Result result =
        run_products(i, products, [&](size_t, size_t party, std::vector<std::byte>& message) {
          for (std::byte& byte : message) {
            byte ^= party == 1 ? static_cast<std::byte>(from()) : std::byte{};
          }
        });
    EXPECT_FALSE(result.holds);
  }
}

/// Sums of carries that are off by little, by much, and out of range.
TEST(PrimeCheckAttacks, FindsWrongSumsOfCarries) {
  std::mt19937_64 from(10);
  const Products<uint64_t> products(30, 1, from);
  for (const unsigned shift : {0U, 1U, 63U, 64U, 100U, 200U, 254U, 255U}) {
    for (const int sign : {1, -1}) {
      for (size_t liar = 0; liar < kThree; ++liar) {
        const size_t chosen = from() % kCarrySums;
        const Change change = adding(liar, [&](size_t j) {
          return j == chosen ? (Integer(1) << shift) * sign : Integer(0);
        });
        EXPECT_FALSE(run_products(shift, products, change).holds) << shift;
      }
    }
  }
  for (const unsigned byte : {0x00U, 0x7FU, 0x80U, 0xFFU}) {
    const Change change = [&](size_t stage, size_t party, std::vector<std::byte>& message) {
      if (stage == 0 && party == 2) {
        std::fill(message.begin(), message.end(), static_cast<std::byte>(byte));
      }
    };
    EXPECT_FALSE(run_products(byte, products, change).holds);
  }
}

/// A wrong product, with sums of carries as near to right as whole numbers can be: the liar knows
/// which sums it is in. Then the same as if it knew a prime before: right modulo that one, and
/// found unless it is the one that is drawn.
TEST(PrimeCheckAttacks, FindsSumsThatAreChosenForAWrongProduct) {
  std::mt19937_64 from(11);
  for (size_t i = 0; i < 40; ++i) {
    Products<uint64_t> products(30, 1, from);
    const size_t top = 63 - i % 3;
    const size_t place = i % 30;
    const uint64_t error = uint64_t{1} << top;
    // Over whole numbers: -2^top, or 2^64 more; and what the liar's own carry is off by.
    Integer of_error = -products.difference(place);
    const uint64_t low = products.x[1][place] * (products.y[1][place] + products.y[2][place]) +
                         products.x[2][place] * products.y[1][place];
    const int carry = products.z[1][place] < low ? 1 : 0;
    products.z[1][place] += error;
    of_error += products.difference(place);
    of_error -= Integer((products.z[1][place] < low ? 1 : 0) - carry) << 64;
    const std::vector<uint64_t> bits = bits_of(i, 30);
    for (const int rounding : {-1, 0, 1}) {
      const Change change = adding(1, [&](size_t j) {
        return bit_of(bits, place, j) ? Integer(of_error / (Integer(1) << 64)) + rounding
                                      : Integer(0);
      });
      EXPECT_FALSE(run_products(i, products, change).holds) << i;
    }
    const auto for_prime = [&](uint64_t p) {
      // 2^-64 = 2^(p - 1 - 64) modulo p.
      const Integer inverse = powm(Integer(2), Integer(p) - 65, Integer(p));
      const Integer wanted = ((of_error % p + p) * inverse) % p;
      return adding(1, [=](size_t j) { return bit_of(bits, place, j) ? wanted : Integer(0); });
    };
    EXPECT_FALSE(run_products(i, products, for_prime(prime_of(i + 1'000'000))).holds);
    EXPECT_TRUE(run_products(i, products, for_prime(prime_of(i))).holds);
  }
}

/// Errors of carries that several primes divide are found by all others.
TEST(PrimeCheckAttacks, FindsErrorsOfManyPrimes) {
  std::mt19937_64 from(12);
  const Products<uint64_t> products(8, 1, from);
  Integer product = 1;
  for (uint64_t number = 1; number <= 4; ++number) {
    product *= prime_of(2'000'000 + number);
  }
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    EXPECT_FALSE(run_products(seed, products, adding(0, [&](size_t) { return product; })).holds);
  }
  const uint64_t drawn = prime_of(77);
  product = product / prime_of(2'000'001) * drawn;
  EXPECT_TRUE(run_products(77, products, adding(0, [&](size_t) { return product; })).holds);
}

}  // namespace
}  // namespace tacet::mpc
