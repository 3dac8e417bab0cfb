#include "engine/mpc_model/programs/program_costs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "engine/mpc_model/programs/timetable.h"
#include "engine/program/mpc/flow.h"
#include "engine/program/mpc/scattered.h"

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

/// What is known of what a register holds.
struct State {
  engine::ScatteredArray<ValueId> value{0};
  std::shared_ptr<const MpcClear> clear{};

  State() = default;
  explicit State(ValueId whole) : value(whole) {}
};

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
        registers_(program.registers.size()),
        has_unknown_counter_(program.registers.size()) {}

  auto run() -> ProgramCost;

 private:
  struct Line {
    Certainty certainty;
    std::vector<std::string> stacks;
    std::set<size_t> seen;  ///< instructions whose stacks are there
  };

  using States = std::vector<std::pair<MpcRegisterId, State>>;
  /// Of a branch both arms of which are taken: what its registers held before, and behind `then`.
  struct Arms {
    States before;
    States then;
  };
  using LeftLoops = std::map<size_t, size_t>;
  using Pieces = std::vector<engine::ScatteredPiece<ValueId>>;

  void bring_inputs();
  auto run_code() -> uint64_t;
  void reveal_outputs(uint64_t end_of_control);
  void count_lines(ProgramCost& result);
  void begin(size_t at);
  auto write(size_t at) -> bool;
  auto read(size_t at) -> bool;
  auto whole(MpcRegisterId id) -> ValueId;
  auto secret_whole(MpcRegisterId id) -> ValueId;
  auto assembled(const Pieces& pieces) -> ValueId;
  [[nodiscard]] auto cells_there(MpcRegisterId id) const -> const engine::MpcCells*;
  auto cost_at(size_t at) -> const InstructionCost&;
  void describe(size_t at, const InstructionCost& cost);
  auto step(size_t at) -> size_t;
  auto step_unknown(size_t at) -> size_t;
  auto step_uncertain(size_t at) -> std::optional<size_t>;
  auto loop_step(size_t at, const std::vector<Cell>& operands) -> size_t;
  void compute(size_t at, State& result) const;
  void forget(size_t begin, size_t end);
  auto states_of(size_t branch) -> States;
  void join_arms();
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
  std::vector<State> registers_;
  std::vector<bool> has_unknown_counter_;
  std::set<size_t> unknown_loops_;     ///< open `for`s of which one iteration is counted for all
  std::set<size_t> uncertain_loops_;   ///< open `for`s that may have fewer iterations, too
  std::set<size_t> unknown_branches_;  ///< `if`s both arms of which are taken
  std::vector<Arms> open_arms_;        ///< of these branches, the innermost one last
  std::map<size_t, std::vector<MpcRegisterId>> written_in_;  ///< by branch
  LeftLoops left_loops_;  ///< loops that end with this iteration, and a `break` of theirs
  std::map<uint32_t, Line> lines_;
  Certainty certainty_;
  std::vector<ValueId> outputs_;
  uint64_t last_ = 0;  ///< when everything is over
  uint64_t bytes_ = 0;
};

/// Public values that are known, of what is.
void Walk::compute(size_t at, State& result) const {
  const MpcInstruction& instruction = program_.code[at];
  const MpcType& of = type(instruction.result);
  if (of.is_secret() || engine::n_elements(of) > kMostCells || instruction.op == MpcOpcode::Draw) {
    return;
  }
  std::vector<const MpcClear*> operands;
  for (const MpcRegisterId id : instruction.operands) {
    if (registers_[id.index].clear == nullptr) {
      return;
    }
    operands.push_back(registers_[id.index].clear.get());
  }
  MpcClear clear{of, {}};
  if (engine::compute(instruction, operands, clear) == engine::MpcRunFault::None) {
    result.clear = std::make_shared<const MpcClear>(std::move(clear));
  }
}

/// That values are known which instructions from `begin` to `end` gave: they may not have run.
void Walk::forget(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (program_.code[i].result.has_value()) {
      registers_[program_.code[i].result.index].clear = nullptr;
    }
  }
}

/// Of values that are there and known.
auto Walk::cells_there(MpcRegisterId id) const -> const engine::MpcCells* {
  const State& state = registers_[id.index];
  return state.clear != nullptr && times_.is_there(state.value.whole()) ? &state.clear->cells
                                                                        : nullptr;
}

/// A value of elements of others.
auto Walk::assembled(const Pieces& pieces) -> ValueId {
  std::vector<ValueId> parts;
  for (const auto& piece : pieces) {
    parts.push_back(piece.part);
  }
  return times_.begin({}, parts);
}

/// What a register holds as one value.
auto Walk::whole(MpcRegisterId id) -> ValueId {
  State& state = registers_[id.index];
  if (!state.value.is_whole()) {
    Pieces pieces = state.value.written_pieces();
    pieces.push_back({.part = state.value.whole()});
    state.value = engine::ScatteredArray(assembled(pieces));
  }
  return state.value.whole();
}

/// The same as a secret.
auto Walk::secret_whole(MpcRegisterId id) -> ValueId {
  const ValueId value = whole(id);
  return type(id).is_secret() ? value : assembled({{.part = value}});
}

/// As the machine's function of this name.
auto Walk::write(size_t at) -> bool {
  const MpcInstruction& instruction = program_.code[at];
  const MpcType& to = type(instruction.result);
  const auto n = engine::n_elements(to);
  const int64_t n_places = engine::n_elements(type(instruction.operands[1]));
  if (n_places > static_cast<int64_t>(engine::kMostScatteredPlaces)) {
    return false;
  }
  const engine::MpcCells* places = cells_there(instruction.operands[1]);
  if (places == nullptr) {
    // The machine knows them, if they are an input.
    certainty_.is_greatest = true;
    return false;
  }
  const ValueId values = secret_whole(instruction.operands[2]);
  const MpcRegisterId into = instruction.operands[0];
  State array = type(into).is_secret() ? registers_[into.index] : State(secret_whole(into));
  array.value.write(static_cast<size_t>(n), *places, values);
  array.clear = nullptr;
  registers_[instruction.result.index] = std::move(array);
  return true;
}

/// As the machine's function of this name.
auto Walk::read(size_t at) -> bool {
  const MpcInstruction& instruction = program_.code[at];
  const MpcType& to = type(instruction.result);
  const State& array = registers_[instruction.operands[0].index];
  if (array.value.is_whole() ||
      engine::n_elements(to) > static_cast<int64_t>(engine::kMostScatteredPlaces)) {
    return false;
  }
  std::vector<uint32_t> places;
  if (instruction.op == MpcOpcode::View) {
    places = engine::places_of_view(instruction, to);
  } else {
    const engine::MpcCells* cells = cells_there(instruction.operands[1]);
    if (cells == nullptr) {
      certainty_.is_greatest = true;
      return false;
    }
    for (const Cell cell : *cells) {
      places.push_back(static_cast<uint32_t>(std::min<Cell>(cell, UINT32_MAX)));
    }
  }
  const Pieces pieces = array.value.pieces(places);
  const bool is_one = places.size() == 1 && pieces.size() == 1 && pieces[0].is_alone;
  registers_[instruction.result.index] = State(is_one ? pieces[0].part : assembled(pieces));
  return true;
}

/// What an instruction takes that begins now.
auto Walk::cost_at(size_t at) -> const InstructionCost& {
  if (costs_[at]) {
    return *costs_[at];
  }
  const MpcInstruction& instruction = program_.code[at];
  std::vector<Operand> operands;
  for (const MpcRegisterId id : instruction.operands) {
    const State& state = registers_[id.index];
    operands.push_back({&type(id), state.clear == nullptr ? nullptr : &state.clear->cells});
  }
  cost_ =
      cost_of(protocol_, instruction, operands, type(instruction.result), program_.fixed_ring_bits);
  if (!times_.is_batched(at)) {
    return cost_;
  }
  costs_[at] = cost_;
  return *costs_[at];
}

/// Adds an instruction's stack and certainty to those of its line.
void Walk::describe(size_t at, const InstructionCost& cost) {
  Line& line = lines_[program_.code[at].line];
  if (!cost.paths.empty() && line.seen.insert(at).second) {
    std::string stack = stack_text(cost.paths);
    if (std::find(line.stacks.begin(), line.stacks.end(), stack) == line.stacks.end()) {
      line.stacks.push_back(std::move(stack));
    }
  }
  const Certainty how{.is_average = cost.is_average,
                      .is_greatest = cost.is_greatest,
                      .is_of_iterations = !unknown_loops_.empty() || !left_loops_.empty()};
  line.certainty.take(how);
  certainty_.take(how);
}

void Walk::begin(size_t at) {
  const MpcInstruction& instruction = program_.code[at];
  const bool is_secret = type(instruction.result).is_secret();
  if (engine::is_same_secret(program_, instruction)) {
    registers_[instruction.result.index] = registers_[instruction.operands[0].index];
    return;
  }
  const bool is_read = instruction.op == MpcOpcode::View || instruction.op == MpcOpcode::Pick;
  if (is_secret && ((instruction.op == MpcOpcode::Place && write(at)) || (is_read && read(at)))) {
    return;
  }
  const InstructionCost& cost = cost_at(at);
  describe(at, cost);
  std::vector<ValueId> operands;
  for (const MpcRegisterId id : instruction.operands) {
    operands.push_back(whole(id));
  }
  TimedInstruction timed{.at = at,
                         .line = instruction.line,
                         .number_ring = cost.number_ring,
                         .number = cost.number,
                         .rest = cost.rest};
  if (cost.number_of) {
    timed.number_of = operands[*cost.number_of];
  }
  State result(times_.begin(timed, operands));
  compute(at, result);
  registers_[instruction.result.index] = std::move(result);
}

/// What registers hold that are written in a branch.
auto Walk::states_of(size_t branch) -> States {
  std::vector<MpcRegisterId>& written = written_in_[branch];
  if (written.empty()) {
    size_t end = targets_[branch];
    end = program_.code[end].op == MpcOpcode::Else ? targets_[end] : end;
    std::set<MpcRegisterId> all;
    for (size_t i = branch + 1; i < end; ++i) {
      if (program_.code[i].result.has_value()) {
        all.insert(program_.code[i].result);
      }
    }
    written.assign(all.begin(), all.end());
  }
  States states;
  for (const MpcRegisterId id : written) {
    states.emplace_back(id, registers_[id.index]);
  }
  return states;
}

/// Behind a branch both arms of which were taken: a register holds what either of them left there.
void Walk::join_arms() {
  const Arms arms = std::move(open_arms_.back());
  open_arms_.pop_back();
  const States& other = arms.then.empty() ? arms.before : arms.then;
  for (const auto& [id, state] : other) {
    const ValueId here = whole(id);
    State there = state;
    std::swap(registers_[id.index], there);
    const ValueId from_there = whole(id);
    registers_[id.index] = std::move(there);
    if (here != from_there) {
      const ValueId parts[] = {here, from_there};
      registers_[id.index] = State(times_.begin({}, parts));
    }
  }
}

/// Control that depends on what is not known: bounds are 0 to the greatest number of iterations or
/// 1, of a branch both arms are taken.
auto Walk::step_unknown(size_t at) -> size_t {
  const MpcInstruction& instruction = program_.code[at];
  if (instruction.op == MpcOpcode::If) {
    unknown_branches_.insert(at);
    certainty_.is_greatest = true;
    open_arms_.push_back({.before = states_of(at), .then = {}});
    return at + 1;
  }
  const State* most =
      instruction.numbers[1] != 0 ? &registers_[instruction.operands.back().index] : nullptr;
  const bool knows_most = most != nullptr && most->clear != nullptr;
  const Cell n_iterations = knows_most ? most->clear->cells.front() : 1;
  std::vector<Cell> operands(instruction.operands.size(), 1);
  operands[0] = 0;
  operands[1] = n_iterations;
  if (most != nullptr) {
    operands.back() = n_iterations;
  }
  certainty_.take({.is_greatest = knows_most, .is_of_iterations = !knows_most});
  has_unknown_counter_[instruction.result.index] = true;
  uncertain_loops_.insert(at);
  if (!knows_most) {
    unknown_loops_.insert(at);
    forget(at + 1, targets_[at]);
  }
  return loop_step(at, operands);
}

auto Walk::loop_step(size_t at, const std::vector<Cell>& operands) -> size_t {
  const engine::MpcStep step = control_.step(at, operands);
  if (step.counter) {
    State counter(times_.known());
    const MpcRegisterId reg = step.counter->reg;
    if (!has_unknown_counter_[reg.index]) {
      counter.clear = std::make_shared<const MpcClear>(MpcClear{type(reg), {step.counter->value}});
    }
    registers_[reg.index] = std::move(counter);
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
    arms.then = states_of(branch);
    for (const auto& [id, state] : arms.before) {
      registers_[id.index] = state;
    }
    return at + 1;
  }
  if (op == MpcOpcode::End && unknown_branches_.erase(branch) > 0) {
    join_arms();
    forget(branch, at);
    return at + 1;
  }
  if (const auto left =
          op == MpcOpcode::End ? left_loops_.extract(branch) : LeftLoops::node_type()) {
    forget(branch, at);
    return control_.step(left.mapped(), {}).next;
  }
  return std::nullopt;
}

auto Walk::step(size_t at) -> size_t {
  const MpcInstruction& instruction = program_.code[at];
  std::vector<Cell> operands;
  bool is_known = true;
  for (const MpcRegisterId id : instruction.operands) {
    times_.wait_for(whole(id));
    const State& state = registers_[id.index];
    is_known = is_known && state.clear != nullptr;
    operands.push_back(state.clear == nullptr ? 0 : state.clear->cells.front());
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
  return next;
}

void Walk::bring_inputs() {
  for (const engine::MpcInput& input : program_.inputs) {
    const Cost cost = cost_of_input(protocol_, type(input.reg), program_.fixed_ring_bits);
    registers_[input.reg.index] = State(times_.input(cost.rounds));
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

void Walk::reveal_outputs(uint64_t end_of_control) {
  last_ = times_.last_round();
  bytes_ += times_.bytes() + (certainty_.is_greatest ? times_.saved_bytes() : 0);
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const engine::MpcOutput& output = program_.outputs[i];
    if (type(output.reg).is_secret()) {
      const Cost cost = cost_of_reveal(protocol_, type(output.reg), output.receiver.has_value());
      last_ = std::max(last_, std::max(end_of_control, times_.ready(outputs_[i])) + cost.rounds);
      bytes_ += cost.bytes;
    }
  }
}

void Walk::count_lines(ProgramCost& result) {
  std::map<uint32_t, std::vector<Span>> spans_of_group;
  for (auto& [number, line] : lines_) {
    line.certainty.take({.is_cut = certainty_.is_cut});
    const auto timed = times_.lines().find(number);
    if (timed == times_.lines().end()) {
      continue;
    }
    std::vector<Span> spans = timed->second.spans;
    const uint64_t bytes =
        timed->second.bytes + (certainty_.is_greatest ? timed->second.saved_bytes : 0);
    if (options_.group_of && !spans.empty()) {
      const uint32_t group = options_.group_of(number);
      LineCost& cost = result.groups[group];
      cost.cost.bytes += bytes;
      cost.certainty.take(line.certainty);
      std::vector<Span>& all = spans_of_group[group];
      all.insert(all.end(), spans.begin(), spans.end());
    }
    if (!line.stacks.empty()) {
      result.lines[number] = {
          {.rounds = n_rounds_of(spans), .bytes = bytes}, line.certainty, std::move(line.stacks)};
    }
  }
  for (auto& [group, spans] : spans_of_group) {
    result.groups[group].cost.rounds = n_rounds_of(spans);
  }
}

auto Walk::run() -> ProgramCost {
  ProgramCost result;
  bring_inputs();
  result.n_instructions = run_code();
  for (const engine::MpcOutput& output : program_.outputs) {
    outputs_.push_back(whole(output.reg));
  }
  const uint64_t end_of_control = times_.now();
  times_.finish();
  reveal_outputs(end_of_control);
  count_lines(result);
  result.total = {{.rounds = last_, .bytes = bytes_}, certainty_, {}};
  return result;
}

}  // namespace

auto cost_of_program(const ProtocolCosts& protocol, const engine::MpcProgram& program,
                     const ProgramCostOptions& options) -> ProgramCost {
  return Walk(protocol, program, options).run();
}

}  // namespace tacet::mpc_model
