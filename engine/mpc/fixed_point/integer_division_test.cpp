#include "engine/mpc/fixed_point/integer_division.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/mpc/testing/run_parties.h"

/// Quotients of integers against plain arithmetic: all pairs of 8 bits, and of wider ones those at
/// the ends of ranges and around powers of two, quotients that are nearly whole, and random ones.
namespace tacet::mpc {
namespace {

__extension__ using Signed128 = __int128;
using mpc_model::Cost;
using mpc_model::DivisionPart;

struct Pairs {
  std::vector<uint64_t> x;
  std::vector<uint64_t> y;

  void add(uint64_t left, uint64_t right) {
    x.push_back(left);
    y.push_back(right);
  }
};

class IntegerDivision : public testing::TestWithParam<TestRun> {};

auto value_of(uint64_t word, IntegerType type) -> Signed128 {
  const unsigned unused = 64 - type.width;
  return type.signedness == Signedness::Signed
             ? static_cast<Signed128>(static_cast<int64_t>(word << unused) >> unused)
             : static_cast<Signed128>(word << unused >> unused);
}

auto all_pairs_of_bytes() -> Pairs {
  Pairs pairs;
  for (uint64_t x = 0; x < 256; ++x) {
    for (uint64_t y = 0; y < 256; ++y) {
      pairs.add(x, y);
    }
  }
  return pairs;
}

auto pairs_of(unsigned width, uint64_t n) -> Pairs {
  std::vector<uint64_t> edges;
  for (unsigned bit = 0; bit <= width; bit += bit < 3 || bit + 3 > width ? 1 : 5) {
    const uint64_t power = bit == 64 ? 0 : uint64_t{1} << bit;
    for (const uint64_t number : {power - 1, power, power + 1}) {
      edges.push_back(number);
      edges.push_back(0 - number);
    }
  }
  Pairs pairs;
  for (const uint64_t x : edges) {
    for (const uint64_t y : edges) {
      pairs.add(x, y);
    }
  }
  std::mt19937_64 random(width);
  for (uint64_t i = 0; i < n; ++i) {
    const auto draw = [&] { return random() >> (64 - 1 - random() % width); };
    const uint64_t y = draw();
    pairs.add(draw(), y);
    // Next to a multiple of the divisor.
    pairs.add(draw() * y + random() % 3 - 1, y);
  }
  return pairs;
}

auto words(const std::vector<uint64_t>& values, Ring ring) -> RingArray {
  RingArray array(ring, values.size());
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> out = array.edit<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      out[i] = static_cast<T>(values[i]);
    }
  });
  return array;
}

void check(const TestRun& run, const Pairs& pairs, IntegerType type) {
  const Ring ring = type.width <= 32 ? Ring::Z32 : Ring::Z64;
  const RingArray left = words(pairs.x, ring);
  const RingArray right = words(pairs.y, ring);
  for (const DivisionPart part : {DivisionPart::Quotient, DivisionPart::Remainder}) {
    const auto results = run_parties(run, [&](Party& party) -> Task<RingArray> {
      auto [x, y] = co_await all(share(party, 0, left, ring, left.size()),
                                 share(party, 0, right, ring, right.size()));
      Share result = co_await divide_integers(party, x, y, type, part);
      co_return co_await open(party, std::move(result));
    });
    for (size_t i = 0; i < pairs.x.size(); ++i) {
      const Signed128 x = value_of(pairs.x[i], type);
      const Signed128 y = value_of(pairs.y[i], type);
      const Signed128 quotient = y == 0 ? x : x / y;
      const Signed128 wanted = part == DivisionPart::Quotient ? quotient
                               : y == 0                       ? 0
                                                              : x - quotient * y;
      const unsigned unused = 64 - type.width;
      ASSERT_EQ(static_cast<uint64_t>(results[0].at(i)) << unused, static_cast<uint64_t>(wanted)
                                                                       << unused)
          << static_cast<int64_t>(x) << (part == DivisionPart::Quotient ? " / " : " % ")
          << static_cast<int64_t>(y) << ", " << type.width << " bits "
          << (type.signedness == Signedness::Signed ? "signed" : "unsigned");
    }
  }
}

TEST_P(IntegerDivision, OfBytesIsExact) {
  const Pairs pairs = all_pairs_of_bytes();
  check(GetParam(), pairs, {.width = 8, .signedness = Signedness::Signed});
  check(GetParam(), pairs, {.width = 8, .signedness = Signedness::Unsigned});
}

TEST_P(IntegerDivision, OfWiderNumbersIsExact) {
  for (const unsigned width : {16U, 32U, 64U}) {
    const Pairs pairs = pairs_of(width, 400);
    check(GetParam(), pairs, {.width = width, .signedness = Signedness::Signed});
    check(GetParam(), pairs, {.width = width, .signedness = Signedness::Unsigned});
  }
}

TEST_P(IntegerDivision, CostsWhatIsCounted) {
  const TestRun run = GetParam();
  const std::unique_ptr<mpc_model::ProtocolCosts> costs =
      run.protocol == "aby3"  ? mpc_model::aby3_costs()
      : run.protocol == "ref" ? mpc_model::ref_costs(run.n_parties)
                              : mpc_model::semi2k_costs(run.n_parties);
  for (const unsigned width : {8U, 16U, 32U, 64U}) {
    for (const Signedness signedness : {Signedness::Signed, Signedness::Unsigned}) {
      for (const size_t n : {size_t{1}, size_t{77}}) {
        for (const DivisionPart part : {DivisionPart::Quotient, DivisionPart::Remainder}) {
          const Ring ring = width <= 32 ? Ring::Z32 : Ring::Z64;
          const std::vector<Traffic> traffic = traffic_of(run, [&](Party& party) -> Task<> {
            const Share x = party.protocol().public_share(party, RingArray::filled(ring, n, 50));
            Share result = co_await divide_integers(party, x, x, {width, signedness}, part);
            co_return kDone;
          });
          Cost counted;
          for (const Traffic& of_party : traffic) {
            counted.rounds = of_party.total().rounds;
            counted.bytes += of_party.total().bytes;
          }
          const Cost said = mpc_model::divide_integers(
              *costs, width, signedness == Signedness::Signed, n, n_bits(ring), part);
          EXPECT_EQ(counted.rounds, said.rounds) << width << " bits, " << n;
          EXPECT_EQ(counted.bytes, said.bytes) << width << " bits, " << n;
        }
      }
    }
  }
}

TEST(IntegerDivision, TakesFewRounds) {
  const auto costs = mpc_model::aby3_costs();
  const auto rounds = [&](unsigned width) {
    return mpc_model::divide_integers(*costs, width, true, 1, 64, DivisionPart::Quotient).rounds;
  };
  EXPECT_LE(rounds(64), 56U);
  EXPECT_LE(rounds(32), 54U);
  EXPECT_LE(rounds(8), 46U);
}

INSTANTIATE_TEST_SUITE_P(All, IntegerDivision,
                         testing::Values(TestRun{.n_parties = 1, .protocol = "ref"},
                                         TestRun{.n_parties = 3, .protocol = "aby3"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k_dealer"},
                                         TestRun{.n_parties = 3, .protocol = "semi2k_dealer"}),
                         [](const auto& test) {
                           return fmt::format("{}_{}", test.param.protocol, test.param.n_parties);
                         });

}  // namespace
}  // namespace tacet::mpc
