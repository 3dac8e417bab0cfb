#include "compiler/he/lower/prime_finder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/primes.h"

namespace tacet::he_lower {
namespace {

constexpr size_t kN = 4096;
constexpr uint64_t kT = 65537;

/// log2 of the largest primes of a size, found at once.
auto sizes_of(unsigned bits, size_t n_primes) -> std::vector<double> {
  std::vector<double> sizes;
  const uint64_t taken[] = {kT};
  for (const uint64_t prime : largest_primes(bits, 2 * kN, n_primes, taken)) {
    sizes.push_back(std::log2(static_cast<double>(prime)));
  }
  return sizes;
}

TEST(PrimeFinder, GivesTheLargestInAnyOrderOfAsking) {
  PrimeFinder finder(kN, kT);
  for (const size_t n_primes : {1U, 5U, 3U, 20U}) {
    Setting setting{.data_prime_bits = std::vector<unsigned>(n_primes, 40)};
    ASSERT_TRUE(finder.find(setting));
    EXPECT_EQ(setting.data_sizes, sizes_of(40, n_primes));
  }
}

TEST(PrimeFinder, SpecialPrimesAreOthers) {
  PrimeFinder finder(kN, kT);
  Setting setting{.data_prime_bits = {30, 32, 30}, .special_prime_bits = {32, 30}};
  ASSERT_TRUE(finder.find(setting));
  const std::vector<double> shorter = sizes_of(30, 3);
  const std::vector<double> longer = sizes_of(32, 2);
  EXPECT_EQ(setting.data_sizes, (std::vector{shorter[0], longer[0], shorter[1]}));
  EXPECT_EQ(setting.special_sizes, (std::vector{longer[1], shorter[2]}));
}

TEST(PrimeFinder, FewPrimesRunOut) {
  const size_t n_primes = sizes_of(18, he::kMaxPrimes).size();
  ASSERT_LT(n_primes, he::kMaxPrimes);
  PrimeFinder finder(kN, kT);
  Setting setting{.data_prime_bits = std::vector<unsigned>(n_primes + 1, 18)};
  EXPECT_FALSE(finder.find(setting));
  EXPECT_FALSE(finder.find(setting));
  setting.data_prime_bits.pop_back();
  ASSERT_TRUE(finder.find(setting));
  EXPECT_EQ(setting.data_sizes, sizes_of(18, n_primes));
}

TEST(PrimeFinder, ThePlainModulusIsNoneOfThem) {
  const size_t n_primes = largest_primes(17, 2 * kN, he::kMaxPrimes).size();  // with it
  PrimeFinder finder(kN, kT);
  Setting setting{.data_prime_bits = std::vector<unsigned>(n_primes, 17)};
  EXPECT_FALSE(finder.find(setting));
  setting.data_prime_bits.pop_back();
  EXPECT_TRUE(finder.find(setting));
}

}  // namespace
}  // namespace tacet::he_lower
