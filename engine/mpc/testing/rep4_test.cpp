#include "engine/mpc/rep4/rep4.h"

#include <gtest/gtest.h>

#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc/testing/secrecy_test.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

/// What one party of `rep4` sees: its shares and received messages reveal nothing of the secrets.
namespace tacet::mpc {
namespace {

constexpr size_t kManySecrets = 20'000;

/// Each part, and the sums of any of them: none depends on the others.
void expect_independent(const Share& x, const std::string& what) {
  const Share& p = x;
  expect_uniform(p.parts[0].bytes(), what);
  expect_uniform(p.parts[1].bytes(), what);
  expect_uniform(p.parts[2].bytes(), what);
  expect_uniform(add(p.parts[0], p.parts[1]).bytes(), what);
  expect_uniform(add(p.parts[1], p.parts[2]).bytes(), what);
  expect_uniform(subtract(p.parts[2], p.parts[0]).bytes(), what);
  expect_uniform(add(add(p.parts[0], p.parts[1]), p.parts[2]).bytes(), what);
}
void expect_independent(const Bits& x, const std::string& what) {
  const BitPlanes both = exclusive_or(x.parts[0], x.parts[1]);
  for (const BitPlanes& part :
       {x.parts[0], x.parts[1], x.parts[2], both, exclusive_or(x.parts[1], x.parts[2]),
        exclusive_or(both, x.parts[2])}) {
    expect_uniform(std::as_bytes(part.words()), what);
  }
}

TEST(Rep4, SharesOfResultsAreUniform) {
  for (const uint64_t secret : {uint64_t{0}, uint64_t{1} << 40, ~uint64_t{0}}) {
    run_each_party({.n_parties = 4, .protocol = "rep4", .seed = 7}, [&](Party& party) {
      auto kernel = [&]() -> Task<> {
        Protocol& protocol = party.protocol();
        const Share x =
            protocol.public_share(party, RingArray::filled(Ring::Z64, kManySecrets, secret));
        const Share product = co_await multiply(party, x, x);
        expect_independent(product, "products");
        const Share shifted = co_await truncate(party, x, 20);
        expect_independent(shifted, "truncated");
        const Bits bits =
            protocol.public_bits(party, BitPlanes::filled(64, kManySecrets / 64 * 64, secret));
        const Bits all_of_them = co_await conjunction(party, bits, bits);
        expect_independent(all_of_them, "conjunctions");
        const Bits some = slice(bits, 0, kManySecrets / 64 * 64 - 1);
        const Bits conjunctions = co_await conjunction(party, some, some);
        expect_independent(plane_range(conjunctions, 0, 64), "conjunctions in bytes");
        const Share numbers = co_await bits_to_arithmetic(party, bits, Ring::Z64);
        expect_independent(numbers, "bits as numbers");
        const SecretPermutation order = co_await protocol.random_permutation(party, kManySecrets);
        std::vector<Share> arrays{x};
        arrays = co_await protocol.permute(party, order, arrays, Direction::Forward);
        expect_independent(arrays[0], "permuted");
        co_return kDone;
      };
      EXPECT_EQ(party.run(kernel()).index(), 0U);
    });
  }
}

/// Of an input, the part that the owner lacks is zero; every other party has two parts of three,
/// which are independent.
TEST(Rep4, SharesOfInputsAreUniform) {
  run_each_party({.n_parties = 4, .protocol = "rep4", .seed = 8}, [&](Party& party) {
    auto kernel = [&]() -> Task<> {
      const RingArray values = RingArray::filled(Ring::Z64, kManySecrets, 77);
      const Share x = co_await share(party, 1, values, Ring::Z64, kManySecrets);
      std::vector<RingArray> parts;
      for (size_t i = 0; i < 3; ++i) {
        if (x.parts[i] != RingArray::zeros(Ring::Z64, kManySecrets)) {
          parts.push_back(x.parts[i]);
        }
      }
      EXPECT_EQ(parts.size(), party.rank() == 1 ? 3U : 2U);
      expect_uniform(parts[0].bytes(), "inputs");
      expect_uniform(parts[1].bytes(), "inputs");
      expect_uniform(add(parts[0], parts[1]).bytes(), "inputs");
      co_return kDone;
    };
    EXPECT_EQ(party.run(kernel()).index(), 0U);
  });
}

/// What each party is sent while all compute on `secret` and open nothing.
auto messages_about(uint64_t secret, uint64_t seed) -> std::vector<std::vector<std::byte>> {
  std::vector<std::vector<std::byte>> received(4);
  net::run_on_threads(net::make_in_process_links(4), [&](net::Links& in_process) {
    RecordingLinks links(in_process, received[in_process.rank()]);
    const std::unique_ptr<Protocol> protocol = make_rep4();
    const auto test_seed = secure_random::TestSeed::of(10 * seed + links.rank());
    Party party(links, *protocol, secure_random::seeded_random(test_seed, best_isa()));
    auto kernel = [&]() -> Task<> {
      co_await protocol->start(party);
      received[party.rank()].clear();
      const RingArray numbers = RingArray::filled(Ring::Z64, kManySecrets, secret);
      for (Rank owner = 0; owner < 4; ++owner) {
        const Share x = co_await share(party, owner, numbers, Ring::Z64, kManySecrets);
        co_await multiply(party, x, x);
        co_await truncate(party, x, 16);
        const HalfSum half = co_await protocol->half_sum(party, x, 64);
        co_await conjunction(party, half.sum, half.carry);
        co_await protocol->zero_planes(party, x, 64);
        co_await bits_to_arithmetic(party, plane_range(half.carry, 0, 1), Ring::Z64);
        const SecretPermutation order = co_await protocol->random_permutation(party, kManySecrets);
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

TEST(Rep4, MessagesSayNothingOfSecrets) {
  const auto of_zeros = messages_about(0, 1);
  const auto of_ones = messages_about(~uint64_t{0} >> 3, 2);
  for (Rank party = 0; party < 4; ++party) {
    ASSERT_EQ(of_zeros[party].size(), of_ones[party].size());
    expect_uniform(of_zeros[party], "messages about zeros");
    expect_uniform(of_ones[party], "messages about ones");
  }
}

}  // namespace
}  // namespace tacet::mpc
