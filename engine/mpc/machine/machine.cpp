#include "engine/mpc/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/secret_draws.h"
#include "engine/mpc/machine/bring_and_show.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/flow.h"

namespace tacet::mpc {

using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRegisterId;
using engine::MpcRunFault;

namespace {

/// Instructions that have begun and not ended: more wait until the oldest has.
constexpr size_t kMostInFlight = 4096;
constexpr size_t kMostEvents = size_t{1} << 17;

using Clock = std::chrono::steady_clock;

using Pending = PendingValue;

/// Counts the instructions of each operation, and the time in which any of them is running.
class OperationClock {
 public:
  void begin(MpcOpcode operation, double now) {
    Entry& entry = entries_[operation];
    ++entry.n_runs;
    if (entry.n_running++ == 0) {
      entry.since = now;
    }
  }
  void end(MpcOpcode operation, double now) {
    Entry& entry = entries_[operation];
    if (--entry.n_running == 0) {
      entry.seconds += now - entry.since;
    }
  }
  [[nodiscard]] auto times() const -> std::vector<OperationTime> {
    std::vector<OperationTime> times;
    for (const auto& [operation, entry] : entries_) {
      times.push_back({std::string(engine::mnemonic_of(operation)), entry.n_runs, entry.seconds});
    }
    std::sort(times.begin(), times.end(),
              [](const auto& a, const auto& b) { return a.operation < b.operation; });
    return times;
  }

 private:
  struct Entry {
    uint64_t n_runs = 0;
    uint64_t n_running = 0;
    double seconds = 0;
    double since = 0;
  };
  std::map<MpcOpcode, Entry> entries_;
};

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
        registers_(program.registers.size()) {}

  auto run() -> Task<MachineResult>;

 private:
  struct InFlight {
    Task<> task;
    Pending result;
  };

  auto bring(size_t input) -> Task<>;
  void begin(TaskState& state, size_t at);
  auto execute(size_t at, uint64_t sequence, std::vector<Pending> operands, Pending result)
      -> Task<>;
  /// Of the faults that are met, the one that comes first in the program counts, whenever it shows.
  void fails(MpcRunFault fault, uint64_t sequence, size_t at) {
    if (fault != MpcRunFault::None && sequence < first_fault_) {
      first_fault_ = sequence;
      context_.fault = fault;
      result_.instruction = at;
    }
  }
  auto show(size_t output) -> Task<>;
  void leave_zeros(TaskState& state);
  [[nodiscard]] auto is_over() const -> bool {
    return context_.fault != MpcRunFault::None || (run_.is_over != nullptr && *run_.is_over);
  }
  auto scalar(MpcRegisterId id) -> Task<engine::Cell>;
  auto step(size_t at) -> Task<size_t>;
  auto rank_of(engine::MpcPartyId party) const -> std::optional<Rank> {
    return party.has_value() ? std::optional(run_.ranks[party.index]) : std::nullopt;
  }
  auto seconds() const -> double {
    return std::chrono::duration<double>(Clock::now() - run_.start).count();
  }

  DrawKeys draw_keys_;
  Context context_;
  const engine::MpcProgram& program_;
  MachineRun run_;
  engine::MpcControl control_;
  std::vector<Pending> registers_;
  std::deque<InFlight> in_flight_;
  MachineResult result_;
  OperationClock operations_;
  uint64_t first_fault_ = UINT64_MAX;  ///< which instruction that ran it was
};

auto Machine::bring(size_t index) -> Task<> {
  const Party::Scope scope = context_.party.scope("input");
  const engine::MpcInput& input = program_.inputs[index];
  const engine::MpcType& type = program_.registers[input.reg].type;
  const Pending& pending = registers_[input.reg.index];
  Value value;
  if (run_.given.empty()) {
    value =
        co_await bring_value(context_, type, rank_of(input.owner).value_or(0), run_.inputs[index]);
  } else {
    value = co_await run_.given[index]->get();
    value = co_await value_as(context_, std::move(value), type);
  }
  TaskState* state = co_await CurrentState{};
  pending->set(*state, std::move(value));
  co_return kDone;
}

auto Machine::execute(size_t at, uint64_t sequence, std::vector<Pending> operands, Pending result)
    -> Task<> {
  const MpcInstruction& instruction = program_.code[at];
  Operation operation{.instruction = &instruction,
                      .type = program_.registers[instruction.result].type,
                      .receiver = rank_of(instruction.party)};
  for (const Pending& operand : operands) {
    operation.operands.push_back(co_await operand->get());
  }
  const bool is_secret = std::any_of(operation.operands.begin(), operation.operands.end(),
                                     [](const Value& value) { return value.is_secret(); });
  std::optional<Party::Scope> scope;
  const bool is_counted = is_secret || instruction.op == MpcOpcode::DrawSecret;
  if (is_counted) {
    scope.emplace(context_.party, label_of(program_, at));
    operations_.begin(instruction.op, seconds());
  }
  Context context = context_;
  context.fault = MpcRunFault::None;
  MachineEvent event{.instruction = at,
                     .begin_seconds = seconds(),
                     .first_round = context_.party.traffic().total().rounds};
  Value value = co_await dispatch(context, std::move(operation));
  if (is_counted) {
    operations_.end(instruction.op, seconds());
  }
  fails(context.fault, sequence, at);
  if (run_.records_events && result_.events.size() < kMostEvents) {
    event.end_seconds = seconds();
    event.last_round = context_.party.traffic().total().rounds;
    result_.events.push_back(event);
  }
  TaskState* state = co_await CurrentState{};
  result->set(*state, std::move(value));
  co_return kDone;
}

void Machine::begin(TaskState& state, size_t at) {
  const MpcInstruction& instruction = program_.code[at];
  std::vector<Pending> operands;
  for (const MpcRegisterId id : instruction.operands) {
    operands.push_back(registers_[id.index]);
  }
  auto result = std::make_shared<Later<Value>>();
  registers_[instruction.result.index] = result;
  const uint32_t label = state.label;
  Task<> task = execute(at, result_.n_instructions, std::move(operands), result);
  task.start(&state);
  state.label = label;
  if (!task.done()) {
    in_flight_.push_back({std::move(task), std::move(result)});
  }
}

auto Machine::scalar(MpcRegisterId id) -> Task<engine::Cell> {
  const Pending pending = registers_[id.index];
  const Value value = co_await pending->get();
  co_return value.cells->front();
}

auto Machine::step(size_t at) -> Task<size_t> {
  std::vector<engine::Cell> operands;
  for (const MpcRegisterId id : program_.code[at].operands) {
    const engine::Cell operand = co_await scalar(id);
    operands.push_back(operand);
  }
  const engine::MpcStep step = control_.step(at, operands);
  fails(step.fault, result_.n_instructions, at);
  if (step.counter) {
    auto pending = std::make_shared<Later<Value>>();
    TaskState nobody;
    pending->set(nobody,
                 public_value(program_.registers[step.counter->reg].type, {step.counter->value}));
    registers_[step.counter->reg.index] = std::move(pending);
  }
  co_return step.next;
}

auto Machine::show(size_t index) -> Task<> {
  const engine::MpcOutput& output = program_.outputs[index];
  const Pending pending = registers_[output.reg.index];
  const Value value = co_await pending->get();
  TaskState* state = co_await CurrentState{};
  if (!run_.results.empty()) {
    run_.results[index]->set(*state, value);
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
void Machine::leave_zeros(TaskState& state) {
  for (size_t i = 0; i < run_.results.size(); ++i) {
    engine::MpcType type = program_.registers[program_.outputs[i].reg].type;
    type.visibility = engine::MpcVisibility::Public;
    const auto n = static_cast<size_t>(engine::n_elements(type));
    run_.results[i]->set(state, public_value(type, engine::MpcCells(n, 0)));
  }
}

auto Machine::run() -> Task<MachineResult> {
  TaskState* state = co_await CurrentState{};
  if (engine::has_secret_draws(program_) && context_.draw_keys == nullptr) {
    draw_keys_ = co_await make_draw_keys(context_.party);
    context_.draw_keys = &draw_keys_;
  }
  std::vector<Task<>> inputs;
  std::vector<Pending> brought;
  for (const engine::MpcInput& input : program_.inputs) {
    brought.push_back(std::make_shared<Later<Value>>());
    registers_[input.reg.index] = brought.back();
  }
  const uint32_t label = state->label;
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    inputs.push_back(bring(i));
    inputs.back().start(state);
    state->label = label;
  }
  size_t at = 0;
  while (at < program_.code.size() && !is_over()) {
    ++result_.n_instructions;
    if (!engine::is_control(program_.code[at].op)) {
      begin(*state, at++);
    } else {
      at = co_await step(at);
    }
    while (!in_flight_.empty() && in_flight_.front().task.done()) {
      in_flight_.pop_front();
    }
    if (in_flight_.size() >= kMostInFlight) {
      const Pending oldest = in_flight_.front().result;
      co_await oldest->get();
    }
  }
  result_.outputs.resize(program_.outputs.size());
  if (!is_over()) {
    std::vector<Task<>> outputs;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      outputs.push_back(show(i));
    }
    co_await all(std::move(outputs));
  } else {
    leave_zeros(*state);
  }
  // Unused values may still be pending: all parties wait for them alike.
  for (const Pending& input : brought) {
    co_await input->get();
  }
  while (!in_flight_.empty()) {
    const Pending oldest = in_flight_.front().result;
    co_await oldest->get();
    in_flight_.pop_front();
  }
  result_.operations = operations_.times();
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
