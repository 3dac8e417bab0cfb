#include "engine/mpc/aby3_active/prime_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "engine/mpc/aby3_active/whole_number.h"

namespace tacet::mpc {
namespace {

constexpr uint64_t kLeast = (uint64_t{1} << 50) + 55;      // the first prime above 2^50
constexpr uint64_t kGreatest = (uint64_t{1} << 51) - 129;  // the last one below 2^51

auto stream_of_number(uint64_t number) -> secure_random::AesCtr {
  secure_random::AesKey key{};
  std::memcpy(key.data(), &number, sizeof(number));
  return {key, {}, Isa::Scalar};
}

/// Odd primes, those whose squares are below 2^51 among them, by the sieve.
auto primes_for_trials() -> const std::vector<uint32_t>& {
  static const std::vector<uint32_t> primes = [] {
    constexpr uint32_t kEnd = 67'110'000;
    std::vector<bool> is_composite(kEnd);
    std::vector<uint32_t> found;
    for (uint32_t i = 3; i < kEnd; i += 2) {
      if (!is_composite[i]) {
        found.push_back(i);
        for (uint64_t multiple = uint64_t{i} * i; multiple < kEnd; multiple += 2 * i) {
          is_composite[multiple] = true;
        }
      }
    }
    return found;
  }();
  return primes;
}

auto has_no_divisor(uint64_t n) -> bool {
  return std::none_of(primes_for_trials().begin(), primes_for_trials().end(),
                      [&](uint64_t prime) { return n % prime == 0; });
}

TEST(PrimeField, KnowsPrimes) {
  std::mt19937_64 random(1);
  for (uint64_t n = (uint64_t{1} << 50) + 1; n <= kLeast + 40; n += 2) {
    EXPECT_EQ(is_prime(n), has_no_divisor(n)) << n;
  }
  for (uint64_t n = kGreatest - 40; n < uint64_t{1} << 51; n += 2) {
    EXPECT_EQ(is_prime(n), has_no_divisor(n)) << n;
  }
  EXPECT_TRUE(is_prime(kLeast));
  EXPECT_TRUE(is_prime(kGreatest));
  for (size_t i = 0; i < 60; ++i) {
    const uint64_t n = uint64_t{1} << 50 | (random() >> 14) | 1;
    EXPECT_EQ(is_prime(n), has_no_divisor(n)) << n;
  }
}

/// Squares of primes, and products of p and 2 p - 1, half of which pass the test to any one base.
TEST(PrimeField, KnowsStrongPseudoprimes) {
  size_t n_products = 0;
  const std::vector<uint32_t>& primes = primes_for_trials();
  for (const uint64_t p : primes) {
    if (p * p >> 50 == 1) {
      if (p % 1021 == 1) {
        EXPECT_FALSE(is_prime(p * p)) << p;
      }
    }
    const uint64_t q = 2 * p - 1;
    if (p * q >> 50 == 1 && std::binary_search(primes.begin(), primes.end(), q)) {
      EXPECT_FALSE(is_prime(p * q)) << p;
      ++n_products;
    }
  }
  EXPECT_GT(n_products, 10'000U);
}

TEST(PrimeField, DrawsPrimesEvenly) {
  constexpr size_t kDraws = 4000;
  std::vector<size_t> counts(8);
  secure_random::AesCtr coins = stream_of_number(1);
  for (size_t i = 0; i < kDraws; ++i) {
    const uint64_t p = draw_prime(coins);
    ASSERT_EQ(p >> 50, 1U);
    ASSERT_TRUE(is_prime(p));
    if (i < 20) {
      EXPECT_TRUE(has_no_divisor(p));
    }
    ++counts[p >> 47 & 7];
  }
  for (const size_t count : counts) {
    EXPECT_NEAR(static_cast<double>(count), kDraws / 8.0, 5 * std::sqrt(kDraws / 8.0));
  }
  secure_random::AesCtr again = stream_of_number(1);
  secure_random::AesCtr same = stream_of_number(1);
  EXPECT_EQ(draw_prime(again), draw_prime(same));
}

TEST(PrimeField, Arithmetic) {
  std::mt19937_64 random(2);
  for (const uint64_t p : {kLeast, kGreatest, (uint64_t{1} << 50) + 1'000'001}) {
    const PrimeField field(p);
    std::vector<uint64_t> elements{0, 1, p - 1, p / 2};
    for (size_t i = 0; i < 20; ++i) {
      elements.push_back(random() % p);
    }
    for (const uint64_t x : elements) {
      for (const uint64_t y : elements) {
        EXPECT_EQ(field.add(x, y), (x + y) % p);
        EXPECT_EQ(field.subtract(x, y), (x + (p - y)) % p);
        EXPECT_EQ(field.times(field.weight_of(x), y), Word128{x} * y % p);
      }
      EXPECT_EQ(field.times(field.one(), x), x);
      EXPECT_EQ(field.times(field.shifted_one(), x), (Word128{x} << 52) % p);
    }
    for (size_t i = 0; i < 40; ++i) {
      const uint64_t word = i == 0 ? ~uint64_t{0} : i % 2 == 0 ? random() : p * (random() >> 51);
      const Word128 words = Word128{word} << 64 | (i == 0 ? ~uint64_t{0} : random());
      EXPECT_EQ(field.reduced_word(word), word % p);
      EXPECT_EQ(field.reduced(words), words % p);
    }
    const Word128 large = (Word128{1} << 115) - 1;
    EXPECT_EQ((Word128{field.divided(large)} << 52) % p, large % p);
    EXPECT_EQ(field.divided(0), 0U);
  }
}

/// Against arithmetic of numbers of 128 bits.
TEST(WholeNumber, IsTheSumOfItsPieces) {
  std::mt19937_64 random(3);
  const auto shown = [](const Whole& x) {
    EXPECT_EQ(x[2], x[3]);
    EXPECT_EQ(x[2], static_cast<int64_t>(x[1]) < 0 ? ~uint64_t{0} : 0);
    return static_cast<__int128>(Word128{x[1]} << 64 | x[0]);
  };
  for (size_t i = 0; i < 200; ++i) {
    const auto low = static_cast<int64_t>(random()) >> (random() % 60);
    const auto high = static_cast<int64_t>(random()) >> (random() % 60);
    const auto shift = static_cast<unsigned>(1 + random() % 62);
    const __int128 value = low + (static_cast<__int128>(high) << shift);
    EXPECT_TRUE(shown(whole_of(low, high, shift)) == value);
    EXPECT_TRUE(shown(negate(whole_of(low, high, shift))) == -value);
    const Whole one = whole_of(1, 0, 1);
    EXPECT_TRUE(shown(add(whole_of(low, high, shift), one)) == value + 1);
  }
  EXPECT_EQ(add(Whole{~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}}, {1, 0, 0, 0}),
            Whole{});
}

}  // namespace
}  // namespace tacet::mpc
