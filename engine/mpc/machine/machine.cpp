#include "engine/mpc/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/cancellation.h"
#include "engine/mpc/dispatch/secret_draws.h"
#include "engine/mpc/machine/bring_and_show.h"
#include "engine/mpc/machine/instruction_runner.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/flow.h"
#include "engine/program/mpc/scattered.h"
#include "engine/program/mpc/scattered_registers.h"

namespace tacet::mpc {

using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRegisterId;
using engine::MpcRunFault;

namespace {

using Pieces = InstructionRunner::Pieces;

class Machine {
 public:
  Machine(Party& party, const engine::MpcProgram& program, MachineRun run)
      : context_{.party = party,
                 .truncation = run.truncation,
                 .place = engine::RngState(run.random_key, run.call),
                 .call = run.call,
                 .draw_keys = run.draw_keys,
                 .fixed_ring = program.fixed_ring_bits == 64 ? Ring::Z64 : Ring::Z128},
        program_(program),
        run_(std::move(run)),
        control_(program),
        runner_(context_, program, run_, result_),
        registers_(program, *this) {}

  auto run() -> Task<MachineResult>;

  // For the registers.
  auto assemble(Pieces pieces, const engine::MpcType& type) -> SlotPtr {
    return runner_.assemble(std::move(pieces), type);
  }
  [[nodiscard]] auto places(MpcRegisterId id) const -> std::span<const engine::Cell>;
  [[nodiscard]] auto element(const SlotPtr& whole, uint32_t index) const -> std::optional<SlotPtr>;
  void misses_places() {}
  void place_is_outside(size_t at) {
    runner_.fails(MpcRunFault::PlaceOutside, result_.n_instructions, at);
  }

 private:
  auto bring(size_t input) -> Task<>;
  void begin(size_t at);
  auto compute_number(size_t at) -> bool;
  [[nodiscard]] auto type(MpcRegisterId id) const -> const engine::MpcType& {
    return program_.registers[id].type;
  }
  auto show(size_t output) -> Task<>;
  void leave_zeros();
  [[nodiscard]] auto is_over() const -> bool {
    return context_.fault != MpcRunFault::None || (run_.is_over != nullptr && *run_.is_over) ||
           is_cancelled();
  }
  auto step(size_t at) -> Task<size_t>;
  auto rank_of(engine::MpcPartyId party) const -> std::optional<Rank> {
    return party.has_value() ? std::optional(run_.ranks[party.index]) : std::nullopt;
  }

  DrawKeys draw_keys_;
  Context context_;
  const engine::MpcProgram& program_;
  MachineRun run_;
  engine::MpcControl control_;
  MachineResult result_;
  InstructionRunner runner_;
  engine::ScatteredRegisters<SlotPtr, Machine> registers_;
  std::vector<SlotPtr> operands_;  ///< of the instruction that begins
  std::array<engine::MpcClear, 4> numbers_;
  engine::MpcClear number_;
  TaskState* state_ = nullptr;
};

auto Machine::bring(size_t index) -> Task<> {
  const Party::Scope scope = context_.party.scope("input");
  const engine::MpcInput& input = program_.inputs[index];
  const engine::MpcType& type = program_.registers[input.reg].type;
  const SlotPtr slot = registers_[input.reg].whole();
  Value value;
  if (run_.given.empty()) {
    value =
        co_await bring_value(context_, type, rank_of(input.owner).value_or(0), run_.inputs[index]);
  } else {
    value = co_await run_.given[index]->get();
    value = co_await value_as(context_, std::move(value), type);
  }
  runner_.set(slot, std::move(value));
  co_return kDone;
}

auto Machine::places(MpcRegisterId id) const -> std::span<const engine::Cell> {
  const SlotPtr& slot = registers_[id].whole();
  if (!slot->is_there()) {
    return {};
  }
  return slot->is_number() ? std::span(&slot->number(), 1) : std::span(*slot->held()->value.cells);
}

auto Machine::element(const SlotPtr& whole, uint32_t index) const -> std::optional<SlotPtr> {
  if (!whole->held() || !whole->held()->value.is_secret()) {
    return std::nullopt;
  }
  SlotPtr slot = new_slot();
  slot->set(whole->held(), whole->is_element() ? whole->index() : index);
  return slot;
}

/// Computes a public number of others that are there.
auto Machine::compute_number(size_t at) -> bool {
  const MpcInstruction& instruction = program_.code[at];
  const engine::MpcType& of = type(instruction.result);
  if (of.is_secret() || !of.extents.empty() || instruction.operands.size() > numbers_.size()) {
    return false;
  }
  const engine::MpcClear* operands[std::tuple_size_v<decltype(numbers_)>];
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const MpcRegisterId id = instruction.operands[i];
    const SlotPtr& slot = registers_[id].whole();
    if (!slot->is_number() || !type(id).extents.empty()) {
      return false;
    }
    numbers_[i].type = type(id);
    numbers_[i].cells.assign(1, slot->number());
    operands[i] = &numbers_[i];
  }
  number_.type = of;
  runner_.fails(engine::compute(instruction, std::span(operands, instruction.operands.size()),
                                number_, context_.place),
                result_.n_instructions, at);
  SlotPtr slot = new_slot();
  slot->set_number(number_.cells.front());
  registers_.hold(instruction.result, std::move(slot));
  return true;
}

void Machine::begin(size_t at) {
  const MpcInstruction& instruction = program_.code[at];
  if (registers_.move(at)) {
    runner_.clock().count(instruction.op);
    return;
  }
  if (compute_number(at)) {
    return;
  }
  operands_.clear();
  for (const MpcRegisterId id : instruction.operands) {
    operands_.push_back(registers_.whole(id));
  }
  registers_.hold(instruction.result, runner_.begin(at, result_.n_instructions, operands_));
}

auto Machine::step(size_t at) -> Task<size_t> {
  std::vector<engine::Cell> operands;
  for (const MpcRegisterId id : program_.code[at].operands) {
    const SlotPtr slot = registers_.whole(id);
    co_await runner_.arrival(slot);
    operands.push_back(slot->number());
  }
  const engine::MpcStep step = control_.step(at, operands);
  runner_.fails(step.fault, result_.n_instructions, at);
  if (step.counter) {
    SlotPtr counter = new_slot();
    counter->set_number(step.counter->value);
    registers_.hold(step.counter->reg, std::move(counter));
  }
  co_return step.next;
}

auto Machine::show(size_t index) -> Task<> {
  const engine::MpcOutput& output = program_.outputs[index];
  const SlotPtr slot = registers_.whole(output.reg);
  co_await runner_.arrival(slot);
  const Value value = slot->value(type(output.reg));
  if (!run_.results.empty()) {
    run_.results[index]->set(*state_, value);
    co_return kDone;
  }
  const std::optional<Rank> receiver = rank_of(output.receiver);
  const bool is_mine = !receiver || *receiver == context_.party.rank();
  const Party::Scope scope = context_.party.scope("output");
  const Value shown = co_await show_value(context_, value, receiver);
  if (is_mine) {
    result_.outputs[index] = *shown.cells;
  }
  co_return kDone;
}

/// For those who wait for results that there will not be.
void Machine::leave_zeros() {
  for (size_t i = 0; i < run_.results.size(); ++i) {
    engine::MpcType type = program_.registers[program_.outputs[i].reg].type;
    type.visibility = engine::MpcVisibility::Public;
    const auto n = static_cast<size_t>(engine::n_elements(type));
    run_.results[i]->set(*state_, public_value(type, engine::MpcCells(n, 0)));
  }
}

auto Machine::run() -> Task<MachineResult> {
  state_ = co_await CurrentState{};
  if (engine::has_secret_draws(program_) && context_.draw_keys == nullptr) {
    draw_keys_ = co_await make_draw_keys(context_.party);
    context_.draw_keys = &draw_keys_;
  }
  runner_.open(*state_);
  std::vector<Task<>> inputs;
  std::vector<SlotPtr> brought;
  for (const engine::MpcInput& input : program_.inputs) {
    brought.push_back(new_slot());
    registers_.hold(input.reg, brought.back());
  }
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    inputs.push_back(bring(i));
    runner_.restore_label();
    inputs.back().start(state_);
  }
  size_t at = 0;
  while (at < program_.code.size() && !is_over()) {
    ++result_.n_instructions;
    runner_.restore_label();
    if (!engine::is_control(program_.code[at].op)) {
      begin(at++);
      runner_.drain();
    } else {
      at = co_await step(at);
    }
    if (!runner_.has_room()) {
      co_await runner_.wait_for_room();
    }
  }
  runner_.restore_label();
  result_.outputs.resize(program_.outputs.size());
  if (!is_over()) {
    std::vector<Task<>> outputs;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      outputs.push_back(show(i));
    }
    co_await all(std::move(outputs));
  } else {
    leave_zeros();
  }
  // Unused values may still be pending: all parties wait for them alike.
  for (const SlotPtr& input : brought) {
    co_await runner_.arrival(input);
  }
  co_await runner_.finish();
  result_.operations = runner_.clock().times();
  result_.fault = context_.fault;
  if (result_.fault != MpcRunFault::None) {
    result_.outputs.clear();
  }
  co_return std::move(result_);
}

}  // namespace

void add_operations(const std::vector<OperationTime>& more, std::vector<OperationTime>& sum) {
  for (const OperationTime& added : more) {
    const auto at = std::lower_bound(sum.begin(), sum.end(), added.operation,
                                     [](const OperationTime& each, const std::string& operation) {
                                       return each.operation < operation;
                                     });
    if (at == sum.end() || at->operation != added.operation) {
      sum.insert(at, added);
    } else {
      at->n_runs += added.n_runs;
      at->seconds += added.seconds;
    }
  }
}

auto label_of(const engine::MpcProgram& program, size_t at) -> std::string {
  const MpcInstruction& instruction = program.code[at];
  return fmt::format("{}: {} = {}", instruction.line, program.registers[instruction.result].name,
                     engine::mnemonic_of(instruction.op));
}

auto machine_problem(const engine::MpcProgram& program, const MachineRun& run, Rank n_parties)
    -> std::string {
  if (run.ranks.size() != program.parties.size() ||
      std::any_of(run.ranks.begin(), run.ranks.end(),
                  [&](Rank rank) { return rank >= n_parties; })) {
    return "a party of the program is not assigned to a participant";
  }
  if (!run.given.empty()) {
    return run.given.size() == program.inputs.size() && run.results.size() == program.outputs.size()
               ? ""
               : "wrong number of values for the program";
  }
  if (run.inputs.size() != program.inputs.size()) {
    return "wrong number of inputs";
  }
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const engine::MpcRegister& reg = program.registers[program.inputs[i].reg];
    const auto n = static_cast<size_t>(engine::n_elements(reg.type));
    if (run.inputs[i] ? run.inputs[i]->size() != n : !reg.type.is_secret()) {
      return fmt::format("the input `{}` has no value of the right shape", reg.name);
    }
  }
  return {};
}

auto run_program(Party& party, const engine::MpcProgram& program, MachineRun run)
    -> Task<MachineResult> {
  Machine machine(party, program, std::move(run));
  co_return co_await machine.run();
}

}  // namespace tacet::mpc
