#include <gtest/gtest.h>

#include <array>
#include <type_traits>

#include "engine/mpc/testing/run_parties.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

/// Nothing is shown before a check, and nothing after a lie was found.
namespace tacet::mpc {
namespace {

// ---- what does not compile ----

template <class P>
concept OpensWithoutACheck = requires(P& protocol, Party& party, Share x) {
  protocol.open_checked(party, {}, x, 64U, std::nullopt);
};
template <class P>
concept OpensBitsWithoutACheck = requires(P& protocol, Party& party, Bits x) {
  protocol.open_bits_checked(party, {}, x, std::nullopt);
};

static_assert(!OpensWithoutACheck<Protocol> && !OpensBitsWithoutACheck<Protocol>);
static_assert(!std::is_default_constructible_v<Checked> && !std::is_aggregate_v<Checked>);
static_assert(!std::is_copy_constructible_v<Checked> && !std::is_copy_assignable_v<Checked>);
static_assert(std::is_move_constructible_v<Checked>);

// ---- after a lie ----

/// What `run` gave each party, and what each found itself.
struct Ends {
  std::array<net::LinkStatus, 3> failures;
  std::array<std::optional<Lie>, 3> lies;
};

template <class Fn>
auto ends_of(Fn kernel) -> Ends {
  Ends ends;
  net::run_on_threads(net::make_in_process_links(3), [&](net::Links& links) {
    const std::unique_ptr<Protocol> protocol = make_test_protocol("ref");
    const auto seed = secure_random::TestSeed::of(links.rank());
    Party party(links, *protocol, secure_random::seeded_random(seed, best_isa()));
    auto outcome = party.run(kernel(party));
    if (net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
      ends.failures[links.rank()] = std::move(*error);
    }
    ends.lies[links.rank()] = party.lie();
    static_cast<void>(links.finish());
  });
  return ends;
}

TEST(Accusations, EndTheRunOfAll) {
  const Ends ends = ends_of([](Party& party) -> Task<> {
    if (party.rank() == 1) {
      party.accuse({.check = "products", .first = 0, .second = 2});
      party.accuse({.check = "inputs", .first = 2, .second = 2});
    }
    co_await party.next_round();
    std::array<std::byte, 1> byte{};
    co_await party.receive(party.other(1), byte);
    co_return kDone;
  });
  for (Rank rank = 0; rank < 3; ++rank) {
    ASSERT_TRUE(ends.failures[rank]) << rank;
    EXPECT_EQ(ends.failures[rank]->party, 1U);
    EXPECT_EQ(ends.failures[rank]->reason,
              "the check of products failed between party 0 and party 2: one of the parties did "
              "not follow the protocol");
    EXPECT_EQ(ends.lies[rank].has_value(), rank == 1);
  }
}

/// Also if the party is done, or sends what others wait for.
TEST(Accusations, LeaveNothingToBeSent) {
  const Ends ends = ends_of([](Party& party) -> Task<> {
    std::array<std::byte, 1> byte{};
    if (party.rank() == 1) {
      party.accuse({.check = "inputs", .first = 2, .second = 2});
      party.send(0, byte);
      EXPECT_EQ(party.traffic().total().bytes, 0U);
      co_return kDone;
    }
    if (party.rank() == 0) {
      co_await party.receive(1, byte);
      ADD_FAILURE() << "a liar was found, and its bytes came";
    } else {
      co_await party.next_round();
    }
    co_return kDone;
  });
  ASSERT_TRUE(ends.failures[0] && ends.failures[1]);
  EXPECT_EQ(ends.failures[0]->reason,
            "the check of inputs failed: party 2 did not follow the protocol");
  EXPECT_EQ(ends.lies[1]->check, "inputs");
}

}  // namespace
}  // namespace tacet::mpc
