// Shares of products: what is opened less the mask is the sum of the products, for numbers of all
// widths and at the ends of their ranges; damaged data is rejected.

#include "engine/masked_products/products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/value.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::masked_products {
namespace {

auto setting() -> SettingRef {
  static const SettingRef instance = Setting::make(best_isa()).value();
  return instance;
}

auto test_random(uint64_t seed) -> he::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(seed), best_isa());
}

/// Both sides' state; made once, for keys take a while.
struct Sides {
  Sides()
      : random(test_random(1)),
        keys(Keys::generate(setting(), random).value()),
        public_keys(PublicKeys::read(setting(), keys.public_bytes()).value()) {}

  he::SecureRandom random;
  Keys keys;
  PublicKeys public_keys;
};

auto sides() -> Sides& {
  static Sides instance;
  return instance;
}

/// Random numbers of `bits` bits, the first ones zero, one and the largest.
template <class Word>
auto numbers_of(unsigned bits, size_t n, uint64_t seed) -> std::vector<Word> {
  std::mt19937_64 random(seed);
  const Word mask = static_cast<Word>(~Word{0}) >> (8 * sizeof(Word) - bits);
  std::vector<Word> numbers(n);
  for (size_t i = 0; i < n; ++i) {
    Word number = random();
    if constexpr (sizeof(Word) == 16) {
      number = number << 64 | random();
    }
    const Word ends[] = {0, 1, mask, mask};
    numbers[i] = i < 4 ? ends[(i + seed) % 4] : number & mask;
  }
  return numbers;
}

template <class Word>
void check_products(unsigned bits, size_t n_terms, size_t n) {
  Sides& s = sides();
  const size_t n_primes = Setting::primes_for(bits, n_terms);
  std::vector<std::vector<Word>> theirs, ours;
  std::vector<Factor> factors;
  for (size_t t = 0; t < n_terms; ++t) {
    theirs.push_back(numbers_of<Word>(bits, n, 2 * t + bits));
    ours.push_back(numbers_of<Word>(bits, n, 2 * t + 1 + bits));
    const Bytes sent =
        encrypt(s.keys, n_primes, Packing::Slots, std::span<const Word>(theirs[t]), s.random)
            .value();
    factors.push_back(read_factor(*setting(), n_primes, sent).value());
  }
  ProductSums<Word> sums(s.public_keys, n_primes, Packing::Slots);
  for (size_t t = 0; t < n_terms; ++t) {
    sums.add(factors[t], std::span<const Word>(ours[t]));
  }
  std::vector<Word> mask(n);
  std::vector<Word> opened(n);
  const Bytes bytes = sums.hide(std::span<Word>(mask), s.random).value();
  const Status status = open(s.keys, n_primes, bytes, std::span<Word>(opened), s.random);
  ASSERT_TRUE(status) << status.error().message;
  for (size_t i = 0; i < n; ++i) {
    Word sum = 0;
    for (size_t t = 0; t < n_terms; ++t) {
      sum += theirs[t][i] * ours[t][i];
    }
    ASSERT_TRUE(static_cast<Word>(opened[i] - mask[i]) == sum) << "number " << i;
  }
}

TEST(Products, BitsOfOneModulus) {
  EXPECT_EQ(Setting::primes_for(1, 2), 2U);
  check_products<uint64_t>(1, 2, 8192);
  check_products<uint64_t>(1, 1, 100);
}

TEST(Products, Words) {
  EXPECT_EQ(Setting::primes_for(32, 2), 4U);
  EXPECT_EQ(Setting::primes_for(64, 2), 5U);
  EXPECT_EQ(Setting::primes_for(64, 256), 6U);
  EXPECT_EQ(Setting::primes_for(128, 2), 8U);
  EXPECT_LE(Setting::primes_for(128, Setting::kMaxTerms), setting()->n_contexts());
  check_products<uint64_t>(32, 2, 8192);
  check_products<uint64_t>(64, 2, 8192);
  check_products<uint64_t>(64, 1, 5);
  check_products<Uint128>(128, 2, 8192);
  check_products<uint64_t>(64, 20, 8192);
}

/// Coefficient `k` of the product modulo X^n + 1.
template <class Word>
auto product_coefficient(const std::vector<Word>& a, const std::vector<Word>& b, size_t n, size_t k)
    -> Word {
  Word sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t j = (k + n - i) % n;
    if (j < b.size()) {
      sum += i <= k ? a[i] * b[j] : Word{0} - a[i] * b[j];
    }
  }
  return sum;
}

template <class Word>
void check_polynomials(unsigned bits, size_t n_left, size_t n_right,
                       const std::vector<uint32_t>& wanted) {
  Sides& s = sides();
  const size_t n = setting()->n_slots();
  const size_t n_primes = Setting::primes_for(bits, n_left);
  const auto theirs = numbers_of<Word>(bits, n_left, 5);
  const auto ours = numbers_of<Word>(bits, n_right, 6);
  const Bytes sent =
      encrypt(s.keys, n_primes, Packing::Coefficients, std::span<const Word>(theirs), s.random)
          .value();
  ProductSums<Word> sums(s.public_keys, n_primes, Packing::Coefficients);
  sums.add(read_factor(*setting(), n_primes, sent).value(), std::span<const Word>(ours));
  std::vector<Word> mask(wanted.size());
  std::vector<Word> opened(wanted.size());
  const Bytes bytes = sums.hide_coefficients(wanted, std::span<Word>(mask), s.random).value();
  ASSERT_EQ(bytes.size(), n_primes * setting()->reply_size_of(wanted.size()));
  ASSERT_TRUE(
      open_coefficients(s.keys, n_primes, wanted, bytes, std::span<Word>(opened), s.random));
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_TRUE(static_cast<Word>(opened[i] - mask[i]) ==
                product_coefficient(theirs, ours, n, wanted[i]))
        << "coefficient " << wanted[i];
  }
}

TEST(Products, Polynomials) {
  check_polynomials<uint64_t>(64, 8192, 8192, {8191});
  check_polynomials<uint64_t>(64, 300, 200, {0, 1, 7, 100, 250, 499, 500, 8191});
  check_polynomials<uint64_t>(32, 8192, 1, {3, 2, 1, 8000});
  check_polynomials<Uint128>(128, 1, 8192, {0, 63, 64, 65, 4096});
  std::vector<uint32_t> all(8192);
  std::iota(all.begin(), all.end(), 0);
  check_polynomials<uint64_t>(64, 30, 8100, {all.begin() + 30, all.begin() + 1000});
}

TEST(Products, MasksOfTheSameNumbersDiffer) {
  Sides& s = sides();
  const std::vector<uint64_t> zeros(64);
  const Bytes sent =
      encrypt(s.keys, 4, Packing::Slots, std::span<const uint64_t>(zeros), s.random).value();
  const Factor factor = read_factor(*setting(), 4, sent).value();
  std::vector<uint64_t> a(64);
  std::vector<uint64_t> b(64);
  const auto masked_zeros = [&](std::span<uint64_t> mask) {
    ProductSums<uint64_t> sums(s.public_keys, 4, Packing::Slots);
    sums.add(factor, std::span<const uint64_t>(zeros));
    return sums.hide(mask, s.random).value();
  };
  const Bytes first = masked_zeros(a);
  const Bytes second = masked_zeros(b);
  EXPECT_NE(first, second);
  size_t ones = 0;
  for (size_t i = 0; i < 64; ++i) {
    ones += static_cast<size_t>(std::popcount(a[i])) + static_cast<size_t>(std::popcount(b[i]));
  }
  // Of 8192 bits; six deviations of 45.
  EXPECT_NEAR(static_cast<double>(ones), 4096, 272);
}

TEST(Products, WhatIsOpenedOfPolynomialsIsUniformWhateverTheyAre) {
  Sides& s = sides();
  std::vector<uint32_t> wanted(512);
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = static_cast<uint32_t>(16 * i + 15);
  }
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
    const std::vector<uint64_t> polynomial(8192, number);
    const Bytes sent =
        encrypt(s.keys, 5, Packing::Coefficients, std::span<const uint64_t>(polynomial), s.random)
            .value();
    ProductSums<uint64_t> sums(s.public_keys, 5, Packing::Coefficients);
    sums.add(read_factor(*setting(), 5, sent).value(), std::span<const uint64_t>(polynomial));
    std::vector<uint64_t> mask(wanted.size());
    std::vector<uint64_t> opened(wanted.size());
    const Bytes bytes = sums.hide_coefficients(wanted, std::span(mask), s.random).value();
    ASSERT_TRUE(open_coefficients(s.keys, 5, wanted, bytes, std::span(opened), s.random));
    for (const std::vector<uint64_t>& numbers : {mask, opened}) {
      for (unsigned bit = 0; bit < 64; bit += 9) {
        const auto has_bit = [bit](uint64_t n) { return (n >> bit & 1) != 0; };
        const auto ones = std::count_if(numbers.begin(), numbers.end(), has_bit);
        // Of 512; six deviations of 11.3.
        EXPECT_NEAR(static_cast<double>(ones), 256, 68) << "bit " << bit << " for " << number;
      }
    }
  }
}

TEST(Products, DamageIsRefused) {
  Sides& s = sides();
  const std::vector<uint64_t> numbers(8, 7);
  Bytes sent =
      encrypt(s.keys, 1, Packing::Slots, std::span<const uint64_t>(numbers), s.random).value();
  EXPECT_FALSE(read_factor(*setting(), 2, sent));
  sent.pop_back();
  EXPECT_FALSE(read_factor(*setting(), 1, sent));
  const Bytes too_large(setting()->factor_size(), std::byte{0xff});
  EXPECT_FALSE(read_factor(*setting(), 1, too_large));
  std::vector<uint64_t> opened(8);
  EXPECT_FALSE(open(s.keys, 1, Bytes(setting()->reply_size(), std::byte{0xff}), std::span(opened),
                    s.random));
  EXPECT_FALSE(open(s.keys, 1, Bytes(5), std::span(opened), s.random));
  const std::vector<uint32_t> wanted = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_FALSE(open_coefficients(s.keys, 1, wanted,
                                 Bytes(setting()->reply_size_of(8), std::byte{0xff}),
                                 std::span(opened), s.random));
  EXPECT_FALSE(open_coefficients(s.keys, 1, wanted, Bytes(setting()->reply_size()),
                                 std::span(opened), s.random));
  EXPECT_FALSE(PublicKeys::read(setting(), Bytes(5)));
  EXPECT_FALSE(PublicKeys::read(
      setting(), Bytes(setting()->n_contexts() * setting()->key_size(), std::byte{0xff})));
}

TEST(CrtBase, LiftsWhatItReduced) {
  for (size_t n_primes = 1; n_primes <= setting()->n_contexts(); ++n_primes) {
    const CrtBase& base = setting()->base(n_primes);
    // 2^(43 c - 3), where masks begin, and a number above it.
    std::mt19937_64 random(n_primes);
    const uint64_t low = random() >> 25;
    std::vector<uint64_t> rows(n_primes);
    std::vector<const uint64_t*> in;
    for (size_t i = 0; i < n_primes; ++i) {
      const ring::Modulus& p = base.modulus(i);
      rows[i] = ring::add(ring::power(2, 43 * n_primes - 3, p), low % p.value, p);
      in.push_back(&rows[i]);
    }
    Uint128 lifted[1];
    base.lift(in, std::span<Uint128>(lifted));
    const Uint128 begin = 43 * n_primes - 3 < 128 ? Uint128{1} << (43 * n_primes - 3) : 0;
    EXPECT_TRUE(lifted[0] == begin + low) << n_primes;
  }
}

/// The numbers of `Slack`, from what they are made of.
TEST(Slack, OfARunIsWhatItsPartsAddUpTo) {
  EXPECT_FALSE(Slack::of(0));
  EXPECT_DOUBLE_EQ(*Slack::of(1), Slack::kLogOfReply);
  EXPECT_DOUBLE_EQ(*Slack::of(Slack::kMaxReplies), Slack::kLogOfRun);
  const double n = std::log2(static_cast<double>(setting()->n_slots()));
  // The deviation of fresh noise times that of coefficients modulo a plain modulus of 43 bits.
  const double of_product = n / 2 + std::log2(3.24) + 43 - std::log2(12.0) / 2;
  EXPECT_LE(of_product, 49.5);
  const double of_sum = of_product + std::log2(static_cast<double>(Slack::kMaxProducts)) / 2;
  const double noise = n + of_sum - Slack::kNoiseBits;
  const double masks = n - double{Slack::kMaskBits};
  EXPECT_LE(std::log2(std::exp2(noise) + std::exp2(masks)), Slack::kLogOfReply);
}

/// An interval of masks is as much longer than the sums as is said, for all that there is.
TEST(Slack, MasksAreLongEnough) {
  for (const unsigned bits : {1U, 32U, 64U, 128U}) {
    for (size_t n_terms = 1; n_terms <= Setting::kMaxTerms; n_terms *= 2) {
      const double largest = std::log2(static_cast<double>(n_terms)) + (bits == 1 ? 0 : 2 * bits);
      const auto n_primes = static_cast<double>(Setting::primes_for(bits, n_terms));
      EXPECT_GE(43 * n_primes - 3 - largest, Slack::kMaskBits) << bits << " " << n_terms;
      EXPECT_LE(n_primes, static_cast<double>(setting()->n_contexts()));
    }
  }
}

/// With the most products in a sum, of the largest numbers, noise and mask leave it right.
TEST(Slack, SumsOfTheMostProductsAreRight) {
  check_products<uint64_t>(64, Slack::kMaxProducts, 8192);
}

}  // namespace
}  // namespace tacet::masked_products
