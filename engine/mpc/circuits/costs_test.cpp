#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/compare_bits.h"
#include "engine/mpc/circuits/division.h"
#include "engine/mpc/circuits/integers.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc_model/circuit_costs.h"

/// Every formula of engine/mpc_model against the counters of a run.
namespace tacet::mpc {
namespace {

using mpc_model::Cost;
using mpc_model::ProtocolCosts;

struct Model {
  TestRun run;
  std::shared_ptr<const ProtocolCosts> costs;
};

class CostsTest : public testing::TestWithParam<Model> {};

auto number(Party& party, Ring ring, size_t n) -> Share {
  return party.protocol().public_share(party, RingArray::filled(ring, n, 5));
}
auto planes(Party& party, unsigned width, size_t n) -> Bits {
  return party.protocol().public_bits(party, BitPlanes::filled(width, n, 5));
}

/// What a run of `kernel` by all parties takes.
template <class Kernel>
auto counted(const TestRun& run, Kernel kernel) -> Cost {
  const auto traffic = traffic_of(run, [&](Party& party) -> Task<> {
    co_await kernel(party);
    co_return kDone;
  });
  Cost cost;
  for (const Traffic& of_party : traffic) {
    EXPECT_EQ(of_party.total().rounds, traffic[0].total().rounds);
    cost.rounds = of_party.total().rounds;
    cost.bytes += of_party.total().bytes;
  }
  return cost;
}

#define TACET_EXPECT_COST(expected, kernel)                                              \
  do {                                                                                   \
    const Cost wanted = (expected);                                                      \
    const Cost found = counted(GetParam().run, [&](Party& p) { return kernel; });        \
    EXPECT_EQ(found.rounds, wanted.rounds) << #kernel << " n " << n << " ring " << bits; \
    EXPECT_EQ(found.bytes, wanted.bytes) << #kernel << " n " << n << " ring " << bits;   \
  } while (false)

constexpr std::array<size_t, 3> kSizes{1, 77, 128};

TEST_P(CostsTest, FunctionsOfTheProtocol) {
  const ProtocolCosts& costs = *GetParam().costs;
  for (const Ring ring : {Ring::Z32, Ring::Z64, Ring::Z128}) {
    for (const size_t n : kSizes) {
      const unsigned bits = n_bits(ring);
      const Rank last = GetParam().run.n_parties - 1;
      const RingArray x = RingArray::filled(ring, n, 3);
      TACET_EXPECT_COST(costs.share(n, bits), p.protocol().share(p, last, x, ring, n));
      TACET_EXPECT_COST(costs.share_bits(3, n),
                        p.protocol().share_bits(p, last, BitPlanes::zeros(3, n), 3, n));
      for (const unsigned shown : {1U, 17U, bits}) {
        TACET_EXPECT_COST(costs.open(n, shown),
                          p.protocol().open(p, number(p, ring, n), shown, std::nullopt));
        TACET_EXPECT_COST(costs.open_to_one(n, shown),
                          p.protocol().open(p, number(p, ring, n), shown, last));
      }
      TACET_EXPECT_COST(costs.open_bits(5, n), open_bits(p, planes(p, 5, n)));
      TACET_EXPECT_COST(costs.multiply(n, bits),
                        multiply(p, number(p, ring, n), number(p, ring, n)));
      TACET_EXPECT_COST(costs.square(n, bits), p.protocol().square(p, number(p, ring, n)));
      TACET_EXPECT_COST(costs.dot(n, 6, bits),
                        p.protocol().dot(p, number(p, ring, 6 * n), number(p, ring, 6 * n), 6));
      const MatrixShape shape{.rows = 3, .inner = 4, .columns = n};
      TACET_EXPECT_COST(
          costs.multiply_matrices(3, 4, n, bits),
          p.protocol().multiply_matrices(p, number(p, ring, 12), number(p, ring, 4 * n), shape));
      TACET_EXPECT_COST(
          costs.multiply_matrices_truncate(3, 4, n, bits, 9),
          p.protocol().multiply_matrices_truncate(p, number(p, ring, 12), number(p, ring, 4 * n),
                                                  shape, 9, Truncation::Exact));
      TACET_EXPECT_COST(costs.conjunction(7, n), conjunction(p, planes(p, 7, n), planes(p, 7, n)));
      for (const unsigned width : {1U, 8U, 32U, bits}) {
        TACET_EXPECT_COST(costs.half_sum(width, n),
                          p.protocol().half_sum(p, number(p, ring, n), width));
        TACET_EXPECT_COST(costs.zero_planes(width, n),
                          p.protocol().zero_planes(p, number(p, ring, n), width));
        TACET_EXPECT_COST(costs.bits_to_arithmetic(width, n, bits),
                          bits_to_arithmetic(p, planes(p, width, n), ring));
      }
      for (const unsigned f : {1U, 16U, 18U}) {
        TACET_EXPECT_COST(costs.truncate(n, bits, f), truncate(p, number(p, ring, n), f));
        TACET_EXPECT_COST(costs.truncate_probabilistic(n, bits, f),
                          truncate(p, number(p, ring, n), f, Truncation::Probabilistic));
        TACET_EXPECT_COST(costs.multiply_truncate(n, bits, f),
                          p.protocol().multiply_truncate(p, number(p, ring, n), number(p, ring, n),
                                                         f, Truncation::Exact));
      }
    }
  }
}

/// A permutation of no matter what.
auto permuted(Party& party, Ring ring, size_t n) -> Task<> {
  SecretPermutation permutation = co_await party.protocol().random_permutation(party, n);
  std::vector<Share> arrays{number(party, ring, n), number(party, ring, n)};
  co_await party.protocol().permute(party, permutation, arrays, Direction::Inverse);
  co_return kDone;
}

TEST_P(CostsTest, Permutations) {
  const ProtocolCosts& costs = *GetParam().costs;
  for (const size_t n : kSizes) {
    const unsigned bits = 64;
    TACET_EXPECT_COST(costs.random_permutation(n), p.protocol().random_permutation(p, n));
    TACET_EXPECT_COST(then(costs.random_permutation(n), costs.permute(n, bits, 2)),
                      permuted(p, Ring::Z64, n));
  }
}

TEST_P(CostsTest, Circuits) {
  const ProtocolCosts& costs = *GetParam().costs;
  for (const Ring ring : {Ring::Z32, Ring::Z64}) {
    for (const unsigned width : {2U, 8U, 32U, n_bits(ring)}) {
      for (const size_t n : kSizes) {
        const unsigned bits = n_bits(ring);
        const IntegerType type{.width = width};
        auto x = [&](Party& party) { return number(party, ring, n); };
        TACET_EXPECT_COST(mpc_model::to_bits(costs, width, n), mpc::to_bits(p, x(p), width));
        TACET_EXPECT_COST(mpc_model::top_bit(costs, width, n), mpc::top_bit(p, x(p), width));
        TACET_EXPECT_COST(mpc_model::suffix_or(costs, width, n),
                          mpc::suffix_or(p, planes(p, width, n)));
        TACET_EXPECT_COST(mpc_model::add_bits(costs, width, n),
                          mpc::add_bits(p, planes(p, width, n), planes(p, width, n)));
        TACET_EXPECT_COST(mpc_model::subtract_bits(costs, width, n),
                          mpc::subtract_bits(p, planes(p, width, n), planes(p, width, n)));
        TACET_EXPECT_COST(mpc_model::less_of_bits(costs, width, n),
                          mpc::less_of_bits(p, planes(p, width, n), planes(p, width, n)));
        TACET_EXPECT_COST(mpc_model::less(costs, width, n), mpc::less(p, x(p), x(p), type));
        TACET_EXPECT_COST(mpc_model::less_fitting(costs, width, n),
                          mpc::less(p, x(p), x(p), type, Distance::Fits));
        TACET_EXPECT_COST(mpc_model::equal(costs, width, n), mpc::equal(p, x(p), x(p), width));
        TACET_EXPECT_COST(mpc_model::select(costs, n, bits),
                          mpc::select(p, planes(p, 1, n), x(p), x(p)));
        TACET_EXPECT_COST(mpc_model::minimum(costs, width, n, bits),
                          mpc::maximum(p, x(p), x(p), type));
        TACET_EXPECT_COST(mpc_model::absolute(costs, width, n, bits),
                          mpc::absolute(p, x(p), width));
        TACET_EXPECT_COST(mpc_model::bitwise_and(costs, width, n, bits),
                          mpc::bitwise_or(p, x(p), x(p), width));
        TACET_EXPECT_COST(mpc_model::bitwise_xor(costs, width, n, bits),
                          mpc::bitwise_xor(p, x(p), x(p), width));
        TACET_EXPECT_COST(mpc_model::shift_right(costs, width, 1, n, bits),
                          mpc::shift_right(p, x(p), 1, type));
        TACET_EXPECT_COST(mpc_model::shift_left_secret(costs, width, n, bits),
                          mpc::shift_left_secret(p, x(p), x(p), type));
        TACET_EXPECT_COST(mpc_model::shift_right_secret(costs, width, n, bits),
                          mpc::shift_right_secret(p, x(p), x(p), type));
        TACET_EXPECT_COST(mpc_model::extend(costs, width, n, 128),
                          mpc::cast_integer(p, x(p), type, 128, Ring::Z128));
        TACET_EXPECT_COST(mpc_model::population_count(costs, width, n, bits),
                          mpc::population_count(p, x(p), width));
        TACET_EXPECT_COST(mpc_model::divide(costs, width, true, n, bits),
                          mpc::divide(p, x(p), x(p), type));
        TACET_EXPECT_COST(
            mpc_model::divide(costs, width, false, n, bits),
            mpc::divide(p, x(p), x(p), {.width = width, .signedness = Signedness::Unsigned}));
      }
    }
  }
}

/// The figures that mpc.md of the design asks for: conjunctions of a comparison and of a sum.
TEST(Aby3Costs, OfSixtyFourBits) {
  const auto costs = mpc_model::aby3_costs();
  constexpr uint64_t kMany = 64'000;
  // 8 bytes from the leader, two thirds of 63 and all of 118 conjunctions a party.
  EXPECT_EQ(mpc_model::less_fitting(*costs, 64, kMany),
            (Cost{.rounds = 8, .bytes = kMany / 8 * (64 + 2 * 63 + 3 * 118)}));
  EXPECT_EQ(mpc_model::to_bits(*costs, 64, kMany),
            (Cost{.rounds = 8, .bytes = kMany / 8 * (64 + 2 * 63 + 3 * 310)}));
  EXPECT_EQ(mpc_model::equal(*costs, 64, kMany),
            (Cost{.rounds = 7, .bytes = kMany / 8 * (64 + 3 * 63)}));
}

INSTANTIATE_TEST_SUITE_P(
    All, CostsTest,
    testing::Values(
        Model{.run = {.n_parties = 3, .protocol = "ref"}, .costs = mpc_model::ref_costs(3)},
        Model{.run = {.n_parties = 3, .protocol = "aby3"}, .costs = mpc_model::aby3_costs()},
        Model{.run = {.n_parties = 4, .protocol = "rep4"}, .costs = mpc_model::rep4_costs()},
        Model{.run = {.n_parties = 3, .protocol = "aby3-active"},
              .costs = mpc_model::aby3_active_costs()},
        Model{.run = {.n_parties = 2, .protocol = "semi2k_dealer"},
              .costs = mpc_model::semi2k_costs(2)},
        Model{.run = {.n_parties = 3, .protocol = "semi2k_dealer"},
              .costs = mpc_model::semi2k_costs(3)}),
    [](const auto& test) {
      std::string name = fmt::format("{}_{}", test.param.run.protocol, test.param.run.n_parties);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace tacet::mpc
