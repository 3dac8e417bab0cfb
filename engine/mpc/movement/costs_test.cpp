#include <gtest/gtest.h>

#include "engine/mpc/movement/permutations.h"
#include "engine/mpc/movement/secret_index.h"
#include "engine/mpc/movement/sort.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc_model/movement_costs.h"

/// The formulas of engine/mpc_model/movement_costs.h against the counters of a run.
namespace tacet::mpc {
namespace {

using mpc_model::Cost;

struct Model {
  TestRun run;
  std::shared_ptr<const mpc_model::ProtocolCosts> costs;
};

class MovementCosts : public testing::TestWithParam<Model> {};

/// `kernel` gives a task of shares.
template <class Kernel>
auto counted(const TestRun& run, Kernel kernel) -> Cost {
  const std::vector<Traffic> traffic = traffic_of(run, [&](Party& party) -> Task<> {
    co_await kernel(party);
    co_return kDone;
  });
  Cost cost;
  for (const Traffic& of_party : traffic) {
    cost.rounds = of_party.total().rounds;
    cost.bytes += of_party.total().bytes;
  }
  return cost;
}

/// 0, 1 … n - 1.
auto numbers(Party& party, size_t n) -> Share {
  std::vector<uint64_t> words(n);
  for (size_t i = 0; i < n; ++i) {
    words[i] = i;
  }
  return party.protocol().public_share(party, RingArray::of(words));
}

auto arrays(Party& party, size_t n, size_t count) -> std::vector<Share> {
  return {count, numbers(party, n)};
}

TEST_P(MovementCosts, AreWhatIsCounted) {
  const auto& [run, protocol] = GetParam();
  for (const size_t n : {size_t{2}, size_t{9}, size_t{100}}) {
    for (const size_t count : {size_t{1}, size_t{3}}) {
      EXPECT_EQ(counted(run, [&](Party& p) { return shuffle(p, arrays(p, n, count)); }),
                mpc_model::shuffle(*protocol, n, 64, count));
      EXPECT_EQ(
          counted(run, [&](Party& p) { return move_to(p, numbers(p, n), arrays(p, n, count)); }),
          mpc_model::move_to(*protocol, n, 64, count));
      EXPECT_EQ(
          counted(run, [&](Party& p) { return move_from(p, numbers(p, n), arrays(p, n, count)); }),
          mpc_model::move_from(*protocol, n, 64, count));
    }
    for (const unsigned width : {1U, 8U}) {
      const IntegerType type{.width = width, .signedness = Signedness::Signed};
      EXPECT_EQ(
          counted(run, [&](Party& p) { return sort(p, numbers(p, n), arrays(p, n, 2), type); }),
          mpc_model::sort(*protocol, width, n, 64, 2));
    }
  }
  for (const size_t n : {size_t{1}, size_t{2}, size_t{16}, size_t{300}}) {
    for (const unsigned width : {4U, 8U, 64U}) {
      const IntegerType type{.width = width, .signedness = Signedness::Unsigned};
      EXPECT_EQ(
          counted(run,
                  [&](Party& p) { return gather_secret(p, numbers(p, n), numbers(p, 5), type); }),
          mpc_model::gather_secret(*protocol, width, n, 5, 64))
          << n << " " << width;
      EXPECT_EQ(counted(run,
                        [&](Party& p) {
                          return scatter_secret(p, numbers(p, n), numbers(p, 5), numbers(p, 5),
                                                type);
                        }),
                mpc_model::scatter_secret(*protocol, width, n, 5, 64))
          << n << " " << width;
    }
  }
}

TEST_P(MovementCosts, OfComparisonSortsAreClose) {
  const auto& [run, protocol] = GetParam();
  for (const size_t n : {size_t{100}, size_t{3000}}) {
    const IntegerType type{.width = 32, .signedness = Signedness::Signed};
    const Cost found =
        counted(run, [&](Party& p) { return sort(p, numbers(p, n), arrays(p, n, 1), type); });
    const Cost expected = mpc_model::sort(*protocol, 32, n, 64, 1);
    const auto ratio = [](uint64_t a, uint64_t b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    EXPECT_NEAR(ratio(found.rounds, expected.rounds), 1, 0.35);
    EXPECT_NEAR(ratio(found.bytes, expected.bytes), 1, 0.25);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MovementCosts,
                         testing::Values(Model{.run = {.n_parties = 3, .protocol = "aby3"},
                                               .costs = mpc_model::aby3_costs()},
                                         Model{.run = {.n_parties = 4, .protocol = "rep4"},
                                               .costs = mpc_model::rep4_costs()}),
                         [](const auto& test) { return std::string(test.param.run.protocol); });

}  // namespace
}  // namespace tacet::mpc
