// What programs cost on the machine.

#include "engine/mpc/machine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc/text.h"

namespace tacet::mpc_lower {
namespace {

using engine::MpcCells;

TEST(Machine, ComparesInTheRoundsOfOneComparison) {
  const auto rounds_of = [](const std::string& extents) {
    Result<engine::MpcProgram> program = engine::parse_mpc_program(
        fmt::format("mpc_program 1\ninput a: secret i64{0}\ninput b: secret i64{0}\n"
                    "c: secret bool{0} = lt a, b\n",
                    extents));
    return mpc::traffic_of({.n_parties = 3, .protocol = "aby3"},
                           [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
                             mpc::MachineRun work;
                             const auto n = static_cast<size_t>(
                                 engine::n_elements(program->registers.values()[0].type));
                             work.inputs.assign(2, party.rank() == 0 ? std::optional(MpcCells(n, 5))
                                                                     : std::nullopt);
                             return mpc::run_program(party, *program, std::move(work));
                           })[0]
        .total()
        .rounds;
  };
  EXPECT_EQ(rounds_of(""), rounds_of("[1000]"));
}

/// A thousand comparisons that stand one behind the other in a loop of the program.
TEST(Machine, SharesRoundsAcrossIterations) {
  const auto rounds_of = [](int n) {
    Result<engine::MpcProgram> program = engine::parse_mpc_program(
        fmt::format("mpc_program 1\ninput a: secret i64[{0}]\n"
                    "low: public i64 = constant [0]\nhigh: public i64 = constant [{0}]\n"
                    "best: secret i64 = constant [0]\n"
                    "for i: public i64 = low, high {{\n"
                    "  x: secret i64 = pick a, i\n  is: secret bool = lt x, low\n"
                    "  n: secret i64 = cast is\n  best = add best, n\n}}\noutput best = best\n",
                    n));
    EXPECT_TRUE(program) << program.error().message;
    uint64_t rounds = 0;
    mpc::run_each_party({.n_parties = 3, .protocol = "aby3"}, [&](mpc::Party& party) {
      mpc::MachineRun work;
      work.inputs.push_back(party.rank() == 0
                                ? std::optional(MpcCells(static_cast<size_t>(n), ~uint64_t{0}))
                                : std::nullopt);
      auto result = party.run(mpc::run_program(party, *program, std::move(work)));
      const auto& outputs = std::get<mpc::MachineResult>(result).outputs;
      ASSERT_TRUE(outputs[0]);
      EXPECT_EQ(outputs[0]->front(), static_cast<uint64_t>(n));
      if (party.rank() == 0) {
        rounds = party.traffic().total().rounds;
      }
    });
    return rounds;
  };
  EXPECT_EQ(rounds_of(1), rounds_of(1000));
}

}  // namespace
}  // namespace tacet::mpc_lower
