// Random device functions on the machine: what the parties compute is what the programs compute in
// the clear. TACET_ROUNDS multiplies how many there are.

#include "engine/mpc/machine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/mpc/lower.h"
#include "compiler/oblivious/make_oblivious.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc_clear.h"
#include "engine/program/mpc_text.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"
#include "tests/oblivious/checked_kernel.h"
#include "tests/oblivious/random_function.h"

namespace tacet::secret_shared {
namespace {

using engine::MpcCells;

auto rounds(uint64_t n) -> uint64_t {
  const char* text = std::getenv("TACET_ROUNDS");
  return n * (text == nullptr ? 1 : std::strtoull(text, nullptr, 10));
}

auto program_of(const kernel::Kernel& source) -> std::optional<engine::MpcProgram> {
  const oblivious::ObliviousForm form = oblivious::make_oblivious(source);
  return form.is_oblivious ? lower(form.kernel).program : std::nullopt;
}

/// What each party got. The owner of all secrets is party 0.
auto run_machine(const engine::MpcProgram& program, const std::vector<MpcCells>& inputs,
                 const mpc::TestRun& run) -> std::vector<mpc::MachineResult> {
  return mpc::run_parties(run, [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
    mpc::MachineRun work;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_known =
          party.rank() == 0 || !program.registers[program.inputs[i].reg].type.is_secret();
      work.inputs.push_back(is_known ? std::optional(inputs[i]) : std::nullopt);
    }
    work.ranks.assign(program.parties.size(), 0);
    return mpc::run_program(party, program, std::move(work));
  });
}

/// Fixed point may differ: its functions and products are rounded elsewhere.
auto has_fixed_point(const engine::MpcProgram& program) -> bool {
  for (const engine::MpcRegister& reg : program.registers.values()) {
    if (reg.type.element.kind == engine::ElementKind::Fxp) {
      return true;
    }
  }
  return false;
}

void expect_as_in_the_clear(const kernel::Kernel& source, const mpc::TestRun& run, uint64_t seed,
                            uint64_t& n_checked) {
  const std::optional<engine::MpcProgram> program = program_of(source);
  if (!program || has_fixed_point(*program)) {
    return;
  }
  for (uint64_t i = 0; i < 2; ++i) {
    std::vector<MpcCells> given;
    for (const kernel::Value& value : oblivious::random_inputs(source, i, seed + i)) {
      given.push_back(value.cells);
    }
    const engine::MpcClearRun expected = engine::run_in_the_clear(*program, given);
    SCOPED_TRACE(engine::to_text(*program));
    for (const mpc::MachineResult& found : run_machine(*program, given, run)) {
      ASSERT_EQ(found.fault, expected.fault);
      ASSERT_EQ(found.outputs.size(), expected.outputs.size());
      for (size_t k = 0; k < expected.outputs.size(); ++k) {
        ASSERT_TRUE(found.outputs[k]);
        ASSERT_EQ(*found.outputs[k], expected.outputs[k]) << "output " << k;
      }
    }
    ++n_checked;
  }
}

void check(uint64_t n, const mpc::TestRun& run) {
  uint64_t n_checked = 0;
  for (uint64_t seed = 1; seed <= n && !::testing::Test::HasFailure(); ++seed) {
    const oblivious::TextFunction function = oblivious::random_function(seed);
    const std::optional<kernel::Kernel> kernel = oblivious::find_kernel(function.text());
    if (kernel) {
      SCOPED_TRACE(fmt::format("{}\n{}", seed, function.text()));
      expect_as_in_the_clear(*kernel, run, seed, n_checked);
    }
  }
  for (uint64_t seed = 0; seed < n && !::testing::Test::HasFailure(); ++seed) {
    testing::Random random(seed);
    testing::FunctionOptions options;
    options.faults = static_cast<testing::FunctionOptions::Faults>(seed % 3);
    options.size = 4 + static_cast<uint32_t>(seed % 3) * 4;
    const std::string text = testing::random_function(random, options);
    SCOPED_TRACE(fmt::format("{}\n{}", seed, text));
    testing::CheckedModule module(text);
    expect_as_in_the_clear(module.lower("f"), run, seed, n_checked);
  }
  EXPECT_GT(n_checked, n);
}

TEST(Machine, ComputesOnRefWhatProgramsComputeInTheClear) {
  check(rounds(60), {.n_parties = 2, .protocol = "ref"});
}

TEST(Machine, ComputesOnAby3WhatProgramsComputeInTheClear) {
  check(rounds(8), {.n_parties = 3, .protocol = "aby3"});
}

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
TEST(Machine, SharesRoundsOverTheTurnsOfALoop) {
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
}  // namespace tacet::secret_shared
