#include <gtest/gtest.h>

#include "engine/mpc/semi2k/bfv_exchange.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc_model/protocol_costs.h"
#include "engine/mpc_model/semi2k_costs.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

/// What `semi2k` sends to make its randomness by encryption, separated from what it computes with.
namespace tacet::mpc {
namespace {

using mpc_model::Cost;

/// All that was sent, and what of it under the label of making randomness.
struct Counted {
  Cost all;
  Cost correlations;
};

template <class Kernel>
auto counted(Rank n_parties, Kernel kernel) -> Counted {
  Counted result;
  for (const Traffic& of_party :
       traffic_of({.n_parties = n_parties, .protocol = "semi2k"}, kernel)) {
    result.all.rounds = of_party.total().rounds;
    result.all.bytes += of_party.total().bytes;
    for (const Traffic::Label& label : of_party.labels()) {
      if (label.name == "correlations") {
        result.correlations.rounds = label.counts.rounds;
        result.correlations.bytes += label.counts.bytes;
      }
    }
  }
  return result;
}

void expect_costs(const Counted& found, Cost online, Cost offline) {
  EXPECT_EQ(found.correlations, offline);
  EXPECT_EQ(found.all, then(online, offline));
}

auto number(Party& party, size_t n, Ring ring) -> Share {
  return party.protocol().public_share(party, RingArray::filled(ring, n, 5));
}

TEST(Semi2kOffline, ProductsTakeWhatTheModelSays) {
  for (const Rank parties : {2U, 3U}) {
    const auto costs = mpc_model::semi2k_costs(parties);
    for (const Ring ring : {Ring::Z32, Ring::Z64, Ring::Z128}) {
      for (const size_t n : {size_t{1}, size_t{20'000}}) {
        const unsigned bits = n_bits(ring);
        expect_costs(counted(parties,
                             [&](Party& party) {
                               return multiply(party, number(party, n, ring),
                                               number(party, n, ring));
                             }),
                     costs->multiply(n, bits), mpc_model::bfv_triples(parties, n, bits));
        expect_costs(counted(parties,
                             [&](Party& party) {
                               return party.protocol().square(party, number(party, n, ring));
                             }),
                     costs->square(n, bits), mpc_model::bfv_squares(parties, n, bits));
      }
    }
  }
}

TEST(Semi2kOffline, MatricesTakeWhatTheModelSays) {
  const std::vector<MatrixShape> shapes = {{.rows = 20, .inner = 30, .columns = 40},
                                           {.rows = 2, .inner = 300, .columns = 65},
                                           {.rows = 65, .inner = 300, .columns = 2},
                                           // so long that what comes back comes in two slices
                                           {.rows = 1, .inner = 525'000, .columns = 1}};
  for (const Rank parties : {2U, 3U}) {
    const auto costs = mpc_model::semi2k_costs(parties);
    for (const MatrixShape& shape : shapes) {
      const auto size = mpc_model::MatrixSize{shape.rows, shape.inner, shape.columns};
      if (parties == 3 && shape.inner > 1000) {
        continue;
      }
      expect_costs(counted(parties,
                           [&](Party& party) {
                             return party.protocol().multiply_matrices(
                                 party, number(party, shape.rows * shape.inner, Ring::Z64),
                                 number(party, shape.inner * shape.columns, Ring::Z64), shape);
                           }),
                   costs->multiply_matrices(shape.rows, shape.inner, shape.columns, 64),
                   mpc_model::bfv_matrix_triple(parties, size, 64));
    }
  }
  EXPECT_EQ(mpc_model::choose_matrix_blocks({1, 525'000, 1}).n_slices(), 2U);
}

TEST(Semi2kOffline, BitsTakeWhatTheModelSays) {
  const auto costs = mpc_model::semi2k_costs(2);
  for (const size_t n : {size_t{5}, size_t{70'000}}) {
    const auto planes = [=](Party& party, unsigned width) {
      return party.protocol().public_bits(party, BitPlanes::filled(width, n, 1));
    };
    const uint64_t n_words = 3 * ((n + 63) / 64);
    expect_costs(counted(2,
                         [&](Party& party) {
                           return conjunction(party, planes(party, 3), planes(party, 3));
                         }),
                 costs->conjunction(3, n), mpc_model::bfv_bit_triples(2, n_words));
    expect_costs(counted(2,
                         [&](Party& party) {
                           return bits_to_arithmetic(party, planes(party, 1), Ring::Z64);
                         }),
                 costs->bits_to_arithmetic(1, n, 64), mpc_model::bfv_random_bits_of_two(n));
    expect_costs(counted(2,
                         [&](Party& party) {
                           return party.protocol().half_sum(party, number(party, n, Ring::Z64), 3);
                         }),
                 costs->half_sum(3, n), mpc_model::bfv_cross_products(n_words));
    expect_costs(
        counted(2, [&](Party& party) { return truncate(party, number(party, n, Ring::Z64), 16); }),
        costs->truncate(n, 64, 16), mpc_model::bfv_random_bits_of_two(n));
  }
}

TEST(Semi2kOffline, TasksSideBySideShareWhatIsMade) {
  // A thousand products take one batch of triples, and the rounds of one.
  const Counted found = counted(2, [](Party& party) -> Task<> {
    std::vector<Task<Share>> tasks;
    for (int i = 0; i < 1000; ++i) {
      tasks.push_back(multiply(party, number(party, 3, Ring::Z64), number(party, 3, Ring::Z64)));
    }
    co_await all(std::move(tasks));
    co_return kDone;
  });
  const auto costs = mpc_model::semi2k_costs(2);
  const Cost online{.rounds = 1, .bytes = costs->multiply(3000, 64).bytes};
  expect_costs(found, online, mpc_model::bfv_triples(2, 3000, 64));
}

/// More replies than their slack allows end the run, before they are sent.
TEST(Semi2kOffline, SlackOfARunHasABound) {
  std::array<std::string, 2> reasons;
  net::run_on_threads(net::make_in_process_links(2), [&](net::Links& links) {
    const std::unique_ptr<Protocol> protocol = make_test_protocol("semi2k");
    Party party(links, *protocol,
                secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa()));
    BfvExchange exchange;
    EXPECT_FALSE(exchange.log_slack(party));
    exchange.count_replies(party, mp::Slack::kMaxReplies / 2);  // and as many of the other one
    EXPECT_DOUBLE_EQ(exchange.log_slack(party).value_or(0), -40);
    if (links.rank() == 0) {
      EXPECT_FALSE(links.flush());
      exchange.count_replies(party, 1);
    }
    std::array<std::byte, 1> byte{};
    const net::LinkStatus failure = links.receive(1 - links.rank(), byte);
    reasons[links.rank()] = failure ? describe(links, *failure) : "";
  });
  for (const std::string& reason : reasons) {
    EXPECT_NE(reason.find("more products than can be hidden with total statistical distance 2^-40"),
              std::string::npos)
        << reason;
  }
}

}  // namespace
}  // namespace tacet::mpc
