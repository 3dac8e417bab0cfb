#include "engine/ring/primes.h"

#include <gtest/gtest.h>

#include <random>

namespace tacet::ring {
namespace {

TEST(Primes, AgreeWithTrialDivision) {
  const auto by_trial = [](uint64_t n) {
    for (uint64_t d = 2; d * d <= n; ++d) {
      if (n % d == 0) {
        return false;
      }
    }
    return n >= 2;
  };
  for (uint64_t n = 0; n < 20000; ++n) {
    ASSERT_EQ(is_prime(n), by_trial(n)) << n;
  }
  // Strong pseudoprimes to many bases (Jaeschke).
  for (const uint64_t n :
       {3215031751ULL, 3474749660383ULL, 341550071728321ULL, 3825123056546413051ULL}) {
    EXPECT_FALSE(is_prime(n)) << n;
  }
  EXPECT_TRUE(is_prime(18446744073709551557ULL));  // the largest word
}

TEST(Primes, AreTheLargestOfTheirSize) {
  const std::vector<uint64_t> taken = largest_primes(50, 16384, 1);
  const std::vector<uint64_t> primes = largest_primes(50, 16384, 3, taken);
  ASSERT_EQ(primes.size(), 3U);
  EXPECT_LT(primes[0], taken[0]);
  for (const uint64_t q : primes) {
    EXPECT_TRUE(is_prime(q));
    EXPECT_EQ(q % 16384, 1U);
    EXPECT_EQ(Modulus(q).bits(), 50U);
  }
  EXPECT_TRUE(largest_primes(51, 16384, 1).empty());
  EXPECT_TRUE(largest_primes(14, 16384, 1).empty());
  EXPECT_EQ(largest_primes(17, 2, 1).at(0), 131071U);
  EXPECT_EQ(largest_primes(2, 2, 5), std::vector<uint64_t>{3});
}

TEST(Primes, AreTheGreatestBelowALimit) {
  EXPECT_EQ(greatest_prime(2, 100, 1), 97U);
  EXPECT_EQ(greatest_prime(2, 97, 1), 89U);
  const uint64_t taken[] = {97};
  EXPECT_EQ(greatest_prime(2, 100, 1, taken), 89U);
  EXPECT_EQ(greatest_prime(90, 97, 1), 0U);
  EXPECT_EQ(greatest_prime(1, 100, 32), 97U);
  EXPECT_EQ(greatest_prime(1, 97, 32), 0U);  // 65 = 5 13, 33 = 3 11, 1
  EXPECT_EQ(greatest_prime(0, 2, 1), 0U);
  EXPECT_EQ(greatest_prime(0, 1, 1), 0U);
  EXPECT_EQ(greatest_prime(0, 3, 1), 2U);
}

TEST(Modulus, ReducesLikeDivision) {
  std::mt19937_64 random(1);
  for (const uint64_t value :
       {2ULL, 3ULL, 17ULL, 65536ULL, 65537ULL, (1ULL << 49) + 9, (1ULL << 50) - 27}) {
    const Modulus q(value);
    for (int i = 0; i < 2000; ++i) {
      const uint64_t low = i % 5 == 0 ? ~uint64_t{0} : random();
      const uint64_t high = i % 7 == 0 ? ~uint64_t{0} : random() >> (i % 64);
      const Uint128 wide = (static_cast<Uint128>(high) << 64) | low;
      ASSERT_EQ(reduce(low, q), low % value);
      ASSERT_EQ(reduce(wide, q), static_cast<uint64_t>(wide % value)) << value;
      const uint64_t a = low % value;
      if (const uint64_t inverse = invert(a, q); inverse != 0) {
        ASSERT_EQ(multiply(a, inverse, q), 1U % value);
      }
      ASSERT_EQ(residue(centred(a, q), q), a);
      ASSERT_LE(std::abs(centred(a, q)), static_cast<int64_t>(value / 2));
      ASSERT_EQ(multiply(a, factor(3 % value, q), q), multiply(a, 3 % value, q));
    }
  }
}

}  // namespace
}  // namespace tacet::ring
