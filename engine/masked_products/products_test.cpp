// Shares of products: what is opened less the mask is the sum of the products, for numbers of all
// widths and at the ends of their ranges; what is damaged is refused.

#include "engine/masked_products/products.h"

#include <gtest/gtest.h>

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
        encrypt(s.keys, n_primes, std::span<const Word>(theirs[t]), s.random).value();
    factors.push_back(read_factor(*setting(), n_primes, sent).value());
  }
  ProductSums<Word> sums(s.public_keys, n_primes);
  for (size_t t = 0; t < n_terms; ++t) {
    sums.add(factors[t], std::span<const Word>(ours[t]));
  }
  std::vector<Word> mask(n);
  std::vector<Word> opened(n);
  const Bytes bytes = sums.hide(std::span<Word>(mask), s.random).value();
  ASSERT_TRUE(open(s.keys, n_primes, bytes, std::span<Word>(opened), s.random));
  for (size_t i = 0; i < n; ++i) {
    Word sum = 0;
    for (size_t t = 0; t < n_terms; ++t) {
      sum += theirs[t][i] * ours[t][i];
    }
    ASSERT_TRUE(static_cast<Word>(opened[i] - mask[i]) == sum) << "number " << i;
  }
}

TEST(Products, BitsOfOneModulus) {
  EXPECT_EQ(Setting::primes_for(1, 2), 1U);
  check_products<uint64_t>(1, 2, 8192);
  check_products<uint64_t>(1, 1, 100);
}

TEST(Products, Words) {
  EXPECT_EQ(Setting::primes_for(32, 2), 3U);
  EXPECT_EQ(Setting::primes_for(64, 2), 4U);
  EXPECT_EQ(Setting::primes_for(64, 256), 5U);
  EXPECT_EQ(Setting::primes_for(128, 2), 7U);
  check_products<uint64_t>(32, 2, 8192);
  check_products<uint64_t>(64, 2, 8192);
  check_products<uint64_t>(64, 1, 5);
  check_products<Uint128>(128, 2, 8192);
  check_products<uint64_t>(64, 20, 8192);
}

TEST(Products, MasksOfTheSameNumbersDiffer) {
  Sides& s = sides();
  const std::vector<uint64_t> zeros(64);
  const Bytes sent = encrypt(s.keys, 4, std::span<const uint64_t>(zeros), s.random).value();
  const Factor factor = read_factor(*setting(), 4, sent).value();
  std::vector<uint64_t> a(64);
  std::vector<uint64_t> b(64);
  const auto masked_zeros = [&](std::span<uint64_t> mask) {
    ProductSums<uint64_t> sums(s.public_keys, 4);
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

TEST(Products, DamageIsRefused) {
  Sides& s = sides();
  const std::vector<uint64_t> numbers(8, 7);
  Bytes sent = encrypt(s.keys, 1, std::span<const uint64_t>(numbers), s.random).value();
  EXPECT_FALSE(read_factor(*setting(), 2, sent));
  sent.pop_back();
  EXPECT_FALSE(read_factor(*setting(), 1, sent));
  const Bytes too_large(setting()->factor_size(), std::byte{0xff});
  EXPECT_FALSE(read_factor(*setting(), 1, too_large));
  std::vector<uint64_t> opened(8);
  EXPECT_FALSE(open(s.keys, 1, Bytes(setting()->reply_size(), std::byte{0xff}), std::span(opened),
                    s.random));
  EXPECT_FALSE(open(s.keys, 1, Bytes(5), std::span(opened), s.random));
  EXPECT_FALSE(PublicKeys::read(setting(), Bytes(5)));
  EXPECT_FALSE(PublicKeys::read(
      setting(), Bytes(setting()->n_contexts() * setting()->key_size(), std::byte{0xff})));
}

TEST(CrtBase, LiftsWhatItReduced) {
  for (const size_t n_primes : {size_t{1}, size_t{3}, size_t{4}, size_t{7}}) {
    const CrtBase& base = setting()->base(n_primes);
    // A number in the middle of [0, P), whatever its words: half of each prime's range.
    std::mt19937_64 random(n_primes);
    std::vector<uint64_t> rows(n_primes);
    std::vector<const uint64_t*> in;
    for (uint64_t& row : rows) {
      in.push_back(&row);
    }
    const auto number = static_cast<Uint128>(random() >> (n_primes == 1 ? 24 : 0));
    const Uint128 wide[] = {number};
    for (size_t i = 0; i < n_primes; ++i) {
      base.reduce(std::span<const Uint128>(wide), i, &rows[i]);
    }
    EXPECT_EQ(base.is_inside(in, 0), n_primes == 1);  // 2^-3 P, or almost nothing of it
    if (n_primes == 1) {
      Uint128 lifted[1];
      base.lift(in, std::span<Uint128>(lifted));
      EXPECT_TRUE(lifted[0] == number);
    }
  }
}

}  // namespace
}  // namespace tacet::masked_products
