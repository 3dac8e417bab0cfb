#include <algorithm>
#include <array>
#include <random>

#include "engine/mpc/testing/protocol_test.h"

/// Every protocol against plain arithmetic.
namespace tacet::mpc {
namespace {

/// Sizes around those of words and bytes, and one of several chunks.
constexpr std::array<size_t, 6> kSizes{1, 7, 64, 65, 200, 100'001};

auto random_planes(unsigned width, size_t n, uint64_t seed) -> BitPlanes {
  std::mt19937_64 random(seed);
  BitPlanes planes(width, n);
  for (uint64_t& word : planes.edit()) {
    word = random();
  }
  return planes;
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

TEST_P(ProtocolTest, PermutesAndInverts) {
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

INSTANTIATE_TEST_SUITE_P(All, ProtocolTest, testing::ValuesIn(all_runs()), name_of);

}  // namespace
}  // namespace tacet::mpc
