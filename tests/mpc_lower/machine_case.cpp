#include "tests/mpc_lower/machine_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/program/mpc/text.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {

using engine::MpcCells;

namespace {

constexpr uint32_t kOwners = 3;

/// Every second one branches and loops a lot on numbers of one type, the others are of all types.
auto random_text(uint64_t seed) -> std::string {
  if (seed % 2 == 0) {
    return testing::random_function(testing::FunctionShape::Steered, seed);
  }
  testing::Random random(seed);
  testing::FunctionOptions options;
  options.faults = static_cast<testing::FunctionOptions::Faults>(seed % 3);
  options.size = 4 + static_cast<uint32_t>(seed % 5) * 3;
  return testing::random_function(random, options);
}

auto has_fixed_point(const engine::MpcProgram& program) -> bool {
  return std::any_of(program.registers.values().begin(), program.registers.values().end(),
                     [](const engine::MpcRegister& reg) {
                       return reg.type.element.kind == engine::ElementKind::Fxp;
                     });
}

auto cells_of(const std::vector<kernel::Value>& values) -> std::vector<MpcCells> {
  std::vector<MpcCells> cells;
  for (const kernel::Value& value : values) {
    cells.push_back(value.cells);
  }
  return cells;
}

auto work_of(const mpc::Party& party, const MachineCase& of) -> mpc::MachineRun {
  mpc::MachineRun work;
  for (uint32_t owner = 0; owner < kOwners; ++owner) {
    work.ranks.push_back(owner % party.n_parties());
  }
  for (size_t i = 0; i < of.inputs.size(); ++i) {
    const engine::MpcPartyId owner = of.program.inputs[i].owner;
    const bool is_known = !owner.has_value() || work.ranks[owner.index] == party.rank();
    work.inputs.push_back(is_known ? std::optional(of.inputs[i]) : std::nullopt);
  }
  return work;
}

auto run_all(mpc::Party& party, const std::vector<MachineCase>& cases)
    -> mpc::Task<std::vector<mpc::MachineResult>> {
  std::vector<mpc::Task<mpc::MachineResult>> tasks;
  for (const MachineCase& one : cases) {
    tasks.push_back(mpc::run_program(party, one.program, work_of(party, one)));
  }
  std::vector<mpc::MachineResult> results = co_await mpc::all(std::move(tasks));
  co_return results;
}

auto text_of(const std::vector<MpcCells>& values) -> std::string {
  std::string text;
  for (const MpcCells& cells : values) {
    const std::vector<int64_t> numbers(cells.begin(), cells.end());
    text += fmt::format("[{}]", fmt::join(numbers, ", "));
  }
  return text;
}

}  // namespace

void give_owners(engine::MpcProgram& program) {
  program.parties = {"a", "b", "c"};
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    engine::MpcInput& input = program.inputs[i];
    if (program.registers[input.reg].type.is_secret()) {
      input.owner = engine::MpcPartyId{static_cast<uint32_t>(i) % kOwners};
    }
  }
}

auto machine_case(uint64_t seed) -> std::optional<MachineCase> {
  MachineCase result;
  result.text = random_text(seed);
  const std::optional<kernel::Kernel> source = oblivious::find_kernel(result.text);
  if (!source) {
    return std::nullopt;
  }
  const oblivious::ObliviousForm form = oblivious::make_oblivious(*source);
  std::optional<engine::MpcProgram> program =
      form.is_oblivious ? lower(form.kernel).program : std::nullopt;
  if (!program || has_fixed_point(*program)) {
    return std::nullopt;
  }
  result.program = *std::move(program);
  give_owners(result.program);
  const std::vector<kernel::Value> inputs = oblivious::random_inputs(*source, seed, ~seed);
  result.inputs = cells_of(inputs);
  result.in_the_clear = engine::run_in_the_clear(result.program, result.inputs);
  testing::CheckedModule module(result.text);
  const testing::Outcome outcome = module.run("f", inputs);
  if (!outcome.fault) {
    result.on_reference = cells_of(outcome.results);
  }
  return result;
}

auto run_side_by_side(const std::vector<MachineCase>& cases, const mpc::TestRun& run)
    -> std::vector<std::vector<mpc::MachineResult>> {
  return mpc::run_parties(run, [&](mpc::Party& party) { return run_all(party, cases); });
}

auto complaint_about(const mpc::MachineResult& found, const MachineCase& expected) -> std::string {
  const auto about = [&](std::string_view what) {
    return fmt::format("{}, with {}\n{}\n{}", what, text_of(expected.inputs), expected.text,
                       engine::to_text(expected.program));
  };
  if (found.fault != expected.in_the_clear.fault) {
    return about(fmt::format("fault {}", static_cast<int>(found.fault)));
  }
  std::vector<MpcCells> outputs;
  for (const std::optional<MpcCells>& output : found.outputs) {
    outputs.push_back(output.value_or(MpcCells()));
  }
  if (outputs != expected.in_the_clear.outputs) {
    return about(fmt::format("found {}, in the clear {}", text_of(outputs),
                             text_of(expected.in_the_clear.outputs)));
  }
  if (expected.on_reference && outputs != *expected.on_reference) {
    return about(fmt::format("found {}, on the reference device {}", text_of(outputs),
                             text_of(*expected.on_reference)));
  }
  return "";
}

}  // namespace tacet::mpc_lower
