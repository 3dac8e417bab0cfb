#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "engine/mpc/testing/run_parties.h"

/// For tests that run with several protocols.
namespace tacet::mpc {

/// The parameter is the protocol, and how many parties it has.
class ProtocolTest : public testing::TestWithParam<TestRun> {};

inline constexpr std::array kRings{Ring::Z32, Ring::Z64, Ring::Z128};

/// Any words of the ring.
inline auto random_words(Ring ring, size_t n, uint64_t seed) -> RingArray {
  std::mt19937_64 random(seed);
  RingArray words(ring, n);
  for (std::byte& byte : words.edit_bytes()) {
    byte = static_cast<std::byte>(random());
  }
  return words;
}

/// Values that a party has: `owner`, or one that there is.
inline auto share_of(Party& party, RingArray values, Rank owner = 0) -> Task<Share> {
  const Ring ring = values.ring();
  const size_t n = values.size();
  return share(party, owner % party.n_parties(), std::move(values), ring, n);
}

/// Every protocol that hides its values, with every number of parties.
inline auto sharing_runs() -> std::vector<TestRun> {
  return {
      {.n_parties = 3, .protocol = "aby3"},          {.n_parties = 4, .protocol = "rep4"},
      {.n_parties = 3, .protocol = "aby3-active"},   {.n_parties = 2, .protocol = "semi2k"},
      {.n_parties = 2, .protocol = "semi2k_dealer"}, {.n_parties = 3, .protocol = "semi2k_dealer"}};
}

/// These and the one that hides nothing.
inline auto all_runs() -> std::vector<TestRun> {
  std::vector<TestRun> runs = sharing_runs();
  runs.insert(runs.begin(),
              {{.n_parties = 1, .protocol = "ref"}, {.n_parties = 3, .protocol = "ref"}});
  return runs;
}

/// Of a test by its parameter: `aby3_3`.
inline auto name_of(const testing::TestParamInfo<TestRun>& test) -> std::string {
  std::string name = fmt::format("{}_{}", test.param.protocol, test.param.n_parties);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace tacet::mpc
