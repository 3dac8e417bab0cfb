// The key of public draws: given to some of the parties, or drawn by all of them.

#include <gtest/gtest.h>

#include "engine/mpc/runner/party_run.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc {
namespace {

constexpr std::string_view kProgram =
    "mpc_program 1\nw: public i64[4] = iota [0, 1]\nx: public u64[4] = draw w [3, 1, 1]\n"
    "output x = x\n";

using Keys = std::vector<std::optional<engine::PublicRandomKey>>;

/// Three parties, or four of which one may lie.
auto run(const Keys& keys) -> LocalOutcome {
  std::vector<PartyWork> works;
  for (const auto& key : keys) {
    works.push_back({.protocol = keys.size() == 4 ? ProtocolKind::Rep4 : ProtocolKind::Aby3,
                     .program = std::string(kProgram),
                     .inputs = {},
                     .ranks = {},
                     .random_key = key});
  }
  return run_on_threads(works);
}

auto expected(const engine::PublicRandomKey& key) -> engine::MpcCells {
  Result<engine::MpcProgram> program = engine::parse_mpc_program(std::string(kProgram));
  return engine::run_in_the_clear(*program, {}, key).outputs.at(0);
}

void expect_key(const Keys& keys, const engine::PublicRandomKey& key) {
  const LocalOutcome outcome = run(keys);
  ASSERT_EQ(outcome.failure, "");
  for (const PartyResult& result : outcome.results) {
    EXPECT_EQ(result.random_key, key);
    EXPECT_EQ(result.outputs.at(0), expected(key));
  }
}

TEST(Agreement, TakesTheKeyThatSomebodyWasGiven) {
  const engine::PublicRandomKey key{{1, 2, 3, 4}};
  expect_key({key, key, key}, key);
  expect_key({std::nullopt, key, std::nullopt}, key);
  expect_key({std::nullopt, key, std::nullopt, key}, key);
}

void expect_drawn(const Keys& none) {
  const LocalOutcome first = run(none);
  const LocalOutcome second = run(none);
  ASSERT_EQ(first.failure + second.failure, "");
  const engine::PublicRandomKey key = first.results[0].random_key.value();
  EXPECT_NE(second.results[0].random_key, key);
  for (const PartyResult& result : first.results) {
    EXPECT_EQ(result.random_key, key);
    EXPECT_EQ(result.outputs.at(0), expected(key));
  }
}

TEST(Agreement, DrawsAKeyThatNobodyChose) {
  expect_drawn(Keys(3));
  expect_drawn(Keys(4));
}

TEST(Agreement, EndsARunWhoseSeedsDiffer) {
  const LocalOutcome outcome = run(
      {engine::PublicRandomKey{{1, 2, 3, 4}}, std::nullopt, engine::PublicRandomKey{{1, 2, 3, 5}}});
  EXPECT_NE(outcome.failure.find("different seeds"), std::string::npos) << outcome.failure;
}

}  // namespace
}  // namespace tacet::mpc
