#include "engine/mpc/party.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "engine/mpc/testing/run_parties.h"
#include "engine/net/in_process_links.h"

namespace tacet::mpc {
namespace {

/// `n_rounds` times, sends a word to the next party and adds what comes from the previous one.
auto go_around(Party& party, unsigned n_rounds) -> Task<uint64_t> {
  const Party::Scope scope = party.scope("go_around");
  uint64_t sum = party.rank() + 1;
  for (unsigned i = 0; i < n_rounds; ++i) {
    uint64_t word = 0;
    party.send(party.other(1), std::as_bytes(std::span(&sum, 1)));
    co_await party.receive(party.other(party.n_parties() - 1),
                           std::as_writable_bytes(std::span(&word, 1)));
    sum += word;
  }
  co_return sum;
}

TEST(Party, TasksThatDoNotDependOnEachOtherShareRounds) {
  const auto traffic = traffic_of({.n_parties = 3}, [](Party& party) -> Task<> {
    std::vector<Task<uint64_t>> tasks;
    for (unsigned i = 0; i < 1000; ++i) {
      tasks.push_back(go_around(party, 1 + i % 7));
    }
    const std::vector<uint64_t> sums = co_await all(std::move(tasks));
    EXPECT_EQ(sums[0], sums[7]);
    co_return kDone;
  });
  EXPECT_EQ(traffic[0].total().rounds, 7U);
}

TEST(Party, ResultsComeInTheOrderOfTasks) {
  const auto sums = run_parties({.n_parties = 2}, [](Party& party) -> Task<uint64_t> {
    auto [slow, quick] = co_await all(go_around(party, 2), go_around(party, 1));
    EXPECT_EQ(quick, 3U);
    co_return slow;
  });
  EXPECT_EQ(sums, (std::vector<uint64_t>{6, 6}));
}

TEST(Party, CountsUnderTheLabelOfTheSender) {
  const auto traffic = traffic_of({.n_parties = 3}, [](Party& party) -> Task<> {
    {
      const Party::Scope scope = party.scope("outer");
      co_await all(go_around(party, 2), go_around(party, 3));
    }
    co_await go_around(party, 1);
    co_return kDone;
  });
  std::string text;
  for (uint32_t label = 0; label < traffic[1].labels().size(); ++label) {
    const Traffic::Counts& counts = traffic[1].labels()[label].counts;
    text += fmt::format("{}: {} rounds, {} bytes\n", fmt::join(traffic[1].path(label), " > "),
                        counts.rounds, counts.bytes);
  }
  EXPECT_EQ(text,
            ": 4 rounds, 48 bytes\n"
            "outer: 3 rounds, 40 bytes\n"
            "outer > go_around: 3 rounds, 40 bytes\n"
            "go_around: 1 rounds, 8 bytes\n");
}

/// Completes without waiting, a million times: tasks do not pile up on the stack.
auto at_once(uint64_t x) -> Task<uint64_t> {
  co_return x + 1;
}

TEST(Party, LoopsOverTasksThatDoNotWaitUseNoStack) {
  const auto sums = run_parties({.n_parties = 1}, [](Party& /*party*/) -> Task<uint64_t> {
    uint64_t x = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      x = co_await at_once(x);
    }
    co_return x;
  });
  EXPECT_EQ(sums[0], 1'000'000U);
}

TEST(Party, AFailedLinkEndsTheTasks) {
  const auto links = net::make_in_process_links(2);
  const std::unique_ptr<Protocol> protocol = make_test_protocol("ref");
  auto random = secure_random::SecureRandom::from_system(best_isa());
  ASSERT_TRUE(random);
  Party party(*links[0], *protocol, std::move(*random));
  links[1]->abort("no more");
  const auto result = party.run(go_around(party, 3));
  ASSERT_EQ(result.index(), 1U);
  EXPECT_EQ(std::get<1>(result).party, 1U);
  EXPECT_EQ(std::get<1>(result).reason, "no more");
}

}  // namespace
}  // namespace tacet::mpc
