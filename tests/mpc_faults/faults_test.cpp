// Real processes run a program, and one of them goes wrong after so many messages: the run ends
// with an error that names it, at all parties, and nothing comes out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/mpc/runner/party_run.h"
#include "engine/net/loopback.h"

namespace tacet::mpc {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kProgram = R"(mpc_program 1
party alice
party bob
input x: secret i64[8] from alice
input y: secret i64[8] from bob

less: secret bool[8] = lt x, y
product: secret i64[8] = mul x, y
chosen: secret i64[8] = select less, product, x
sorted: secret i64[8] = sort chosen

output sorted = sorted
)";

const std::vector<std::string> kNames = {"alice", "bob", "carol"};

/// The results, or the failure.
struct Outcome {
  std::vector<engine::MpcCells> outputs;
  std::string failure;
};

auto works() -> std::vector<PartyWork> {
  PartyWork work;
  work.program = kProgram;
  work.ranks = {0, 1};
  work.inputs.resize(2);
  std::vector<PartyWork> all(3, work);
  all[0].inputs[0] = engine::MpcCells{1, 9, 100, 7, 0, 3, 12, 5};
  all[1].inputs[1] = engine::MpcCells{4, 2, 50, 8, 1, 3, 13, 6};
  return all;
}

/// The product where x is less than y, else x, in order.
const std::vector<engine::MpcCells> kResults(3, engine::MpcCells{0, 3, 4, 9, 30, 56, 100, 156});

/// Runs the program with `fault` at one party.
auto run(net::Rank faulty, const std::string& fault, const net::TimeLimits& times = {}) -> Outcome {
  auto plans = net::plan_loopback_run(kNames, net::Encryption::Tls);
  EXPECT_TRUE(plans) << plans.error().message;
  net::ChildRun children{.command = {TACET_FAULTY_PARTY}};
  const std::vector<PartyWork> work = works();
  for (net::Rank rank = 0; rank < work.size(); ++rank) {
    children.work.push_back((rank == faulty ? fault : "none 0") + "\n" + encode(work[rank]));
    (*plans)[rank].times = times;
  }
  children.plans = std::move(*plans);
  const net::ChildOutcome ended = net::run_child_parties(std::move(children));
  Outcome outcome;
  if (ended.failure) {
    EXPECT_TRUE(ended.results.empty());
    outcome.failure = kNames.at(ended.failure->party) + ": " + ended.failure->reason;
  }
  for (const std::string& bytes : ended.results) {
    Result<PartyResult> result = decode_result(bytes);
    EXPECT_TRUE(result);
    outcome.outputs.push_back(result->outputs[0].value_or(engine::MpcCells()));
  }
  return outcome;
}

TEST(Faults, NoneGivesResults) {
  const Outcome outcome = run(0, "none 0");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.outputs, kResults);
}

TEST(Faults, APartyThatIsKilledAnywhereIsNamed) {
  for (const uint64_t after : {0U, 1U, 2U, 5U, 17U, 40U}) {
    const auto faulty = static_cast<net::Rank>(after % 3);
    EXPECT_EQ(run(faulty, fmt::format("killed {}", after)).failure,
              kNames[faulty] + ": its process was killed by signal 9 (Killed)")
        << after;
  }
}

TEST(Faults, APartyThatExitsAnywhereIsNamed) {
  for (const uint64_t after : {1U, 30U}) {
    EXPECT_EQ(run(1, fmt::format("exits {}", after)).failure,
              "bob: its process exited with code 3 without a report");
  }
}

TEST(Faults, SlowMessagesDelayOnly) {
  const Outcome outcome =
      run(2, "slow 0", {.silence = milliseconds(3000), .patience = milliseconds(3000)});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.outputs, kResults);
}

/// It stays alive, and never continues: the others wait for each other too, and still know for
/// whom.
TEST(Faults, APartyThatHangsIsNamed) {
  const net::TimeLimits times{.silence = milliseconds(900), .patience = milliseconds(600)};
  EXPECT_EQ(run(2, "hangs 30", times).failure, "carol: sent no data for 600 ms");
}

/// What it should have sent is missing. Its own messages show who else waits, but not who is wrong.
TEST(Faults, MissingMessagesEndTheRun) {
  const Outcome outcome =
      run(1, "silent 9", {.silence = milliseconds(300), .patience = milliseconds(400)});
  EXPECT_NE(outcome.failure.find(": sent no data for 400 ms"), std::string::npos)
      << outcome.failure;
}

TEST(Faults, APartyThatStopsIsNamed) {
  EXPECT_EQ(run(1, "stops 12", {.silence = milliseconds(600)}).failure,
            "bob: was silent for 600 ms");
}

}  // namespace
}  // namespace tacet::mpc
