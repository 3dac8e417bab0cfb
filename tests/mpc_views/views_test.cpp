// No party's view of a run depends on the secrets: each kernel runs again and again with other
// randomness, on two sets of secrets, and what the parties see is compared.

#include "tests/mpc_views/views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace tacet::mpc {
namespace {

/// Fixed-point numbers of 18 bits as well: both are in the range of all functions.
const ClearSecrets kEqual{.x = {0, 0, 0, 0, 0, 0}, .y = {1, 1, 1, 1, 1, 1}};
const ClearSecrets kSpread{
    .x = {uint64_t{7} << 18, ~uint64_t{0}, 0x5a5a5a, uint64_t{0} - 0x1234567, 1, uint64_t{3} << 19},
    .y = {uint64_t{1} << 20, 0xffffff, 2, 0x2a0f, uint64_t{5} << 17, 0x7f}};

struct Case {
  TestRun run;
  uint64_t n_runs;

  friend auto operator<<(std::ostream& out, const Case& c) -> std::ostream& {
    return out << c.run.protocol << " of " << c.run.n_parties;
  }
};

/// By kernel and rank.
auto samples_of(const Case& c, const std::vector<ViewedKernel>& kernels,
                const ClearSecrets& secrets, uint64_t first_seed)
    -> std::vector<std::vector<Sample>> {
  std::vector<std::vector<Sample>> samples(kernels.size(), std::vector<Sample>(c.run.n_parties));
  for (uint64_t i = 0; i < c.n_runs; ++i) {
    TestRun run = c.run;
    run.seed = first_seed + i;
    const auto views = views_of(run, kernels, secrets);
    for (size_t k = 0; k < kernels.size(); ++k) {
      for (Rank party = 0; party < run.n_parties; ++party) {
        samples[k][party].add(views[k][party]);
      }
    }
  }
  return samples;
}

class Views : public testing::TestWithParam<Case> {};

TEST_P(Views, SayNothingOfSecrets) {
  const std::vector<ViewedKernel> kernels = viewed_kernels();
  const auto of_equal = samples_of(GetParam(), kernels, kEqual, 1);
  const auto of_spread = samples_of(GetParam(), kernels, kSpread, 10'000);
  for (size_t k = 0; k < kernels.size(); ++k) {
    for (Rank party = 0; party < GetParam().run.n_parties; ++party) {
      EXPECT_EQ(difference(of_equal[k][party], of_spread[k][party], kernels[k].has_random_length),
                "")
          << kernels[k].name << ", party " << party;
    }
  }
}

auto name_of(const testing::TestParamInfo<Case>& test) -> std::string {
  std::string name = fmt::format("{}_{}", test.param.run.protocol, test.param.run.n_parties);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Views,
                         testing::Values(Case{{.n_parties = 3, .protocol = "aby3"}, 48},
                                         Case{{.n_parties = 4, .protocol = "rep4"}, 48},
                                         Case{{.n_parties = 3, .protocol = "aby3-active"}, 48},
                                         Case{{.n_parties = 2, .protocol = "semi2k_dealer"}, 48},
                                         Case{{.n_parties = 3, .protocol = "semi2k_dealer"}, 48}),
                         name_of);
// So few runs show only that what is awaited, how much and from whom, is the same.
INSTANTIATE_TEST_SUITE_P(Short, Views,
                         testing::Values(Case{{.n_parties = 2, .protocol = "semi2k"}, 2}), name_of);
// Takes minutes: `./dev test --long`.
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, Views,
                         testing::Values(Case{{.n_parties = 2, .protocol = "semi2k"}, 24}),
                         name_of);

// ---- what leaks is found ----

auto opens_a_product(Party& party, Secrets secrets) -> Task<Held> {
  Share product = co_await multiply(party, secrets.x, secrets.y);
  co_await open(party, std::move(product));
  co_return Held{};
}

auto shows_a_bit_to_one(Party& party, Secrets secrets) -> Task<Held> {
  const HalfSum low = co_await party.protocol().half_sum(party, secrets.y, 1);
  co_await party.protocol().open_bits(party, low.sum, 1);
  co_return Held{};
}

auto sends_what_is_masked_twice_alike(Party& party, Secrets secrets) -> Task<Held> {
  // Each alone is uniform; the difference is the secret.
  const Share mask = co_await party.protocol().random_share(party, Ring::Z64, 6);
  std::vector<Task<RingArray>> tasks;
  tasks.push_back(open(party, mask));
  tasks.push_back(open(party, add(mask, secrets.x)));
  const std::vector<RingArray> shown = co_await all(std::move(tasks));
  Held held;
  held[0] = shown;
  co_return held;
}

auto waits_longer_for_some(Party& party, Secrets secrets) -> Task<Held> {
  // The secrets themselves decide how much is sent.
  const RingArray shown = co_await open(party, secrets.x);
  const size_t n = shown.at(0) == 0 ? 1 : 2;
  std::vector<std::byte> bytes(n);
  party.send(party.other(1), bytes);
  co_await party.receive(party.other(party.n_parties() - 1), bytes);
  co_return Held{};
}

TEST(LeakyKernels, AreFound) {
  const std::vector<ViewedKernel> kernels{{"opens", opens_a_product},
                                          {"shows", shows_a_bit_to_one},
                                          {"masks", sends_what_is_masked_twice_alike},
                                          {"waits", waits_longer_for_some}};
  for (const Case& c : {Case{{.n_parties = 3, .protocol = "aby3"}, 48},
                        Case{{.n_parties = 4, .protocol = "rep4"}, 48},
                        Case{{.n_parties = 2, .protocol = "semi2k_dealer"}, 48}}) {
    const auto of_equal = samples_of(c, kernels, kEqual, 1);
    const auto of_spread = samples_of(c, kernels, kSpread, 10'000);
    for (size_t k = 0; k < kernels.size(); ++k) {
      // Party 1 sees all of them.
      EXPECT_NE(difference(of_equal[k][1], of_spread[k][1], false), "") << c << kernels[k].name;
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
