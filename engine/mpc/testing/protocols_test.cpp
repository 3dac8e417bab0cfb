#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "engine/mpc/testing/run_parties.h"

/// Every protocol against plain arithmetic.
namespace tacet::mpc {
namespace {

class ProtocolTest : public testing::TestWithParam<TestRun> {};

constexpr std::array kRings{Ring::Z32, Ring::Z64, Ring::Z128};
/// Sizes around those of words and bytes, and one of several chunks.
constexpr std::array<size_t, 6> kSizes{1, 7, 64, 65, 200, 100'001};

auto random_words(Ring ring, size_t n, uint64_t seed) -> RingArray {
  std::mt19937_64 random(seed);
  RingArray words(ring, n);
  for (std::byte& byte : words.edit_bytes()) {
    byte = static_cast<std::byte>(random());
  }
  return words;
}

auto random_planes(unsigned width, size_t n, uint64_t seed) -> BitPlanes {
  std::mt19937_64 random(seed);
  BitPlanes planes(width, n);
  for (uint64_t& word : planes.edit()) {
    word = random();
  }
  return planes;
}

auto share_of(Party& party, RingArray values, Rank owner = 0) -> Task<Share> {
  const Ring ring = values.ring();
  const size_t n = values.size();
  return share(party, owner % party.n_parties(), std::move(values), ring, n);
}

auto bits_of(Party& party, BitPlanes values, Rank owner = 0) -> Task<Bits> {
  const unsigned width = values.width();
  const size_t n = values.size();
  return party.protocol().share_bits(party, owner % party.n_parties(), std::move(values), width, n);
}

/// Runs `fn` and holds what every party gets against `expected`.
template <class T, class Fn>
void expect_everywhere(const TestRun& run, const T& expected, Fn fn) {
  for (const T& result : run_parties(run, fn)) {
    EXPECT_TRUE(result == expected);
  }
}

TEST_P(ProtocolTest, SharesOpenToWhatTheyWereMadeOf) {
  for (const Ring ring : kRings) {
    for (const size_t n : kSizes) {
      for (Rank owner = 0; owner < GetParam().n_parties; ++owner) {
        const RingArray x = random_words(ring, n, owner);
        expect_everywhere(GetParam(), x, [&](Party& party) -> Task<RingArray> {
          RingArray own = party.rank() == owner ? x : RingArray();
          Share shared = co_await share(party, owner, std::move(own), ring, n);
          co_return co_await open(party, std::move(shared));
        });
      }
    }
  }
}

TEST_P(ProtocolTest, OpensSomeBitsToOneParty) {
  const RingArray x = random_words(Ring::Z64, 99, 1);
  for (const unsigned count : {1U, 8U, 13U, 32U, 63U, 64U}) {
    for (Rank receiver = 0; receiver < GetParam().n_parties; ++receiver) {
      const auto opened = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
        Share shared = co_await share_of(party, x);
        co_return co_await party.protocol().open(party, std::move(shared), count, receiver);
      });
      for (Rank rank = 0; rank < GetParam().n_parties; ++rank) {
        EXPECT_TRUE(opened[rank] == (rank == receiver ? low_bits(x, count) : RingArray()));
      }
    }
  }
}

TEST_P(ProtocolTest, SharesBits) {
  for (const size_t n : kSizes) {
    const BitPlanes x = random_planes(11, n, n);
    expect_everywhere(GetParam(), x, [&](Party& party) -> Task<BitPlanes> {
      Bits shared = co_await bits_of(party, x, 2);
      co_return co_await open_bits(party, std::move(shared));
    });
  }
}

TEST_P(ProtocolTest, PublicValuesJoinSecrets) {
  const RingArray x = random_words(Ring::Z32, 70, 1);
  const RingArray y = random_words(Ring::Z32, 70, 2);
  expect_everywhere(GetParam(), add_constant(add(x, add(y, y)), 5),
                    [&](Party& party) -> Task<RingArray> {
                      const Protocol& protocol = party.protocol();
                      Share sum = co_await share_of(party, x);
                      sum = protocol.add_public(party, sum, y);
                      sum = add(sum, protocol.public_share(party, y));
                      sum = protocol.add_constant(party, sum, 5);
                      co_return co_await open(party, std::move(sum));
                    });
  const BitPlanes a = random_planes(5, 70, 1);
  const BitPlanes b = random_planes(5, 70, 2);
  expect_everywhere(GetParam(), complement(a), [&](Party& party) -> Task<BitPlanes> {
    const Protocol& protocol = party.protocol();
    Bits sum = co_await bits_of(party, a);
    sum = protocol.exclusive_or_public(party, sum, b);
    sum = exclusive_or(sum, protocol.public_bits(party, b));
    sum = protocol.complement(party, sum);
    co_return co_await open_bits(party, std::move(sum));
  });
}

TEST_P(ProtocolTest, Multiplies) {
  for (const Ring ring : kRings) {
    for (const size_t n : kSizes) {
      const RingArray x = random_words(ring, n, 1);
      const RingArray y = random_words(ring, n, 2);
      expect_everywhere(GetParam(), multiply(x, y), [&](Party& party) -> Task<RingArray> {
        Share left = co_await share_of(party, x, 1);
        Share right = co_await share_of(party, y, 2);
        Share product = co_await multiply(party, std::move(left), std::move(right));
        co_return co_await open(party, std::move(product));
      });
      expect_everywhere(GetParam(), multiply(x, x), [&](Party& party) -> Task<RingArray> {
        Share left = co_await share_of(party, x);
        Share product = co_await party.protocol().square(party, std::move(left));
        co_return co_await open(party, std::move(product));
      });
    }
  }
}

TEST_P(ProtocolTest, MultipliesRowsAndMatrices) {
  const MatrixShape shape{.rows = 5, .inner = 300, .columns = 9};
  for (const Ring ring : kRings) {
    const RingArray x = random_words(ring, shape.rows * shape.inner, 1);
    const RingArray y = random_words(ring, shape.inner * shape.columns, 2);
    expect_everywhere(GetParam(), multiply_matrices(x, y, shape),
                      [&](Party& party) -> Task<RingArray> {
                        Share left = co_await share_of(party, x, 1);
                        Share right = co_await share_of(party, y, 2);
                        Share product = co_await party.protocol().multiply_matrices(
                            party, std::move(left), std::move(right), shape);
                        co_return co_await open(party, std::move(product));
                      });
    const RingArray z = random_words(ring, x.size(), 3);
    expect_everywhere(GetParam(), dot_rows(x, z, 300), [&](Party& party) -> Task<RingArray> {
      Share left = co_await share_of(party, x, 1);
      Share right = co_await share_of(party, z, 2);
      Share product = co_await party.protocol().dot(party, std::move(left), std::move(right), 300);
      co_return co_await open(party, std::move(product));
    });
  }
}

TEST_P(ProtocolTest, Conjunctions) {
  for (const size_t n : kSizes) {
    const BitPlanes x = random_planes(21, n, 1);
    const BitPlanes y = random_planes(21, n, 2);
    expect_everywhere(GetParam(), conjunction(x, y), [&](Party& party) -> Task<BitPlanes> {
      Bits left = co_await bits_of(party, x, 1);
      Bits right = co_await bits_of(party, y, 2);
      Bits product = co_await conjunction(party, std::move(left), std::move(right));
      co_return co_await open_bits(party, std::move(product));
    });
  }
}

TEST_P(ProtocolTest, SummandsAddUp) {
  for (const Ring ring : kRings) {
    for (const unsigned width : {1U, 2U, 8U, 31U, n_bits(ring)}) {
      const RingArray x = random_words(ring, 130, width);
      expect_everywhere(GetParam(), low_bits(x, width), [&](Party& party) -> Task<RingArray> {
        Share shared = co_await share_of(party, x, 1);
        const std::vector<Bits> terms =
            co_await party.protocol().summands(party, std::move(shared), width);
        RingArray sum = RingArray::zeros(ring, x.size());
        for (const Bits& term : terms) {
          const BitPlanes opened = co_await open_bits(party, term);
          sum = add(sum, from_planes(opened, ring));
        }
        co_return low_bits(sum, width);
      });
      expect_everywhere(GetParam(), low_bits(x, width), [&](Party& party) -> Task<RingArray> {
        Share shared = co_await share_of(party, x, 2);
        HalfSum half = co_await party.protocol().half_sum(party, std::move(shared), width);
        const BitPlanes sum = co_await open_bits(party, half.sum);
        const BitPlanes carry = co_await open_bits(party, half.carry);
        co_return low_bits(add(from_planes(sum, ring), shift_left(from_planes(carry, ring), 1)),
                           width);
      });
    }
  }
}

TEST_P(ProtocolTest, ZeroPlanesAreZeroForZeroAlone) {
  for (const Ring ring : kRings) {
    for (const unsigned width : {1U, 8U, 31U, n_bits(ring)}) {
      RingArray x = random_words(ring, 200, width);
      with_word(ring, [&]<class T>(std::type_identity<T>) {
        const std::span<T> words = x.edit<T>();
        for (size_t i = 0; i < 100; ++i) {
          // Zero, or one bit, or nothing but what is above the width.
          words[i] = i % 3 == 0 ? 0 : static_cast<T>(T{1} << (i % n_bits(ring)));
        }
      });
      const auto planes = run_parties(GetParam(), [&](Party& party) -> Task<BitPlanes> {
        Share shared = co_await share_of(party, x, 1);
        Bits zero = co_await party.protocol().zero_planes(party, std::move(shared), width);
        co_return co_await open_bits(party, std::move(zero));
      });
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(planes[0].at(i) == 0, low_bits(x, width).at(i) == 0) << i << ' ' << width;
      }
    }
  }
}

TEST_P(ProtocolTest, BitsBecomeNumbers) {
  for (const Ring ring : kRings) {
    for (const unsigned width : {1U, 5U, 8U, 32U, n_bits(ring)}) {
      for (const size_t n : {size_t{1}, size_t{67}, size_t{128}}) {
        const BitPlanes x = random_planes(width, n, width);
        expect_everywhere(GetParam(), from_planes(x, ring), [&](Party& party) -> Task<RingArray> {
          Bits bits = co_await bits_of(party, x, 1);
          Share number = co_await bits_to_arithmetic(party, std::move(bits), ring);
          co_return co_await open(party, std::move(number));
        });
      }
    }
  }
  const BitPlanes x = random_planes(3, 70, 1);
  const auto each = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
    Bits bits = co_await bits_of(party, x, 1);
    Share number = co_await party.protocol().each_bit_to_arithmetic(party, bits, Ring::Z32);
    co_return co_await open(party, std::move(number));
  });
  for (size_t i = 0; i < 210; ++i) {
    EXPECT_EQ(each[0].at(i), x.at(i % 70) >> (i / 70) & 1);
  }
}

/// Numbers below a quarter of the ring, its ends among them, and ever smaller ones.
auto truncatable(Ring ring, size_t n) -> RingArray {
  RingArray x = random_words(ring, n, n);
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> words = x.edit<T>();
    const T quarter = T{1} << (n_bits(ring) - 2);
    for (size_t i = 0; i < n; ++i) {
      const T magnitude = static_cast<T>((words[i] & (quarter - 1)) >> (i % (n_bits(ring) - 2)));
      words[i] = (i / 64) % 2 == 0 ? magnitude : static_cast<T>(0 - magnitude);
    }
    words[0] = quarter - 1;
    words[n / 2] = static_cast<T>(
        0 - std::min(quarter - 1, static_cast<T>(truncation_offset(n_bits(ring), 1))));
    words[n - 1] = 0;
  });
  return x;
}

/// How far above x / 2^f, rounded down, `truncated` is; signed. The error is less than one unit if
/// this is 0, or 1 where a rest was lost.
struct Rounding {
  int64_t up;
  bool has_rest;
};
auto rounding(const RingArray& x, const RingArray& truncated, size_t i, unsigned f) -> Rounding {
  const unsigned unused = 128 - n_bits(x.ring());
  __extension__ using Signed = __int128;
  const auto exact = static_cast<Signed>(x.at(i) << unused) >> unused;
  const auto got = static_cast<Signed>(truncated.at(i) << unused) >> unused;
  const Signed floor = exact >> f;
  return {.up = static_cast<int64_t>(got - floor), .has_rest = exact != floor << f};
}

auto is_close(const RingArray& x, const RingArray& truncated, unsigned f) -> bool {
  for (size_t i = 0; i < x.size(); ++i) {
    const Rounding error = rounding(x, truncated, i, f);
    if (error.up != 0 && !(error.up == 1 && error.has_rest)) {
      return false;
    }
  }
  return x.size() == truncated.size();
}

TEST_P(ProtocolTest, TruncatesByLessThanOneUnit) {
  for (const Ring ring : kRings) {
    for (const unsigned f : {1U, 7U, 8U, 16U, 18U, n_bits(ring) - 3}) {
      for (const size_t n : {size_t{500}, size_t{120'000}}) {
        const RingArray x = truncatable(ring, n);
        const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
          Share shared = co_await share_of(party, x, 1);
          Share shifted = co_await truncate(party, std::move(shared), f);
          co_return co_await open(party, std::move(shifted));
        });
        EXPECT_TRUE(is_close(x, results[0], f)) << f;
      }
    }
  }
}

/// Products of numbers of 64 bits are at most 2^126, which is more than others that are truncated.
TEST_P(ProtocolTest, TruncatesTheProductsOfLeastNumbers) {
  const std::vector<uint64_t> ends = {uint64_t{1} << 63, ~uint64_t{0} >> 1, ~uint64_t{0}, 1};
  const RingArray numbers = convert(RingArray::of(ends), Ring::Z128, Extend::Sign);
  for (const unsigned f : {1U, 18U, 40U, 62U}) {
    for (size_t i = 0; i < ends.size(); ++i) {
      const RingArray x = RingArray::filled(Ring::Z128, ends.size(), numbers.at(i));
      const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
        Share left = co_await share_of(party, x, 1);
        Share right = co_await share_of(party, numbers, 0);
        Share product = co_await party.protocol().multiply_truncate(
            party, std::move(left), std::move(right), f, Truncation::Exact);
        co_return co_await open(party, std::move(product));
      });
      EXPECT_TRUE(is_close(multiply(x, numbers), results[0], f)) << f << ", " << i;
    }
  }
}

TEST_P(ProtocolTest, TruncationOfSmallNumbersMayBeProbabilistic) {
  const RingArray x = shift_right_arithmetic(truncatable(Ring::Z64, 1000), 32);
  const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
    Share shared = co_await share_of(party, x, 1);
    Share shifted = co_await truncate(party, std::move(shared), 13, Truncation::Probabilistic);
    co_return co_await open(party, std::move(shifted));
  });
  for (size_t i = 0; i < x.size(); ++i) {
    const Rounding error = rounding(x, results[0], i, 13);
    EXPECT_TRUE(error.up >= -1 && error.up <= 2) << i;
  }
}

/// Protocols with shares; `ref` rounds down.
class SharingProtocolTest : public ProtocolTest {};

TEST_P(SharingProtocolTest, TruncationIsUnbiased) {
  // 5.25: a quarter of the results should be 6. The bound is six standard deviations.
  constexpr size_t kDraws = 100'000;
  const RingArray x = RingArray::filled(Ring::Z64, kDraws, 5 * 256 + 64);
  for (const Truncation how : {Truncation::Exact, Truncation::Probabilistic}) {
    const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
      Share shared = co_await share_of(party, x, 1);
      Share one = co_await share_of(party, RingArray::filled(Ring::Z64, kDraws, 1), 0);
      Share fresh = co_await multiply(party, std::move(shared), std::move(one));
      Share shifted = co_await truncate(party, std::move(fresh), 8, how);
      co_return co_await open(party, std::move(shifted));
    });
    double sum = 0;
    for (size_t i = 0; i < kDraws; ++i) {
      sum += static_cast<double>(results[0].at(i));
    }
    EXPECT_NEAR(sum / kDraws, 5.25, 6 * std::sqrt(0.25 * 0.75 / kDraws));
  }
}

/// What `Truncation::Probabilistic` is given: numbers of all kinds of shares.
struct ShareKind {
  std::string_view name;
  std::function<Task<Share>(Party&, const RingArray&)> make;
};

auto share_kinds() -> std::vector<ShareKind> {
  std::vector<ShareKind> kinds;
  for (Rank owner = 0; owner < 2; ++owner) {
    kinds.push_back({owner == 0 ? "input of party 0" : "input of party 1",
                     [owner](Party& party, const RingArray& x) -> Task<Share> {
                       co_return co_await share_of(party, x, owner);
                     }});
  }
  kinds.push_back({"public value", [](Party& party, const RingArray& x) -> Task<Share> {
                     co_return party.protocol().public_share(party, x);
                   }});
  kinds.push_back({"input plus a constant", [](Party& party, const RingArray& x) -> Task<Share> {
                     const Share shared = co_await share_of(party, add_constant(x, 12345), 1);
                     co_return party.protocol().add_constant(party, shared, Word128{0} - 12345);
                   }});
  kinds.push_back(
      {"input times a public number", [](Party& party, const RingArray& x) -> Task<Share> {
         const Share shared = co_await share_of(party, negate(x), 1);
         co_return scale(shared, ~Word128{0});
       }});
  kinds.push_back({"sum whose masks vanish", [](Party& party, const RingArray& x) -> Task<Share> {
                     const Share shared = co_await share_of(party, x, 1);
                     const Share twice = scale(shared, 2);
                     const Share constant = party.protocol().public_share(party, x);
                     co_return add(subtract(twice, scale(shared, 2)), constant);
                   }});
  kinds.push_back(
      {"sum of a part for each party", [](Party& party, const RingArray& x) -> Task<Share> {
         const RingArray zeros = RingArray::zeros(x.ring(), x.size());
         Share sum = co_await share_of(party, x, 0);
         for (Rank owner = 1; owner < party.n_parties(); ++owner) {
           sum = add(sum, co_await share_of(party, zeros, owner));
         }
         co_return sum;
       }});
  kinds.push_back({"bits as numbers", [](Party& party, const RingArray& x) -> Task<Share> {
                     const Bits bits =
                         party.protocol().public_bits(party, to_planes(x, n_bits(x.ring())));
                     co_return co_await bits_to_arithmetic(party, bits, x.ring());
                   }});
  return kinds;
}

/// A failure is off by ring / 2^f; their number should be that of |x| / ring for shares of every
/// kind and both signs, and so there are none of small numbers.
TEST_P(SharingProtocolTest, ProbabilisticTruncationFailsAsOftenAsStatedForAllShares) {
  constexpr size_t kDraws = 4096;
  constexpr unsigned f = 18;
  for (const ShareKind& kind : share_kinds()) {
    for (const unsigned n_bits_of_x : {20U, 36U, 60U}) {
      for (const bool is_negative : {false, true}) {
        const Word128 size = (Word128{1} << n_bits_of_x) + 12345;
        const RingArray x = RingArray::filled(Ring::Z64, kDraws, is_negative ? 0 - size : size);
        const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
          Share shared = co_await kind.make(party, x);
          Share shifted = co_await truncate(party, std::move(shared), f, Truncation::Probabilistic);
          co_return co_await open(party, std::move(shifted));
        });
        const int64_t exact = static_cast<int64_t>(x.at(0)) >> f;
        size_t n_failures = 0;
        for (size_t i = 0; i < kDraws; ++i) {
          const int64_t error = static_cast<int64_t>(results[0].at(i)) - exact;
          n_failures += error < -1 || error > 2 ? 1 : 0;
        }
        // More than two parties of semi2k truncate exactly.
        const bool may_fail = GetParam().protocol == "aby3" || GetParam().n_parties == 2;
        const double expected =
            may_fail ? kDraws * std::ldexp(1.0, static_cast<int>(n_bits_of_x) - 64) : 0;
        EXPECT_NEAR(static_cast<double>(n_failures), expected, 6 * std::sqrt(expected))
            << kind.name << (is_negative ? ", -2^" : ", 2^") << n_bits_of_x;
      }
    }
  }
}

TEST_P(ProtocolTest, ProductsAreTruncatedOnce) {
  const MatrixShape shape{.rows = 4, .inner = 30, .columns = 5};
  const unsigned f = 16;
  const RingArray x = shift_right_arithmetic(random_words(Ring::Z64, 120'000, 1), 40);
  const RingArray y = shift_right_arithmetic(random_words(Ring::Z64, 120'000, 2), 40);
  auto expect_close = [&](const RingArray& exact, const std::vector<RingArray>& results) {
    EXPECT_TRUE(is_close(exact, results[0], f));
  };
  auto product = [&](size_t n, auto kernel) {
    return run_parties(GetParam(), [&, n](Party& party) -> Task<RingArray> {
      Share left = co_await share_of(party, slice(x, 0, n), 1);
      Share right = co_await share_of(party, slice(y, 0, n + (n == 120 ? 30 : 0)), 2);
      Share result = co_await kernel(party, std::move(left), std::move(right));
      co_return co_await open(party, std::move(result));
    });
  };
  for (const size_t n : {size_t{100}, x.size()}) {
    expect_close(multiply(slice(x, 0, n), slice(y, 0, n)),
                 product(n, [&](Party& party, Share a, Share b) {
                   return party.protocol().multiply_truncate(party, std::move(a), std::move(b), f,
                                                             Truncation::Exact);
                 }));
  }
  expect_close(dot_rows(slice(x, 0, 300), slice(y, 0, 300), 30),
               product(300, [&](Party& party, Share a, Share b) {
                 return party.protocol().dot_truncate(party, std::move(a), std::move(b), 30, f,
                                                      Truncation::Exact);
               }));
  expect_close(multiply_matrices(slice(x, 0, 120), slice(y, 0, 150), shape),
               product(120, [&](Party& party, Share a, Share b) {
                 return party.protocol().multiply_matrices_truncate(
                     party, std::move(a), std::move(b), shape, f, Truncation::Exact);
               }));
}

TEST_P(ProtocolTest, PermutesAndTurnsBack) {
  for (const size_t n : {size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<uint64_t> numbers(n);
    for (size_t i = 0; i < n; ++i) {
      numbers[i] = i;
    }
    const RingArray x = RingArray::of(numbers);
    const RingArray y = random_words(Ring::Z32, n, 1);
    struct Results {
      RingArray order;
      RingArray moved;
      RingArray back;
    };
    const auto results = run_parties(GetParam(), [&](Party& party) -> Task<Results> {
      Protocol& protocol = party.protocol();
      SecretPermutation permutation = co_await protocol.random_permutation(party, n);
      std::vector<Share> arrays;
      arrays.push_back(co_await share_of(party, x, 1));
      arrays.push_back(co_await share_of(party, y, 2));
      std::vector<Share> moved =
          co_await protocol.permute(party, permutation, arrays, Direction::Forward);
      std::vector<Share> back =
          co_await protocol.permute(party, permutation, moved, Direction::Inverse);
      Results opened;
      opened.order = co_await open(party, moved[0]);
      opened.moved = co_await open(party, moved[1]);
      opened.back = co_await open(party, back[1]);
      co_return opened;
    });
    for (const Results& result : results) {
      std::vector<uint32_t> order(n);
      for (size_t i = 0; i < n; ++i) {
        order[i] = static_cast<uint32_t>(result.order.at(i));
      }
      EXPECT_TRUE(result.moved == gather(y, order));
      EXPECT_TRUE(result.back == y);
      std::sort(order.begin(), order.end());
      EXPECT_TRUE(std::equal(order.begin(), order.end(), numbers.begin()));
    }
  }
}

TEST_P(ProtocolTest, TasksSideBySideDrawTheSameRandomness) {
  // Kernels of different lengths that share rounds: what two parties draw from a common key must
  // be drawn in the same order.
  const RingArray x = shift_right_arithmetic(random_words(Ring::Z64, 100, 1), 20);
  auto once = [&](Party& party, unsigned i) -> Task<RingArray> {
    Protocol& protocol = party.protocol();
    Share shared = co_await share_of(party, x, i);
    for (unsigned k = 0; k < i % 4; ++k) {
      shared = co_await multiply(
          party, shared, protocol.public_share(party, RingArray::filled(Ring::Z64, 100, 1)));
    }
    if (i % 2 == 0) {
      SecretPermutation permutation = co_await protocol.random_permutation(party, 100);
      std::vector<Share> arrays{shared};
      arrays = co_await protocol.permute(party, permutation, arrays, Direction::Forward);
      arrays = co_await protocol.permute(party, permutation, arrays, Direction::Inverse);
      shared = arrays[0];
    }
    if (i % 3 == 0) {
      HalfSum half = co_await protocol.half_sum(party, shared, 64);
      auto [sum, carry] = co_await all(bits_to_arithmetic(party, half.sum, Ring::Z64),
                                       bits_to_arithmetic(party, half.carry, Ring::Z64));
      shared = add(sum, shift_left(carry, 1));
    }
    if (i % 5 == 0) {
      shared = co_await truncate(party, shift_left(shared, 1), 1);
    }
    co_return co_await open(party, std::move(shared));
  };
  const auto results = run_parties(GetParam(), [&](Party& party) -> Task<std::vector<RingArray>> {
    std::vector<Task<RingArray>> tasks;
    for (unsigned i = 0; i < 60; ++i) {
      tasks.push_back(once(party, i));
    }
    std::vector<RingArray> opened = co_await all(std::move(tasks));
    co_return opened;
  });
  for (const auto& opened : results) {
    for (const RingArray& y : opened) {
      EXPECT_TRUE(y == x);
    }
  }
}

auto name_of(const testing::TestParamInfo<TestRun>& test) -> std::string {
  return fmt::format("{}_{}", test.param.protocol, test.param.n_parties);
}

INSTANTIATE_TEST_SUITE_P(All, ProtocolTest,
                         testing::Values(TestRun{.n_parties = 1, .protocol = "ref"},
                                         TestRun{.n_parties = 3, .protocol = "ref"},
                                         TestRun{.n_parties = 3, .protocol = "aby3"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k_dealer"},
                                         TestRun{.n_parties = 3, .protocol = "semi2k_dealer"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, SharingProtocolTest,
                         testing::Values(TestRun{.n_parties = 3, .protocol = "aby3"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k_dealer"},
                                         TestRun{.n_parties = 3, .protocol = "semi2k_dealer"}),
                         name_of);

}  // namespace
}  // namespace tacet::mpc
