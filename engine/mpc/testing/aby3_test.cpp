#include "engine/mpc/aby3/aby3.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc/testing/secrecy_test.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

/// What one party of `aby3` sees: its shares and received messages reveal nothing of the secrets.
namespace tacet::mpc {
namespace {

constexpr size_t kSize = 20'000;

using mpc::expect_uniform;

/// Each part, and both together: neither depends on the other.
void expect_uniform(const Share& x, const std::string& what) {
  expect_uniform(x.parts[0].bytes(), what);
  expect_uniform(x.parts[1].bytes(), what);
  expect_uniform(add(x.parts[0], x.parts[1]).bytes(), what);
  expect_uniform(subtract(x.parts[0], x.parts[1]).bytes(), what);
}
void expect_uniform(const Bits& x, const std::string& what) {
  expect_uniform(std::as_bytes(x.parts[0].words()), what);
  expect_uniform(std::as_bytes(x.parts[1].words()), what);
  expect_uniform(std::as_bytes(exclusive_or(x.parts[0], x.parts[1]).words()), what);
}

TEST(Aby3, SharesOfResultsAreUniform) {
  for (const uint64_t secret : {uint64_t{0}, uint64_t{1} << 40, ~uint64_t{0}}) {
    run_each_party({.n_parties = 3, .protocol = "aby3", .seed = 7}, [&](Party& party) {
      auto kernel = [&]() -> Task<> {
        Protocol& protocol = party.protocol();
        const Share x = protocol.public_share(party, RingArray::filled(Ring::Z64, kSize, secret));
        const Share product = co_await multiply(party, x, x);
        expect_uniform(product, "products");
        const Share shifted = co_await truncate(party, x, 20);
        expect_uniform(shifted, "truncated");
        const Share scaled = co_await protocol.multiply_truncate(party, x, x, 9, Truncation::Exact);
        expect_uniform(scaled, "scaled");
        const Bits bits =
            protocol.public_bits(party, BitPlanes::filled(64, kSize / 64 * 64, secret));
        const Bits both = co_await conjunction(party, bits, bits);
        expect_uniform(both, "conjunctions");
        const Share numbers = co_await bits_to_arithmetic(party, bits, Ring::Z64);
        expect_uniform(numbers, "bits as numbers");
        const SecretPermutation order = co_await protocol.random_permutation(party, kSize);
        std::vector<Share> arrays{x};
        arrays = co_await protocol.permute(party, order, arrays, Direction::Forward);
        expect_uniform(arrays[0], "permuted");
        co_return kDone;
      };
      EXPECT_EQ(party.run(kernel()).index(), 0U);
    });
  }
}

/// Of an input, the owner's parts are uniform and its sum is the secret; a party without the
/// owner's first part holds a uniform one and zeros.
TEST(Aby3, SharesOfInputsAreUniform) {
  run_each_party({.n_parties = 3, .protocol = "aby3", .seed = 8}, [&](Party& party) {
    auto kernel = [&]() -> Task<> {
      const Share x =
          co_await share(party, 0, RingArray::filled(Ring::Z64, kSize, 77), Ring::Z64, kSize);
      const size_t uniform = party.rank() == 2 ? 1 : 0;
      expect_uniform(x.parts[uniform].bytes(), "inputs");
      if (party.rank() != 0) {
        EXPECT_TRUE(x.parts[1 - uniform] == RingArray::zeros(Ring::Z64, kSize));
      }
      co_return kDone;
    };
    EXPECT_EQ(party.run(kernel()).index(), 0U);
  });
}

/// What each party is sent while all compute on `secret` and open nothing.
auto transcripts(uint64_t secret, uint64_t seed) -> std::vector<std::vector<std::byte>> {
  std::vector<std::vector<std::byte>> received(3);
  net::run_on_threads(net::make_in_process_links(3), [&](net::Links& in_process) {
    RecordingLinks links(in_process, received[in_process.rank()]);
    const std::unique_ptr<Protocol> protocol = make_aby3();
    const auto test_seed = secure_random::TestSeed::of(10 * seed + links.rank());
    Party party(links, *protocol, secure_random::seeded_random(test_seed, best_isa()));
    auto kernel = [&]() -> Task<> {
      co_await protocol->start(party);
      received[party.rank()].clear();
      const RingArray numbers = RingArray::filled(Ring::Z64, kSize, secret);
      for (Rank owner = 0; owner < 3; ++owner) {
        const Share x = co_await share(party, owner, numbers, Ring::Z64, kSize);
        const Share product = co_await multiply(party, x, x);
        co_await truncate(party, x, 16);
        co_await protocol->multiply_truncate(party, x, product, 24, Truncation::Exact);
        const HalfSum half = co_await protocol->half_sum(party, x, 64);
        co_await conjunction(party, half.sum, half.carry);
        co_await protocol->zero_planes(party, x, 64);
        co_await bits_to_arithmetic(party, plane_range(half.carry, 0, 1), Ring::Z64);
        const SecretPermutation order = co_await protocol->random_permutation(party, kSize);
        std::vector<Share> arrays{x};
        co_await protocol->permute(party, order, arrays, Direction::Forward);
      }
      co_return kDone;
    };
    EXPECT_EQ(party.run(kernel()).index(), 0U);
    EXPECT_FALSE(links.finish().has_value());
  });
  return received;
}

TEST(Aby3, MessagesSayNothingOfSecrets) {
  const auto of_zeros = transcripts(0, 1);
  const auto of_ones = transcripts(~uint64_t{0} >> 3, 2);
  for (Rank party = 0; party < 3; ++party) {
    ASSERT_EQ(of_zeros[party].size(), of_ones[party].size());
    expect_uniform(of_zeros[party], "messages about zeros");
    expect_uniform(of_ones[party], "messages about ones");
  }
}

}  // namespace
}  // namespace tacet::mpc
