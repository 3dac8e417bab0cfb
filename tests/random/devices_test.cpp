// The promise: draws are the same on every device, whatever the compiler did to the program around
// them, and whatever is written between them. TACET_ROUNDS multiplies how many functions there are.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/he/lift/lift.h"
#include "compiler/mpc/lower/lower.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"
#include "tests/kernel/checked_module.h"
#include "tests/random/drawing_function.h"

namespace tacet::testing {
namespace {

constexpr engine::PublicRandomKey kKey{{0x0123456789abcdef, 1, 2, 0xfedcba9876543210}};

auto rounds(uint64_t n) -> uint64_t {
  const char* text = std::getenv("TACET_ROUNDS");
  return n * (text == nullptr ? 1 : std::strtoull(text, nullptr, 10));
}

using Cells = std::vector<std::vector<engine::Cell>>;

auto text_of(const Cells& values) -> std::string {
  std::string text;
  for (const auto& cells : values) {
    const std::vector<int64_t> numbers(cells.begin(), cells.end());
    text += fmt::format("[{}]", fmt::join(numbers, ", "));
  }
  return text;
}

/// On the reference device, which aborts if two draws have one place.
auto on_reference(CheckedModule& module, const Cells& inputs) -> std::string {
  const interpret::Compilation compilation =
      interpret::compile(module.snapshot(), module.find("f"), {});
  EXPECT_TRUE(compilation.executable) << compilation.problem;
  std::vector<interpret::Value> given;
  for (const auto& cells : inputs) {
    given.push_back({engine::kI64, {}, cells});
  }
  interpret::MachineOptions options;
  options.audits_draws = true;
  options.random_key = kKey;
  const interpret::RunResult result = interpret::run(*compilation.executable, given, options);
  Cells results;
  for (const interpret::Value& value : result.values) {
    results.push_back(value.cells);
  }
  return text_of(results);
}

auto as_kernel(const kernel::Kernel& kernel, const Cells& inputs) -> std::string {
  std::vector<kernel::Value> given;
  for (const auto& cells : inputs) {
    given.push_back({{engine::kI64, {}}, cells});
  }
  kernel::EvaluationOptions options;
  options.random_key = kKey;
  options.records_events = false;
  Cells results;
  for (const kernel::Value& value : kernel::evaluate(kernel, given, options).results) {
    results.push_back(value.cells);
  }
  return text_of(results);
}

auto in_the_clear(const engine::MpcProgram& program, const Cells& inputs) -> std::string {
  return text_of(engine::run_in_the_clear(program, inputs, kKey).outputs);
}

void expect_by_parties(const engine::MpcProgram& program, const Cells& inputs,
                       const mpc::TestRun& run, const std::string& expected) {
  const auto results =
      mpc::run_parties(run, [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
        mpc::MachineRun work;
        work.random_key = kKey;
        for (size_t i = 0; i < inputs.size(); ++i) {
          const bool is_known =
              party.rank() == 0 || !program.registers[program.inputs[i].reg].type.is_secret();
          work.inputs.push_back(is_known ? std::optional(inputs[i]) : std::nullopt);
        }
        return mpc::run_program(party, program, std::move(work));
      });
  for (const mpc::MachineResult& result : results) {
    Cells outputs;
    for (const auto& output : result.outputs) {
      outputs.push_back(output.value_or(engine::MpcCells{}));
    }
    EXPECT_EQ(text_of(outputs), expected) << run.protocol << " " << run.n_parties;
  }
}

struct Counts {
  uint64_t programs = 0;
  uint64_t circuits = 0;
};

/// The first result under encryption, decrypted. Not every function fits.
void check_lifted(const kernel::Kernel& kernel, const Cells& inputs, const std::string& expected,
                  Counts& counts) {
  const lift::Lifting lifting = lift::lift(kernel, 0, kKey);
  if (!lifting.program) {
    return;
  }
  std::vector<array::Elements> given;
  for (const auto& cells : inputs) {
    given.emplace_back(cells.begin(), cells.end());
  }
  const array::Evaluation found = array::evaluate(*lifting.program, given);
  const array::Elements& output = found.output();
  EXPECT_EQ(fmt::format("[{}]", fmt::join(output, ", ")),
            expected.substr(0, expected.find(']') + 1));
  ++counts.circuits;
}

void check_programs(const kernel::Kernel& kernel, uint64_t seed, const Cells& inputs,
                    const std::string& expected, Counts& counts) {
  for (const int64_t most_lanes : {int64_t{1} << 22, int64_t{1}}) {
    mpc_lower::LowerOptions options;
    options.most_lanes = most_lanes;
    const mpc_lower::Lowering lowering = mpc_lower::lower(kernel, options);
    if (!lowering.program) {
      continue;
    }
    const engine::MpcProgram& program = *lowering.program;
    const auto fault = engine::find_fault(program);
    ASSERT_FALSE(fault) << fault->message;
    const std::string text = engine::to_text(program);
    Result<engine::MpcProgram> again = engine::parse_mpc_program(text);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(in_the_clear(*again, inputs), expected) << text;
    ++counts.programs;
    if (seed % 8 == 0) {
      SCOPED_TRACE(text);
      expect_by_parties(program, inputs, {.n_parties = 2, .protocol = "ref"}, expected);
      expect_by_parties(program, inputs, {.n_parties = 3, .protocol = "aby3"}, expected);
      expect_by_parties(program, inputs, {.n_parties = 4, .protocol = "rep4"}, expected);
      expect_by_parties(program, inputs, {.n_parties = 2, .protocol = "semi2k"}, expected);
      expect_by_parties(program, inputs, {.n_parties = 3, .protocol = "semi2k"}, expected);
    }
  }
}

TEST(Draws, AreTheSameOnEveryDevice) {
  Counts counts;
  const uint64_t n = rounds(60);
  for (uint64_t seed = 0; seed < n && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = drawing_function(seed, Surroundings::None);
    SCOPED_TRACE(fmt::format("{}\n{}", seed, text));
    const Cells inputs = {{seed % 5}, {seed % 23}};
    CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    const std::string expected = on_reference(module, inputs);
    const kernel::Kernel kernel = module.lower("f");
    EXPECT_EQ(as_kernel(kernel, inputs), expected);
    const oblivious::ObliviousForm form = oblivious::make_oblivious(kernel);
    ASSERT_TRUE(form.is_oblivious);
    EXPECT_EQ(as_kernel(form.kernel, inputs), expected);
    check_programs(form.kernel, seed, inputs, expected, counts);
    check_lifted(form.kernel, inputs, expected, counts);
    // What draws nothing between them changes no draw.
    CheckedModule other(drawing_function(seed, Surroundings::TextThatDrawsNothing));
    ASSERT_TRUE(other.is_right());
    EXPECT_EQ(as_kernel(other.lower("f"), inputs), expected);
  }
  EXPECT_GT(counts.programs, n);
  EXPECT_GT(counts.circuits, n / 4);
}

}  // namespace
}  // namespace tacet::testing
