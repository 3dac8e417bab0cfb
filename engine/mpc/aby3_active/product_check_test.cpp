#include "engine/mpc/aby3_active/product_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

/// Checks of products, all three parties of them in one place, with a liar among them.
namespace tacet::mpc {
namespace {

constexpr size_t kParties = 3;

auto key_of(uint64_t number) -> secure_random::AesKey {
  secure_random::AesKey key{};
  std::memcpy(key.data(), &number, sizeof(number));
  return key;
}

/// The streams of a party: key i of its own part i, and key i + 1.
struct Keys {
  std::array<secure_random::AesCtr, 2> streams;

  Keys(size_t party, uint64_t seed)
      : streams{{{key_of(seed * 8 + party), {}, Isa::Scalar},
                 {key_of(seed * 8 + (party + 1) % kParties), {}, Isa::Scalar}}} {}
  auto operator()() -> KeyBytes {
    return [this](size_t part, std::span<std::byte> bytes) { streams[part].fill(bytes); };
  }
};

/// Words as three parts: party i has parts i and i + 1.
template <class Word>
struct Shared {
  std::array<std::vector<Word>, kParties> parts;
  [[nodiscard]] auto of(size_t party) const -> PartsOf<Word> {
    return {parts[party].data(), parts[(party + 1) % kParties].data()};
  }
};

template <class A>
struct Words {
  using Word = typename A::Word;
  static constexpr bool kIsRing = A::kWordElements == 1;

  static auto add(Word x, Word y) -> Word {
    return kIsRing ? static_cast<Word>(x + y) : static_cast<Word>(x ^ y);
  }
  static auto subtract(Word x, Word y) -> Word {
    return kIsRing ? static_cast<Word>(x - y) : static_cast<Word>(x ^ y);
  }
  static auto multiply(Word x, Word y) -> Word {
    return kIsRing ? static_cast<Word>(x * y) : static_cast<Word>(x & y);
  }
  static auto random(std::mt19937_64& from) -> Word {
    if constexpr (sizeof(Word) == 16) {
      return Word{from()} << 64 | from();
    } else if constexpr (kIsRing) {
      return static_cast<Word>(from());
    } else {
      return A::weight(from());
    }
  }
  static auto share(const std::vector<Word>& words, std::mt19937_64& from) -> Shared<Word> {
    Shared<Word> shared;
    for (const Word word : words) {
      const Word first = random(from);
      const Word second = random(from);
      shared.parts[0].push_back(first);
      shared.parts[1].push_back(second);
      shared.parts[2].push_back(subtract(subtract(word, first), second));
    }
    return shared;
  }
};

/// Claims of dot products of one length.
template <class A>
struct Claims {
  using Word = typename A::Word;
  size_t n;
  size_t length;
  Shared<Word> x;
  Shared<Word> y;
  Shared<Word> z;

  Claims(size_t n_claims, size_t n_terms, std::mt19937_64& from) : n(n_claims), length(n_terms) {
    std::vector<Word> xs(n * length);
    std::vector<Word> ys(n * length);
    std::vector<Word> zs(n);
    for (size_t i = 0; i < n * length; ++i) {
      xs[i] = Words<A>::random(from);
      ys[i] = Words<A>::random(from);
      zs[i / length] = Words<A>::add(zs[i / length], Words<A>::multiply(xs[i], ys[i]));
    }
    x = Words<A>::share(xs, from);
    y = Words<A>::share(ys, from);
    z = Words<A>::share(zs, from);
  }
};

/// Changes what a party sends: stage, party, message.
using Lie = std::function<void(size_t, size_t, std::vector<std::byte>&)>;

struct Outcome {
  bool holds = false;
  size_t n_folds = 0;
  std::vector<size_t> message_sizes;
};

/// Runs a check that `add` fills for each party.
template <class A>
auto run_check(uint64_t seed, const std::function<void(ProductCheck<A>&, size_t)>& add,
               const Lie& lie = {}) -> Outcome {
  std::array<ProductCheck<A>, kParties> checks;
  std::vector<Keys> keys;
  for (size_t party = 0; party < kParties; ++party) {
    keys.emplace_back(party, seed);
    add(checks[party], party);
  }
  std::mt19937_64 coins(seed);
  for (ProductCheck<A>& check : checks) {
    check.weigh(key_of(seed * 1000));
  }
  Outcome outcome;
  while (!checks[0].is_done()) {
    std::array<std::vector<std::byte>, kParties> messages;
    for (size_t party = 0; party < kParties; ++party) {
      messages[party] = checks[party].message(keys[party]());
      if (lie) {
        lie(outcome.n_folds, party, messages[party]);
      }
    }
    outcome.message_sizes.push_back(messages[0].size());
    ++outcome.n_folds;
    const Coin coin = key_of(seed * 1000 + outcome.n_folds);
    for (size_t party = 0; party < kParties; ++party) {
      checks[party].receive(messages[(party + 1) % kParties]);
    }
    for (ProductCheck<A>& check : checks) {
      check.fold(coin);
    }
  }
  // Of each part what the party that received it has: the liar's own copy is not of interest.
  auto sums = checks[0].opening(1);
  for (size_t party = 1; party < kParties; ++party) {
    const auto parts = checks[party].opening(1);
    for (size_t i = 0; i < 3; ++i) {
      A::add(sums[i], parts[i]);
    }
  }
  outcome.holds = ProductCheck<A>::holds(sums);
  EXPECT_EQ(outcome.n_folds, checks[0].n_folds());
  return outcome;
}

template <class A>
auto run_claims(uint64_t seed, const Claims<A>& claims, const Lie& lie = {}) -> Outcome {
  return run_check<A>(
      seed,
      [&](ProductCheck<A>& check, size_t party) {
        check.add_dots(claims.x.of(party), claims.y.of(party), claims.z.of(party), claims.n,
                       claims.length);
      },
      lie);
}

template <class A>
class ProductCheckOf : public testing::Test {};
using Algebras = testing::Types<GaloisRing<uint32_t, 47, 5>, GaloisRing<uint64_t, 47, 5>,
                                GaloisRing<Word128, 47, 5>, BinaryField<64>>;
TYPED_TEST_SUITE(ProductCheckOf, Algebras);

/// Sizes around those at which products are put in rows and terms in more steps.
TYPED_TEST(ProductCheckOf, AcceptsProductsThatAreRight) {
  std::mt19937_64 from(1);
  for (const size_t n : std::vector<size_t>{1, 2, 7, 8, 9, 63, 64, 65, 100, 1023, 5000}) {
    const Claims<TypeParam> claims(n, 1, from);
    EXPECT_TRUE(run_claims(n, claims).holds) << n;
  }
  const Claims<TypeParam> many(70'001, 1, from);
  const Outcome outcome = run_claims(1, many);
  EXPECT_TRUE(outcome.holds);
  EXPECT_LE(ProductCheck<TypeParam>::log_error(outcome.n_folds), -41);
}

/// The least error and the one that is zero divisors' friend, at the first, last and other places.
TYPED_TEST(ProductCheckOf, FindsAnyWrongProduct) {
  using Word = typename TypeParam::Word;
  std::mt19937_64 from(2);
  const Word top = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  for (const size_t n : std::vector<size_t>{1, 5, 64, 700, 4100}) {
    for (const size_t place : {size_t{0}, n / 2, n - 1}) {
      for (const Word error : {Word{1}, top}) {
        Claims<TypeParam> claims(n, 1, from);
        Word& part = claims.z.parts[place % 3][place];
        part = Words<TypeParam>::add(part, error);
        EXPECT_FALSE(run_claims(n + place, claims).holds) << n << ' ' << place;
      }
    }
  }
}

/// Errors that cancel each other in sums, of columns, of rows and of all.
TYPED_TEST(ProductCheckOf, FindsErrorsThatCancel) {
  using Word = typename TypeParam::Word;
  std::mt19937_64 from(3);
  constexpr size_t kN = 512;
  for (const size_t distance : std::vector<size_t>{1, 8, 16, 32, 64, 128, 256}) {
    Claims<TypeParam> claims(kN, 1, from);
    const Word error = Words<TypeParam>::random(from);
    Word& first = claims.z.parts[0][3];
    Word& second = claims.z.parts[1][3 + distance];
    first = Words<TypeParam>::add(first, error);
    second = Words<TypeParam>::subtract(second, error);
    EXPECT_FALSE(run_claims(distance, claims).holds) << distance;
  }
}

/// One bit of every message of every party.
TYPED_TEST(ProductCheckOf, FindsAlteredMessages) {
  std::mt19937_64 from(4);
  for (const size_t n : std::vector<size_t>{1, 20, 300}) {
    const Claims<TypeParam> claims(n, 1, from);
    const Outcome honest = run_claims(n, claims);
    ASSERT_TRUE(honest.holds);
    for (size_t stage = 0; stage < honest.n_folds; ++stage) {
      const size_t size = honest.message_sizes[stage];
      for (size_t i = 0; i < 24; ++i) {
        const size_t byte = i == 0 ? 0 : i == 1 ? size - 1 : from() % size;
        const Outcome outcome =
            run_claims(n, claims, [&](size_t at, size_t party, std::vector<std::byte>& message) {
              if (at == stage && party == i % 3) {
                message[byte] ^= static_cast<std::byte>(1U << from() % 8);
              }
            });
        EXPECT_FALSE(outcome.holds) << n << ' ' << stage << ' ' << byte;
      }
    }
  }
}

/// A liar who makes a product wrong and then alters all that it sends: at random, as it cannot know
/// the weights of later folds.
TYPED_TEST(ProductCheckOf, FindsALiarWhoAltersEverything) {
  std::mt19937_64 from(5);
  for (size_t i = 0; i < 50; ++i) {
    Claims<TypeParam> claims(90, 1, from);
    claims.z.parts[0][i] = Words<TypeParam>::random(from);
    const Outcome outcome =
        run_claims(i, claims, [&](size_t, size_t party, std::vector<std::byte>& message) {
          for (std::byte& byte : message) {
            byte ^= party == 1 ? static_cast<std::byte>(from()) : std::byte{};
          }
        });
    EXPECT_FALSE(outcome.holds);
  }
}

template <class A>
class RingCheckOf : public testing::Test {};
using Rings = testing::Types<GaloisRing<uint32_t, 47, 5>, GaloisRing<uint64_t, 47, 5>,
                             GaloisRing<Word128, 47, 5>>;
TYPED_TEST_SUITE(RingCheckOf, Rings);

TYPED_TEST(RingCheckOf, DotProducts) {
  std::mt19937_64 from(6);
  for (const size_t n : std::vector<size_t>{1, 2, 3, 10, 100}) {
    for (const size_t length : std::vector<size_t>{2, 7, 64, 1000}) {
      Claims<TypeParam> claims(n, length, from);
      EXPECT_TRUE(run_claims(n, claims).holds) << n << ' ' << length;
      claims.z.parts[1][n - 1] += 1;
      EXPECT_FALSE(run_claims(n, claims).holds) << n << ' ' << length;
    }
  }
}

/// Each element of a product of matrices, and kinds of claims together.
TYPED_TEST(RingCheckOf, MatricesBesideProducts) {
  using A = TypeParam;
  using Word = typename A::Word;
  std::mt19937_64 from(7);
  const MatrixShape shape{.rows = 3, .inner = 5, .columns = 4};
  std::vector<Word> x(15);
  std::vector<Word> y(20);
  std::vector<Word> z(12);
  for (Word& word : x) {
    word = Words<A>::random(from);
  }
  for (Word& word : y) {
    word = Words<A>::random(from);
  }
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      for (size_t k = 0; k < 4; ++k) {
        z[i * 4 + k] += static_cast<Word>(x[i * 5 + j] * y[j * 4 + k]);
      }
    }
  }
  const Shared<Word> xs = Words<A>::share(x, from);
  const Shared<Word> ys = Words<A>::share(y, from);
  const Claims<A> others(130, 1, from);
  for (size_t wrong = 0; wrong <= 12; ++wrong) {
    Shared<Word> zs = Words<A>::share(z, from);
    if (wrong < 12) {
      zs.parts[wrong % 3][wrong] += 1;
    }
    const Outcome outcome = run_check<A>(wrong, [&](ProductCheck<A>& check, size_t party) {
      check.add_dots(others.x.of(party), others.y.of(party), others.z.of(party), others.n, 1);
      check.add_matrix_product(xs.of(party), ys.of(party), zs.of(party), shape);
    });
    EXPECT_EQ(outcome.holds, wrong == 12) << wrong;
  }
}

/// How often a liar succeeds who makes the one product wrong by `error`, and nothing else: what it
/// sends then for the pair of it and the random row makes the difference (r0 r0 - r0 r1) t times
/// the error, with the product's weight t. With r0 = 1 it vanishes if t is 0 or r1 is 1.
template <class A>
auto measured_success(size_t n_runs, typename A::Word error) -> double {
  std::mt19937_64 from(8);
  size_t n_successes = 0;
  for (size_t i = 1; i <= n_runs; ++i) {
    Claims<A> claims(1, 1, from);
    claims.z.parts[1][0] = Words<A>::add(claims.z.parts[1][0], error);
    n_successes += run_claims(i, claims).holds ? 1 : 0;
  }
  return static_cast<double>(n_successes) / static_cast<double>(n_runs);
}

/// With few challenges a liar succeeds as often as there are roots. The last weight is 1 twice as
/// often as others, as it is never 0. A word of bits is several products, all of whose weights add
/// to it.
template <class A>
void expect_success_by_roots(typename A::Word error) {
  constexpr size_t kRuns = 20'000;
  const double root = std::exp2(-static_cast<double>(A::kDegree));
  const double success = measured_success<A>(kRuns, error);
  const double expected = root + (1 - root) * (A::kWordElements == 1 ? 2 : 1) * root;
  EXPECT_NEAR(success, expected, 5 * std::sqrt(expected / kRuns));
  EXPECT_LE(success, std::exp2(ProductCheck<A>::log_error(1)));
}

/// The best that a liar can do in one fold: it knows t, and chooses a difference with as many roots
/// as there can be, two: (r1 - a) (r1 - b) t / (a b) times the error. The error is the top bit, so
/// that all of this is modulo 2: in the field of 32 elements, whose elements are weights.
TEST(ProductCheckError, OfTheBestLiarIsThatOfTheFormula) {
  using A = GaloisRing<uint64_t, 5, 2>;
  constexpr uint64_t kTop = uint64_t{1} << 63;
  constexpr size_t kRuns = 20'000;
  std::mt19937_64 from(12);
  const auto product = [](unsigned x, unsigned y) {
    unsigned sum = 0;
    for (unsigned bit = 5; bit-- > 0;) {
      sum = sum << 1 ^ ((sum & 16) != 0 ? 37U : 0U) ^ ((y >> bit & 1) != 0 ? x : 0U);
    }
    return sum;
  };
  size_t n_successes = 0;
  for (size_t i = 1; i <= kRuns; ++i) {
    Claims<A> claims(1, 1, from);
    claims.z.parts[1][0] += kTop;
    std::array<uint64_t, 2> weights{};
    secure_random::AesCtr(key_of(i * 1000), {}, Isa::Scalar)
        .fill(std::as_writable_bytes(std::span(weights)));
    const auto t = static_cast<unsigned>(A::weight(weights[1]));
    // Roots 1, which counts for 0 as well, and 2.
    unsigned e11 = 0;
    while (product(e11, 2) != t) {
      ++e11;
    }
    const unsigned e01 = product(3, e11);
    const Outcome outcome =
        run_claims(i, claims, [&](size_t, size_t party, std::vector<std::byte>& message) {
          if (party == 1) {
            // What is sent for the pair is the sum of all three.
            std::array<A::Element, 2> sent{};
            std::memcpy(sent.data(), message.data(), sizeof(sent));
            A::add_word(sent[0], kTop, t ^ e01 ^ e11);
            A::add_word(sent[1], kTop, e11);
            std::memcpy(message.data(), sent.data(), sizeof(sent));
          }
        });
    n_successes += outcome.holds ? 1 : 0;
  }
  const double success = static_cast<double>(n_successes) / kRuns;
  const double root = 1.0 / 32;
  const double expected = root + (1 - root) * 3 * root;
  EXPECT_NEAR(success, expected, 5 * std::sqrt(expected / kRuns));
  EXPECT_LE(success, std::exp2(ProductCheck<A>::log_error(1)));
}

TEST(ProductCheckError, IsThatOfTheFormula) {
  expect_success_by_roots<GaloisRing<uint64_t, 3, 1>>(uint64_t{1} << 63);
  expect_success_by_roots<GaloisRing<uint64_t, 5, 2>>(uint64_t{1} << 63);
  expect_success_by_roots<GaloisRing<uint64_t, 5, 2>>(1);
  expect_success_by_roots<BinaryField<8>>(1);
}

/// Of several products, errors that cancel for some weights, and honest messages otherwise.
TEST(ProductCheckError, OfWeightsIsThatOfTheFormula) {
  using A = GaloisRing<uint64_t, 5, 2>;
  std::mt19937_64 from(9);
  size_t n_successes = 0;
  constexpr size_t kRuns = 10'000;
  for (size_t i = 0; i < kRuns; ++i) {
    Claims<A> claims(6, 1, from);
    claims.z.parts[0][2] += uint64_t{1} << 63;
    claims.z.parts[1][3] += uint64_t{1} << 63;
    n_successes += run_claims(i + 1, claims).holds ? 1 : 0;
  }
  const double success = static_cast<double>(n_successes) / kRuns;
  // The sum of both errors' weights is zero, or the first row's weight is the sum of all others.
  const double expected = 2.0 / 32 - 1.0 / 1024;
  EXPECT_NEAR(success, expected, 5 * std::sqrt(expected / kRuns));
  EXPECT_LE(success, std::exp2(ProductCheck<A>::log_error(1)));
}

/// The algebras against arithmetic by hand: coefficients as plain integers, divided by the
/// polynomial from the top.
TEST(CheckAlgebra, RingMultipliesPolynomials) {
  using A = GaloisRing<uint64_t, 47, 5>;
  std::mt19937_64 from(10);
  for (size_t i = 0; i < 20; ++i) {
    A::Element x;
    A::Element y;
    for (size_t j = 0; j < 47; ++j) {
      x[j] = from();
      y[j] = from();
    }
    std::vector<uint64_t> product(200);
    for (size_t a = 0; a < 47; ++a) {
      for (size_t b = 0; b < 47; ++b) {
        product[a + b] += x[a] * y[b];
      }
    }
    for (size_t top = 199; top >= 47; --top) {
      const uint64_t quotient = product[top];
      for (const size_t term : std::vector<size_t>{47, 5, 0}) {
        product[top - 47 + term] -= quotient;
      }
    }
    A::Wide wide{};
    A::multiply_add(wide, x, y);
    const A::Element got = A::reduced(wide);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), product.begin()));
  }
}

TEST(CheckAlgebra, FieldMultipliesPolynomials) {
  std::mt19937_64 from(11);
  for (size_t i = 0; i < 200; ++i) {
    const uint64_t x = from();
    const uint64_t y = from();
    // Horner: shift, reduce, add.
    uint64_t product = 0;
    for (unsigned bit = 64; bit-- > 0;) {
      product = product << 1 ^ ((product >> 63) != 0 ? 0x1B : 0);
      product ^= (y >> bit & 1) != 0 ? x : 0;
    }
    BinaryField<64>::Wide wide{};
    BinaryField<64>::multiply_add(wide, x, y);
    EXPECT_EQ(BinaryField<64>::reduced(wide), product);
  }
}

/// Polynomials of prime degree p are irreducible modulo 2 if X^(2^p) = X: all their factors have a
/// degree that divides p, and X^2 - X has no common factor with those that have no root.
TEST(CheckAlgebra, PolynomialIsIrreducible) {
  using A = GaloisRing<uint32_t, 47, 5>;
  A::Element power{};
  power[1] = 1;
  for (unsigned i = 0; i < 47; ++i) {
    A::Wide square{};
    A::multiply_add(square, power, power);
    power = A::reduced(square);
  }
  for (size_t j = 0; j < 47; ++j) {
    EXPECT_EQ(power[j] & 1, j == 1 ? 1U : 0U);
  }
  // X^47 + X^5 + 1 is 1 at 0 and 1.
}

}  // namespace
}  // namespace tacet::mpc
