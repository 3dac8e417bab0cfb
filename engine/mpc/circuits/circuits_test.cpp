#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/compare_bits.h"
#include "engine/mpc/circuits/division.h"
#include "engine/mpc/circuits/integers.h"
#include "engine/mpc/testing/run_parties.h"

/// Circuits on every protocol, against plain arithmetic on numbers of every width: random ones,
/// and all pairs of those at the ends of the range.
namespace tacet::mpc {
namespace {

__extension__ using Signed128 = __int128;

struct Operands {
  RingArray x;
  RingArray y;
};

struct Case {
  IntegerType type;
  Ring ring;
};

class CircuitsTest : public testing::TestWithParam<TestRun> {};

auto all_cases() -> std::vector<Case> {
  std::vector<Case> cases;
  for (const Signedness signedness : {Signedness::Signed, Signedness::Unsigned}) {
    for (const unsigned width : {1U, 2U, 8U, 16U, 31U, 32U}) {
      cases.push_back({.type = {.width = width, .signedness = signedness}, .ring = Ring::Z32});
    }
    cases.push_back({.type = {.width = 8, .signedness = signedness}, .ring = Ring::Z64});
    cases.push_back({.type = {.width = 64, .signedness = signedness}, .ring = Ring::Z64});
    cases.push_back({.type = {.width = 64, .signedness = signedness}, .ring = Ring::Z128});
  }
  return cases;
}

/// The value of the low bits.
auto value_of(Word128 word, IntegerType type) -> Signed128 {
  const unsigned unused = 128 - type.width;
  return type.signedness == Signedness::Signed ? static_cast<Signed128>(word << unused) >> unused
                                               : static_cast<Signed128>(word << unused >> unused);
}

/// Pairs of numbers, with random bits above their width.
auto operands(const Case& test) -> Operands {
  std::vector<Word128> edges;
  const Word128 top = Word128{1} << (test.type.width - 1);
  for (const Word128 middle : {Word128{0}, top, 2 * top}) {
    for (int offset = -2; offset <= 2; ++offset) {
      edges.push_back(middle + static_cast<Word128>(offset));
    }
  }
  std::mt19937_64 random(test.type.width);
  std::vector<std::pair<Word128, Word128>> pairs;
  for (const Word128 x : edges) {
    for (const Word128 y : edges) {
      pairs.emplace_back(x, y);
    }
  }
  for (unsigned i = 0; i < 100; ++i) {
    const auto draw = [&] {
      return ((Word128{random()} << 64) | random()) >> (128 - 1 - i % test.type.width);
    };
    const Word128 x = draw();
    pairs.emplace_back(x, i % 10 == 0 ? x : draw());
  }
  Operands out{.x = RingArray(test.ring, pairs.size()), .y = RingArray(test.ring, pairs.size())};
  with_word(test.ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> x = out.x.edit<T>();
    const std::span<T> y = out.y.edit<T>();
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Word128 above = test.type.width == 128 ? 0 : Word128{random()} << test.type.width;
      const Word128 mask = (Word128{1} << test.type.width) - 1;
      x[i] = static_cast<T>((pairs[i].first & mask) | above);
      y[i] = static_cast<T>((pairs[i].second & mask) | (above * 3 & ~mask));
    }
  });
  return out;
}

/// Runs `circuit(party, x, y)` on shares of all operands of `test`; its results must have the low
/// `width` bits of `expected(x, y)`.
template <class Circuit, class Expected>
void expect_numbers(const TestRun& run, const Case& test, unsigned width, Circuit circuit,
                    Expected expected) {
  const Operands values = operands(test);
  const auto results = run_parties(run, [&](Party& party) -> Task<RingArray> {
    auto [x, y] = co_await all(share(party, 0, values.x, test.ring, values.x.size()),
                               share(party, 0, values.y, test.ring, values.y.size()));
    Share result = co_await circuit(party, x, y);
    co_return co_await open(party, std::move(result));
  });
  for (size_t i = 0; i < values.x.size(); ++i) {
    const Signed128 x = value_of(values.x.at(i), test.type);
    const Signed128 y = value_of(values.y.at(i), test.type);
    const Word128 wanted = static_cast<Word128>(expected(x, y)) << (128 - width);
    ASSERT_TRUE(results[0].at(i) << (128 - width) == wanted)
        << "x " << static_cast<int64_t>(x) << ", y " << static_cast<int64_t>(y) << ", width "
        << test.type.width << ": " << static_cast<int64_t>(results[0].at(i)) << " instead of "
        << static_cast<int64_t>(expected(x, y));
  }
}

/// The same for a condition.
template <class Circuit, class Expected>
void expect_conditions(const TestRun& run, const Case& test, Circuit circuit, Expected expected) {
  expect_numbers(
      run, test, 32,
      [&](Party& party, Share x, Share y) -> Task<Share> {
        Bits condition = co_await circuit(party, std::move(x), std::move(y));
        co_return co_await to_number(party, std::move(condition), Ring::Z32);
      },
      expected);
}

TEST_P(CircuitsTest, ComparesTheFullRange) {
  for (const Case& test : all_cases()) {
    const IntegerType type = test.type;
    expect_conditions(
        GetParam(), test, [=](Party& party, Share x, Share y) { return less(party, x, y, type); },
        [](Signed128 x, Signed128 y) { return x < y; });
    expect_conditions(
        GetParam(), test,
        [=](Party& party, Share x, Share y) { return less_equal(party, x, y, type); },
        [](Signed128 x, Signed128 y) { return x <= y; });
    expect_conditions(
        GetParam(), test,
        [=](Party& party, Share x, Share y) { return equal(party, x, y, type.width); },
        [](Signed128 x, Signed128 y) { return x == y; });
    expect_conditions(
        GetParam(), test,
        [=](Party& party, Share x, Share /*y*/) { return is_zero(party, x, type.width); },
        [](Signed128 x, Signed128 /*y*/) { return x == 0; });
  }
}

TEST_P(CircuitsTest, ComparesBits) {
  for (const Case& test : all_cases()) {
    if (test.type.signedness == Signedness::Signed) {
      continue;
    }
    const unsigned width = test.type.width;
    expect_conditions(
        GetParam(), test,
        [=](Party& party, Share x, Share y) -> Task<Bits> {
          auto [left, right] = co_await all(to_bits(party, x, width), to_bits(party, y, width));
          co_return co_await less_of_bits(party, left, right);
        },
        [](Signed128 x, Signed128 y) { return x < y; });
  }
}

/// Every width up to that of two words, where the tree has all of its shapes.
TEST_P(CircuitsTest, ComparesBitsOfEveryWidth) {
  constexpr size_t kPairs = 200;
  std::mt19937_64 random(7);
  for (unsigned width = 1; width <= 86; width += GetParam().protocol == "semi2k" ? 17 : 1) {
    BitPlanes x(width, kPairs);
    for (uint64_t& word : x.edit()) {
      word = random();
    }
    // Half of all differ in one bit at most.
    BitPlanes y(width, kPairs);
    std::ranges::copy(x.words(), y.edit().begin());
    for (size_t i = 0; i < kPairs; ++i) {
      const uint64_t changed = i % 4 == 0 ? width : random() % width;
      for (unsigned p = 0; p < width; ++p) {
        if (p == changed || (i % 2 == 1 && p < changed && random() % 2 == 0)) {
          y.edit_plane(p)[i / 64] ^= uint64_t{1} << (i % 64);
        }
      }
    }
    const auto found = run_parties(GetParam(), [&](Party& party) -> Task<BitPlanes> {
      const Protocol& protocol = party.protocol();
      Bits less = co_await less_of_bits(party, protocol.public_bits(party, x),
                                        protocol.public_bits(party, y));
      co_return co_await open_bits(party, less);
    });
    for (size_t i = 0; i < kPairs; ++i) {
      ASSERT_EQ(found[0].at(i) != 0, x.at(i) < y.at(i)) << "width " << width << ", pair " << i;
    }
  }
}

TEST_P(CircuitsTest, ComparesByOneSignWhereDifferencesFit) {
  // Halves of the operands are of the right size.
  for (const Case& test : all_cases()) {
    if (test.type.signedness == Signedness::Unsigned || test.type.width < 8) {
      continue;
    }
    const IntegerType type = test.type;
    expect_conditions(
        GetParam(), test,
        [=](Party& party, Share x, Share y) -> Task<Bits> {
          Share a = co_await shift_right(party, x, 1, type);
          Share b = co_await shift_right(party, y, 1, type);
          co_return co_await less(party, a, b, type, Distance::Fits);
        },
        [](Signed128 x, Signed128 y) { return x >> 1 < y >> 1; });
  }
}

TEST_P(CircuitsTest, Selects) {
  for (const Case& test : all_cases()) {
    const IntegerType type = test.type;
    expect_numbers(
        GetParam(), test, type.width,
        [=](Party& party, Share x, Share y) { return minimum(party, x, y, type); },
        [](Signed128 x, Signed128 y) { return std::min(x, y); });
    expect_numbers(
        GetParam(), test, type.width,
        [=](Party& party, Share x, Share y) { return maximum(party, x, y, type); },
        [](Signed128 x, Signed128 y) { return std::max(x, y); });
    if (type.signedness == Signedness::Signed) {
      expect_numbers(
          GetParam(), test, type.width,
          [=](Party& party, Share x, Share /*y*/) { return absolute(party, x, type.width); },
          [](Signed128 x, Signed128 /*y*/) { return x < 0 ? -x : x; });
    }
  }
}

TEST_P(CircuitsTest, ExtendsCutsAndCounts) {
  for (const Case& test : all_cases()) {
    const IntegerType type = test.type;
    for (const Ring ring : {Ring::Z32, Ring::Z64, Ring::Z128}) {
      for (const unsigned to_width : {1U, 8U, 32U, 64U}) {
        if (to_width > n_bits(ring)) {
          continue;
        }
        expect_numbers(
            GetParam(), test, to_width,
            [=](Party& party, Share x, Share /*y*/) {
              return cast_integer(party, x, type, to_width, ring);
            },
            [](Signed128 x, Signed128 /*y*/) { return x; });
      }
    }
    expect_numbers(
        GetParam(), test, n_bits(test.ring),
        [=](Party& party, Share x, Share /*y*/) { return population_count(party, x, type.width); },
        [=](Signed128 x, Signed128 /*y*/) {
          int count = 0;
          for (unsigned p = 0; p < type.width; ++p) {
            count += static_cast<int>(x >> p & 1);
          }
          return count;
        });
  }
}

TEST_P(CircuitsTest, WorksBitByBit) {
  for (const Case& test : all_cases()) {
    const unsigned width = test.type.width;
    expect_numbers(
        GetParam(), test, width,
        [=](Party& party, Share x, Share y) { return bitwise_and(party, x, y, width); },
        [](Signed128 x, Signed128 y) { return x & y; });
    expect_numbers(
        GetParam(), test, width,
        [=](Party& party, Share x, Share y) { return bitwise_or(party, x, y, width); },
        [](Signed128 x, Signed128 y) { return x | y; });
    expect_numbers(
        GetParam(), test, width,
        [=](Party& party, Share x, Share y) { return bitwise_xor(party, x, y, width); },
        [](Signed128 x, Signed128 y) { return x ^ y; });
  }
}

TEST_P(CircuitsTest, Shifts) {
  for (const Case& test : all_cases()) {
    const IntegerType type = test.type;
    for (const unsigned distance : {0U, 1U, type.width / 2, type.width - 1}) {
      if (distance >= type.width) {
        continue;
      }
      expect_numbers(
          GetParam(), test, type.width,
          [=](Party& party, Share x, Share /*y*/) { return shift_right(party, x, distance, type); },
          [=](Signed128 x, Signed128 /*y*/) { return x >> distance; });
    }
    if ((type.width & (type.width - 1)) != 0) {
      continue;
    }
    const Signed128 mask = type.width - 1;
    expect_numbers(
        GetParam(), test, type.width,
        [=](Party& party, Share x, Share y) { return shift_right_secret(party, x, y, type); },
        [=](Signed128 x, Signed128 y) { return x >> static_cast<int>(y & mask); });
    expect_numbers(
        GetParam(), test, type.width,
        [=](Party& party, Share x, Share y) { return shift_left_secret(party, x, y, type); },
        [=](Signed128 x, Signed128 y) {
          return static_cast<Signed128>(static_cast<Word128>(x) << static_cast<int>(y & mask));
        });
  }
}

TEST_P(CircuitsTest, Divides) {
  for (const Case& test : all_cases()) {
    const IntegerType type = test.type;
    if (type.width == 1 && type.signedness == Signedness::Signed) {
      continue;  // no type of the language
    }
    expect_numbers(
        GetParam(), test, type.width,
        [=](Party& party, Share x, Share y) -> Task<Share> {
          Quotient both = co_await divide(party, x, y, type);
          co_return both.quotient;
        },
        [](Signed128 x, Signed128 y) { return y == 0 ? x : x / y; });
    expect_numbers(
        GetParam(), test, type.width,
        [=](Party& party, Share x, Share y) -> Task<Share> {
          Quotient both = co_await divide(party, x, y, type);
          co_return both.remainder;
        },
        [](Signed128 x, Signed128 y) { return y == 0 ? 0 : x % y; });
  }
}

TEST_P(CircuitsTest, FindsTheHighestBit) {
  for (const Case& test : all_cases()) {
    const IntegerType type = test.type;
    expect_numbers(
        GetParam(), test, n_bits(test.ring),
        [=](Party& party, Share x, Share /*y*/) -> Task<Share> {
          const Ring ring = x.ring();
          Bits bits = co_await to_bits(party, std::move(x), type.width);
          Bits reached = co_await suffix_or(party, std::move(bits));
          Bits count = co_await count_planes(party, std::move(reached));
          co_return co_await bits_to_arithmetic(party, std::move(count), ring);
        },
        [=](Signed128 x, Signed128 /*y*/) {
          int n = 0;
          for (unsigned p = 0; p < type.width; ++p) {
            n = (x >> p & 1) != 0 ? static_cast<int>(p) + 1 : n;
          }
          return n;
        });
  }
}

TEST_P(CircuitsTest, AThousandComparisonsTakeTheRoundsOfOne) {
  const RingArray x = RingArray::filled(Ring::Z64, 1, 5);
  const RingArray y = RingArray::filled(Ring::Z64, 1, 7);
  auto rounds_of = [&](size_t n_tasks) {
    const auto traffic = traffic_of(GetParam(), [&](Party& party) -> Task<> {
      std::vector<Task<Bits>> tasks;
      for (size_t i = 0; i < n_tasks; ++i) {
        tasks.push_back(less(party, party.protocol().public_share(party, x),
                             party.protocol().public_share(party, y), {}));
      }
      co_await all(std::move(tasks));
      co_return kDone;
    });
    return traffic[0].total().rounds;
  };
  EXPECT_EQ(rounds_of(1000), rounds_of(1));
}

INSTANTIATE_TEST_SUITE_P(All, CircuitsTest,
                         testing::Values(TestRun{.n_parties = 1, .protocol = "ref"},
                                         TestRun{.n_parties = 3, .protocol = "aby3"},
                                         TestRun{.n_parties = 4, .protocol = "rep4"},
                                         TestRun{.n_parties = 3, .protocol = "aby3-active"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k_dealer"}),
                         [](const auto& test) {
                           std::string name =
                               fmt::format("{}_{}", test.param.protocol, test.param.n_parties);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tacet::mpc
