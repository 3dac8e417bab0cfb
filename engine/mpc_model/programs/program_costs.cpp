#include "engine/mpc_model/programs/program_costs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "engine/mpc_model/programs/line_costs.h"
#include "engine/mpc_model/programs/timetable.h"
#include "engine/program/mpc/flow.h"
#include "engine/program/mpc/scattered_registers.h"

namespace tacet::mpc_model {

using engine::Cell;
using engine::MpcClear;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRegisterId;
using engine::MpcType;

namespace {

/// Public values of more elements are not computed.
constexpr int64_t kMostCells = int64_t{1} << 16;
constexpr uint64_t kBetweenChecks = 1024;

/// A public value that is known; null if none is.
using Known = std::shared_ptr<const MpcClear>;
using Held = engine::ScatteredArray<ValueId>;

/// One run of which only the times are known: events in the order of rounds, control at their head.
class Walk {
 public:
  Walk(const ProtocolCosts& protocol, const engine::MpcProgram& program,
       const ProgramCostOptions& options)
      : protocol_(protocol),
        program_(program),
        options_(options),
        control_(program),
        targets_(engine::find_targets(program)),
        branch_of_(engine::find_branches(program)),
        times_(protocol, program),
        costs_(program.code.size()),
        registers_(program, *this),
        known_(program.registers.size()),
        has_unknown_counter_(program.registers.size()) {
    // What nothing was written to waits for nothing.
    const ValueId nothing = times_.known();
    for (uint32_t i = 0; i < program.registers.size(); ++i) {
      registers_.hold(MpcRegisterId{i}, nothing);
    }
  }

  auto run() -> ProgramCost;

  // For the registers.
  auto assemble(const std::vector<engine::ScatteredPiece<ValueId>>& pieces, const MpcType& type)
      -> ValueId;
  [[nodiscard]] auto places(MpcRegisterId id) const -> std::span<const Cell>;
  [[nodiscard]] auto element(ValueId, uint32_t) const -> std::optional<ValueId> {
    return std::nullopt;
  }
  /// The machine knows them, if they are an input.
  void misses_places() { certainty_.is_greatest = true; }
  void place_is_outside(size_t) {}

 private:
  /// What registers held that are written in a loop or a branch.
  using States = std::vector<std::pair<MpcRegisterId, Held>>;
  /// Of a branch both arms of which are taken: before it, and behind `then`.
  struct Arms {
    States before;
    States then;
  };
  using LeftLoops = std::map<size_t, size_t>;

  void bring_inputs();
  auto run_code() -> uint64_t;
  void begin_outputs();
  void begin(size_t at);
  auto cost_at(size_t at) -> const InstructionCost&;
  auto step(size_t at) -> size_t;
  auto step_unknown(size_t at) -> size_t;
  auto step_uncertain(size_t at) -> std::optional<size_t>;
  auto loop_step(size_t at, const std::vector<Cell>& operands) -> size_t;
  [[nodiscard]] auto compute(size_t at) const -> Known;
  void forget(size_t begin, size_t end);
  auto states_in(size_t block) -> States;
  void join(const States& other);
  void end_iteration(size_t block);
  void leave_loops(size_t next);
  [[nodiscard]] auto outputs() const -> States;
  /// Does what begins now run for certain?
  [[nodiscard]] auto is_certain() const -> bool {
    return open_arms_.empty() && uncertain_loops_.empty() && left_loops_.empty() &&
           skips_.empty() && stops_.empty();
  }
  [[nodiscard]] auto type(MpcRegisterId id) const -> const MpcType& {
    return program_.registers[id].type;
  }

  const ProtocolCosts& protocol_;
  const engine::MpcProgram& program_;
  const ProgramCostOptions& options_;
  engine::MpcControl control_;
  std::vector<size_t> targets_;
  std::vector<size_t> branch_of_;  ///< of `else` and `}`: the `if` that they belong to
  Timetable times_;
  std::vector<std::optional<InstructionCost>> costs_;  ///< by instruction, if they are always equal
  InstructionCost cost_;                               ///< of an instruction whose cost varies
  engine::ScatteredRegisters<ValueId, Walk> registers_;
  std::vector<Known> known_;  ///< by register
  std::vector<bool> has_unknown_counter_;
  std::set<size_t> unknown_loops_;     ///< open `for`s of which one iteration is counted for all
  std::set<size_t> uncertain_loops_;   ///< open `for`s that may have fewer iterations, too
  std::set<size_t> unknown_branches_;  ///< `if`s both arms of which are taken
  std::vector<Arms> open_arms_;        ///< of these branches, the innermost one last
  std::map<size_t, std::vector<MpcRegisterId>> written_in_;  ///< by loop or branch
  std::map<size_t, std::vector<States>> exits_;  ///< where open loops may have been left
  std::map<size_t, std::vector<States>> skips_;  ///< where iterations of them may have ended
  std::vector<States> stops_;                    ///< where the program may have ended
  LeftLoops left_loops_;  ///< loops that end with this iteration, and a `break` of theirs
  LineCosts lines_;
  Certainty certainty_;
  std::vector<ValueId> outputs_;
  uint64_t bytes_ = 0;
};

/// A public value that is known, of what is.
auto Walk::compute(size_t at) const -> Known {
  const MpcInstruction& instruction = program_.code[at];
  const MpcType& of = type(instruction.result);
  if (of.is_secret() || engine::n_elements(of) > kMostCells || instruction.op == MpcOpcode::Draw) {
    return nullptr;
  }
  std::vector<const MpcClear*> operands;
  for (const MpcRegisterId id : instruction.operands) {
    if (known_[id.index] == nullptr) {
      return nullptr;
    }
    operands.push_back(known_[id.index].get());
  }
  MpcClear clear{of, {}};
  return engine::compute(instruction, operands, clear) == engine::MpcRunFault::None
             ? std::make_shared<const MpcClear>(std::move(clear))
             : nullptr;
}

/// That values are known which instructions from `begin` to `end` gave: they may not have run.
void Walk::forget(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (program_.code[i].result.has_value()) {
      known_[program_.code[i].result.index] = nullptr;
    }
  }
}

auto Walk::places(MpcRegisterId id) const -> std::span<const Cell> {
  const Known& known = known_[id.index];
  const bool is_there = known != nullptr && times_.is_there(registers_[id].whole());
  return is_there ? std::span<const Cell>(known->cells) : std::span<const Cell>();
}

auto Walk::assemble(const std::vector<engine::ScatteredPiece<ValueId>>& pieces, const MpcType&)
    -> ValueId {
  std::vector<ValueId> parts;
  for (const auto& piece : pieces) {
    parts.push_back(piece.part);
  }
  return times_.begin({}, parts);
}

/// What an instruction takes that begins now.
auto Walk::cost_at(size_t at) -> const InstructionCost& {
  if (costs_[at]) {
    return *costs_[at];
  }
  const MpcInstruction& instruction = program_.code[at];
  std::vector<Operand> operands;
  for (const MpcRegisterId id : instruction.operands) {
    const Known& known = known_[id.index];
    operands.push_back({&type(id), known == nullptr ? nullptr : &known->cells});
  }
  cost_ =
      cost_of(protocol_, instruction, operands, type(instruction.result), program_.fixed_ring_bits);
  if (!times_.is_batched(at)) {
    return cost_;
  }
  costs_[at] = cost_;
  return *costs_[at];
}

void Walk::begin(size_t at) {
  const MpcInstruction& instruction = program_.code[at];
  if (registers_.move(at)) {
    known_[instruction.result.index] = nullptr;
    return;
  }
  const InstructionCost& cost = cost_at(at);
  const Certainty how{.is_average = cost.is_average,
                      .is_greatest = cost.is_greatest,
                      .is_of_iterations = !unknown_loops_.empty() || !left_loops_.empty()};
  lines_.add(instruction.line, at, cost, how);
  certainty_.take(how);
  std::vector<ValueId> operands;
  for (const MpcRegisterId id : instruction.operands) {
    operands.push_back(registers_.whole(id));
  }
  TimedInstruction timed{.at = at,
                         .line = instruction.line,
                         .number_ring = cost.number_ring,
                         .is_certain = is_certain(),
                         .number = cost.number,
                         .rest = cost.rest};
  if (cost.number_of) {
    timed.number_of = operands[*cost.number_of];
  }
  Known known = compute(at);
  registers_.hold(instruction.result, times_.begin(timed, operands));
  known_[instruction.result.index] = std::move(known);
}

auto Walk::states_in(size_t block) -> States {
  const auto [found, is_new] = written_in_.try_emplace(block);
  if (is_new) {
    size_t end = targets_[block];
    end = program_.code[end].op == MpcOpcode::Else ? targets_[end] : end;
    std::set<MpcRegisterId> all;
    for (size_t i = block; i < end; ++i) {
      if (program_.code[i].result.has_value()) {
        all.insert(program_.code[i].result);
      }
    }
    found->second.assign(all.begin(), all.end());
  }
  States states;
  for (const MpcRegisterId id : found->second) {
    states.emplace_back(id, registers_[id]);
  }
  return states;
}

/// Registers hold what they do, or what they did there: both are waited for.
void Walk::join(const States& other) {
  for (const auto& [id, held] : other) {
    const ValueId here = registers_.whole(id);
    registers_.hold(id, held);
    const ValueId there = registers_.whole(id);
    const ValueId parts[] = {here, there};
    registers_.hold(id, here == there ? here : times_.begin({}, parts));
  }
}

/// Control continues at `next`, perhaps behind loops that may have been left before.
void Walk::leave_loops(size_t next) {
  std::erase_if(exits_, [&](const auto& entry) {
    const bool is_left = next < entry.first || next > targets_[entry.first];
    for (size_t i = 0; is_left && i < entry.second.size(); ++i) {
      join(entry.second[i]);
    }
    return is_left;
  });
}

/// Control that depends on what is not known: bounds are 0 to the greatest number of iterations or
/// 1, of a branch both arms are taken.
auto Walk::step_unknown(size_t at) -> size_t {
  const MpcInstruction& instruction = program_.code[at];
  if (instruction.op == MpcOpcode::If) {
    unknown_branches_.insert(at);
    certainty_.is_greatest = true;
    open_arms_.push_back({.before = states_in(at), .then = {}});
    return at + 1;
  }
  const bool has_most = instruction.numbers[1] != 0;
  const Known most = has_most ? known_[instruction.operands.back().index] : nullptr;
  const bool knows_most = most != nullptr;
  const Cell n_iterations = knows_most ? most->cells.front() : 1;
  std::vector<Cell> operands(instruction.operands.size(), 1);
  operands[0] = 0;
  operands[1] = n_iterations;
  if (has_most) {
    operands.back() = n_iterations;
  }
  certainty_.take({.is_greatest = knows_most, .is_of_iterations = !knows_most});
  has_unknown_counter_[instruction.result.index] = true;
  uncertain_loops_.insert(at);
  exits_[at].push_back(states_in(at));
  if (!knows_most) {
    unknown_loops_.insert(at);
    forget(at + 1, targets_[at]);
  }
  const size_t next = loop_step(at, operands);
  leave_loops(next);
  return next;
}

auto Walk::loop_step(size_t at, const std::vector<Cell>& operands) -> size_t {
  const engine::MpcStep step = control_.step(at, operands);
  if (step.counter) {
    const MpcRegisterId reg = step.counter->reg;
    registers_.hold(reg, times_.known());
    known_[reg.index] =
        has_unknown_counter_[reg.index]
            ? nullptr
            : std::make_shared<const MpcClear>(MpcClear{type(reg), {step.counter->value}});
  }
  return step.next;
}

/// Where control continues if it may have reached `at` or not; nothing if it has for certain.
auto Walk::step_uncertain(size_t at) -> std::optional<size_t> {
  const MpcOpcode op = program_.code[at].op;
  if (op == MpcOpcode::Break || op == MpcOpcode::Continue || op == MpcOpcode::Stop) {
    if (unknown_branches_.empty() && (op != MpcOpcode::Stop || uncertain_loops_.empty())) {
      return std::nullopt;
    }
    if (op == MpcOpcode::Break) {
      left_loops_[targets_[at]] = at;
      exits_[targets_[at]].push_back(states_in(targets_[at]));
    } else if (op == MpcOpcode::Continue) {
      skips_[targets_[at]].push_back(states_in(targets_[at]));
    } else {
      stops_.push_back(outputs());
    }
    certainty_.take({.is_greatest = true, .is_of_iterations = op == MpcOpcode::Break});
    return at + 1;
  }
  if (op != MpcOpcode::Else && op != MpcOpcode::End) {
    return std::nullopt;
  }
  const size_t branch = branch_of_[at];
  if (op == MpcOpcode::Else && unknown_branches_.contains(branch)) {
    Arms& arms = open_arms_.back();
    arms.then = states_in(branch);
    for (const auto& [id, held] : arms.before) {
      registers_.hold(id, held);
    }
    return at + 1;
  }
  if (op == MpcOpcode::End && unknown_branches_.erase(branch) > 0) {
    join(open_arms_.back().then.empty() ? open_arms_.back().before : open_arms_.back().then);
    open_arms_.pop_back();
    forget(branch, at);
    return at + 1;
  }
  if (const auto left =
          op == MpcOpcode::End ? left_loops_.extract(branch) : LeftLoops::node_type()) {
    forget(branch, at);
    const size_t next = control_.step(left.mapped(), {}).next;
    leave_loops(next);
    return next;
  }
  return std::nullopt;
}

/// All of an iteration of a loop has run, or of the arm of a branch.
void Walk::end_iteration(size_t block) {
  if (const auto skipped = skips_.extract(block)) {
    for (const States& states : skipped.mapped()) {
      join(states);
    }
  }
  if (uncertain_loops_.contains(block)) {
    exits_[block].push_back(states_in(block));
  }
}

auto Walk::step(size_t at) -> size_t {
  const MpcInstruction& instruction = program_.code[at];
  std::vector<Cell> operands;
  bool is_known = true;
  for (const MpcRegisterId id : instruction.operands) {
    times_.wait_for(registers_.whole(id));
    const Known& known = known_[id.index];
    is_known = is_known && known != nullptr;
    operands.push_back(known == nullptr ? 0 : known->cells.front());
  }
  if (instruction.op == MpcOpcode::End) {
    end_iteration(branch_of_[at]);
  }
  if (!is_known) {
    return step_unknown(at);
  }
  if (instruction.op == MpcOpcode::For) {
    has_unknown_counter_[instruction.result.index] = false;
  } else if (const std::optional<size_t> next = step_uncertain(at)) {
    return *next;
  }
  const size_t next = loop_step(at, operands);
  const auto is_left = [&](size_t loop) { return next < loop || next > targets_[loop]; };
  std::erase_if(unknown_loops_, is_left);
  std::erase_if(uncertain_loops_, [&](size_t loop) {
    if (is_left(loop)) {
      forget(loop, targets_[loop]);
    }
    return is_left(loop);
  });
  leave_loops(next);
  return next;
}

void Walk::bring_inputs() {
  for (const engine::MpcInput& input : program_.inputs) {
    const Cost cost = cost_of_input(protocol_, type(input.reg), program_.fixed_ring_bits);
    registers_.hold(input.reg, times_.input(cost.rounds));
    bytes_ += cost.bytes;
  }
}

/// The number of instructions that ran.
auto Walk::run_code() -> uint64_t {
  uint64_t n_instructions = 0;
  size_t at = 0;
  while (at < program_.code.size()) {
    if (++n_instructions > options_.most_instructions) {
      certainty_.is_cut = true;
      break;
    }
    if (options_.check && n_instructions % kBetweenChecks == 0) {
      options_.check();
    }
    if (engine::is_control(program_.code[at].op)) {
      at = step(at);
    } else {
      begin(at++);
    }
    times_.wait_for_room();
  }
  return n_instructions;
}

void Walk::begin_outputs() {
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const engine::MpcOutput& output = program_.outputs[i];
    if (type(output.reg).is_secret()) {
      TimedInstruction opening{.is_output = true};
      opening.rest = cost_of_reveal(protocol_, type(output.reg), output.receiver.has_value());
      times_.begin(opening, {&outputs_[i], 1});
    }
  }
}

auto Walk::outputs() const -> States {
  States states;
  for (const engine::MpcOutput& output : program_.outputs) {
    states.emplace_back(output.reg, registers_[output.reg]);
  }
  return states;
}

auto Walk::run() -> ProgramCost {
  ProgramCost result;
  bring_inputs();
  result.n_instructions = run_code();
  for (const States& stopped : stops_) {
    join(stopped);
  }
  for (const engine::MpcOutput& output : program_.outputs) {
    outputs_.push_back(registers_.whole(output.reg));
  }
  begin_outputs();
  times_.finish();
  bytes_ += times_.bytes() + (certainty_.is_greatest ? times_.saved_bytes() : 0);
  if (times_.has_checks() && certainty_.is_greatest) {
    // More products in a check may be fewer bytes.
    certainty_.is_greatest = false;
    certainty_.is_average = true;
  }
  certainty_.is_near = times_.has_early_checks();
  lines_.count(times_, certainty_, options_.group_of, result);
  result.total = {{.rounds = times_.last_round(), .bytes = bytes_}, certainty_, {}};
  return result;
}

}  // namespace

auto cost_of_program(const ProtocolCosts& protocol, const engine::MpcProgram& program,
                     const ProgramCostOptions& options) -> ProgramCost {
  return Walk(protocol, program, options).run();
}

}  // namespace tacet::mpc_model
