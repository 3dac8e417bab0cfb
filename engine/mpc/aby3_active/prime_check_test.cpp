#include "engine/mpc/aby3_active/prime_check_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

/// Checks of products by whole numbers.
namespace tacet::mpc {
namespace {

template <class Word>
class PrimeCheckOf : public testing::Test {};
using PrimeWords = testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(PrimeCheckOf, PrimeWords);

/// Sizes around those at which claims and terms are put in rows, and folded.
TYPED_TEST(PrimeCheckOf, AcceptsProductsThatAreRight) {
  std::mt19937_64 from(1);
  for (const size_t n : std::vector<size_t>{1, 2, 16, 17, 63, 64, 65, 300, 511, 512, 513, 4095,
                                            4096, 4097, 5000, 33'001}) {
    EXPECT_TRUE(run_products(n, Products<TypeParam>(n, 1, from)).holds) << n;
  }
  const Result result = run_products(1, Products<TypeParam>(140'003, 1, from));
  EXPECT_TRUE(result.holds);
  EXPECT_LE(PrimeCheck::log_error(result.n_folds), -41);
  EXPECT_LE(PrimeCheck::log_error(30), -41);
}

/// The least error and the top bit, at the first, last and other places, of each party.
TYPED_TEST(PrimeCheckOf, FindsAnyWrongProduct) {
  std::mt19937_64 from(2);
  const auto top = static_cast<TypeParam>(TypeParam{1} << (8 * sizeof(TypeParam) - 1));
  for (const size_t n : std::vector<size_t>{1, 5, 64, 700, 4100}) {
    const Products<TypeParam> right(n, 1, from);
    for (const size_t place : {size_t{0}, n / 2, n - 1}) {
      for (const TypeParam error : {TypeParam{1}, top, static_cast<TypeParam>(from())}) {
        Products<TypeParam> products = right;
        products.z[(place + error) % 3][place] += error;
        EXPECT_FALSE(run_products(n + place, products).holds) << n << ' ' << place;
      }
    }
  }
}

/// Errors that cancel each other in sums, of blocks, of rows and of all.
TYPED_TEST(PrimeCheckOf, FindsErrorsThatCancel) {
  std::mt19937_64 from(3);
  const Products<TypeParam> right(4800, 1, from);
  for (const size_t distance : std::vector<size_t>{1, 4, 64, 128, 600, 1200, 4700}) {
    Products<TypeParam> products = right;
    const auto error = static_cast<TypeParam>(from());
    products.z[0][3] += error;
    products.z[1][3 + distance] -= error;
    EXPECT_FALSE(run_products(distance, products).holds) << distance;
  }
}

TYPED_TEST(PrimeCheckOf, DotProducts) {
  std::mt19937_64 from(4);
  for (const size_t n : std::vector<size_t>{1, 2, 3, 10, 100, 5000}) {
    for (const size_t length : std::vector<size_t>{2, 7, 64, 1000}) {
      if (n * length > 50'000) {
        continue;
      }
      Products<TypeParam> products(n, length, from);
      EXPECT_TRUE(run_products(n, products).holds) << n << ' ' << length;
      products.z[1][n - 1] += 1;
      EXPECT_FALSE(run_products(n, products).holds) << n << ' ' << length;
    }
  }
}

/// Of all lengths and words in one check, and of several arrays: each claim is checked.
TEST(PrimeCheck, FindsAWrongProductOfAnyKind) {
  std::mt19937_64 from(5);
  for (size_t wrong = 0; wrong <= 5; ++wrong) {
    Products<uint64_t> first(70, 1, from);
    Products<uint64_t> second(4500, 1, from);
    Products<uint64_t> dots(9, 80, from);
    Products<uint32_t> words(33, 1, from);
    Products<uint32_t> others(600, 2, from);
    const std::array<std::vector<uint64_t>*, 3> long_ones{&first.z[0], &second.z[1], &dots.z[2]};
    const std::array<std::vector<uint32_t>*, 2> short_ones{&words.z[0], &others.z[1]};
    if (wrong < 3) {
      long_ones[wrong]->back() += 1;
    } else if (wrong < 5) {
      short_ones[wrong - 3]->back() += 1;
    }
    const Result result = run_checks(wrong, [&](PrimeCheck& check, size_t party) {
      first.add_to(check, party);
      second.add_to(check, party);
      dots.add_to(check, party);
      words.add_to(check, party);
      others.add_to(check, party);
    });
    EXPECT_EQ(result.holds, wrong == 5) << wrong;
  }
}

/// What all parties send as sums of carries, against the claims in whole numbers.
TYPED_TEST(PrimeCheckOf, SumsOfCarriesAreWhatProductsHaveBeyondWords) {
  std::mt19937_64 from(8);
  for (const size_t n : std::vector<size_t>{1, 64, 65, 200}) {
    for (const size_t length : std::vector<size_t>{1, 3, 40}) {
      const Products<TypeParam> products(n, length, from);
      const Result result = run_products(n, products);
      const std::vector<uint64_t> bits = bits_of(n, n);
      for (size_t j = 0; j < kCarrySums; ++j) {
        Integer expected = 0;
        for (size_t i = 0; i < n; ++i) {
          expected += bit_of(bits, i, j) ? products.difference(i) : 0;
        }
        Integer sum = 0;
        for (const std::vector<std::byte>& message : result.messages[0]) {
          Whole part{};
          std::memcpy(&part, message.data() + j * sizeof(part), sizeof(part));
          sum += integer_of(part);
        }
        EXPECT_EQ(sum << (8 * sizeof(TypeParam)), expected);
      }
    }
  }
}

/// A claim that one party knows all of, as of bits as numbers: 2 b b' = b + b' - (b ^ b').
TYPED_TEST(PrimeCheckOf, ClaimsThatOnePartyDeals) {
  std::mt19937_64 from(9);
  constexpr size_t kN = 100;
  for (size_t dealer = 0; dealer < kThree; ++dealer) {
    Products<TypeParam> products(kN, 1, from);
    for (size_t part = 0; part < kThree; ++part) {
      products.x[part].assign(kN, 0);
      products.y[part].assign(kN, 0);
      products.z[part].assign(kN, 0);
      products.origins[part].assign(kN, part == dealer ? ClaimOrigin::Dealt : ClaimOrigin::Others);
    }
    const size_t next = (dealer + 1) % kThree;
    for (size_t i = 0; i < kN; ++i) {
      const TypeParam first = i & 1;
      const TypeParam second = i >> 1 & 1;
      const auto mask = i < 8 ? static_cast<TypeParam>(i / 4 - 1) : static_cast<TypeParam>(from());
      products.x[dealer][i] = static_cast<TypeParam>(2 * first);
      products.y[next][i] = second;
      products.z[dealer][i] = static_cast<TypeParam>(first - mask);
      products.z[next][i] = static_cast<TypeParam>(second - ((first ^ second) - mask));
    }
    EXPECT_TRUE(run_products(dealer, products).holds);
    products.z[next][dealer] += 1;
    EXPECT_FALSE(run_products(dealer, products).holds);
  }
}

/// Each of the 48 coins finds a product that is wrong by the top bit with a probability of one
/// half: so often it is in a sum.
TEST(PrimeCheck, CoinsAreFair) {
  constexpr size_t kRuns = 400;
  size_t n_set = 0;
  for (size_t seed = 0; seed < kRuns; ++seed) {
    const std::vector<uint64_t> bits = bits_of(seed, 1);
    for (size_t j = 0; j < kCarrySums; ++j) {
      n_set += bit_of(bits, 0, j) ? 1 : 0;
    }
  }
  const double n = kRuns * kCarrySums;
  EXPECT_NEAR(static_cast<double>(n_set), n / 2, 5 * std::sqrt(n / 4));
}

/// Whatever the secrets are, each bit below the masks' top is set in half of the messages of
/// carries, and so are the bits of elements that are sent and opened.
TEST(PrimeCheck, MessagesAreMasked) {
  constexpr size_t kRuns = 60;
  std::mt19937_64 from(13);
  for (const uint64_t secret : {uint64_t{0}, ~uint64_t{0}}) {
    Products<uint64_t> products(20, 1, from);
    for (size_t part = 0; part < kThree; ++part) {
      products.x[part].assign(20, secret);
      products.y[part].assign(20, secret);
      products.z[part].assign(20, 3 * secret * secret);
      products.origins[part].assign(20, ClaimOrigin::NoBorrow);
    }
    std::array<size_t, 246> of_carries{};
    std::array<size_t, 40> of_elements{};
    std::array<size_t, 40> of_opened{};
    size_t n_elements = 0;
    for (uint64_t seed = 1; seed <= kRuns; ++seed) {
      const Result result = run_products(seed, products);
      EXPECT_TRUE(result.holds);
      for (size_t j = 0; j < kCarrySums; ++j) {
        Whole sum{};
        std::memcpy(&sum, result.messages[0][1].data() + j * sizeof(sum), sizeof(sum));
        for (size_t bit = 0; bit < of_carries.size(); ++bit) {
          of_carries[bit] += sum[bit / 64] >> bit % 64 & 1;
        }
      }
      const std::vector<std::byte>& message = result.messages[1][2];
      for (size_t begin = 0; begin < message.size(); begin += sizeof(uint64_t)) {
        uint64_t element = 0;
        std::memcpy(&element, message.data() + begin, sizeof(element));
        ++n_elements;
        for (size_t bit = 0; bit < of_elements.size(); ++bit) {
          of_elements[bit] += element >> bit & 1;
        }
      }
      for (size_t bit = 0; bit < of_opened.size(); ++bit) {
        of_opened[bit] += result.opened[0] >> bit & 1;
      }
    }
    const auto expect_half = [](size_t count, size_t n, size_t bit) {
      const auto total = static_cast<double>(n);
      EXPECT_NEAR(static_cast<double>(count), total / 2, 5.5 * std::sqrt(total / 4)) << bit;
    };
    for (size_t bit = 0; bit < of_carries.size(); ++bit) {
      expect_half(of_carries[bit], kRuns * kCarrySums, bit);
    }
    for (size_t bit = 0; bit < of_elements.size(); ++bit) {
      expect_half(of_elements[bit], n_elements, bit);
      expect_half(of_opened[bit], kRuns, bit);
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
