#include "engine/mpc_model/programs/program_costs.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "engine/mpc_model/programs/round_spans.h"
#include "engine/program/mpc/flow.h"

namespace tacet::mpc_model {

using engine::Cell;
using engine::MpcClear;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRegisterId;
using engine::MpcType;

namespace {

/// As engine/mpc/machine has it.
constexpr size_t kMostInFlight = 4096;
/// Public values of more elements are not computed.
constexpr int64_t kMostCells = int64_t{1} << 16;
constexpr uint64_t kBetweenChecks = 1024;

using ValueId = uint32_t;
using NodeId = uint32_t;

constexpr uint64_t kNever = UINT64_MAX;

/// What an instruction gives, once it has run.
struct Given {
  uint64_t ready = kNever;  ///< the round after which it is there
  std::vector<NodeId> waiting{};
  ValueId same_as = 0;  ///< copies share the numbers that truth values are made
  /// By ring of 32, 64 and 128 bits: when the number of a truth value is there, if somebody asked.
  std::array<uint64_t, 3> number_ready{kNever, kNever, kNever};
};

/// An instruction that has begun.
struct Node {
  ValueId result = 0;
  size_t n_missing = 0;  ///< operands that are not there yet
  uint32_t line = 0;
  Cost number{};
  std::optional<ValueId> number_of{};
  unsigned number_ring = 64;
  Cost rest{};
};

/// What is known of what a register holds.
struct State {
  ValueId value = 0;
  std::shared_ptr<const MpcClear> clear{};
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
        registers_(program.registers.size()),
        has_unknown_counter_(program.registers.size()) {}

  auto run() -> ProgramCost;

 private:
  struct Line {
    std::vector<Span> spans;
    uint64_t bytes = 0;
    Certainty certainty;
    std::vector<std::string> stacks;
    std::set<size_t> seen;  ///< instructions whose stacks are there
  };

  using LeftLoops = std::map<size_t, size_t>;

  static auto cost_of_line(Line& line) -> LineCost {
    return {{.rounds = n_rounds_of(line.spans), .bytes = line.bytes},
            line.certainty,
            std::move(line.stacks)};
  }
  void bring_inputs();
  auto run_code() -> uint64_t;
  void reveal_outputs(uint64_t end_of_control);
  void count_lines(ProgramCost& result);
  void begin(size_t at);
  auto step(size_t at) -> size_t;
  auto step_unknown(size_t at) -> size_t;
  auto step_uncertain(size_t at) -> std::optional<size_t>;
  auto loop_step(size_t at, const std::vector<Cell>& operands) -> size_t;
  void compute(size_t at, State& result) const;
  void forget(size_t begin, size_t end);
  auto new_value() -> ValueId {
    const auto id = static_cast<ValueId>(given_.size());
    given_.push_back({.same_as = id});
    return id;
  }
  [[nodiscard]] auto is_there(ValueId value) const -> bool { return given_[value].ready <= now_; }
  void start(NodeId id);
  void complete(NodeId id);
  void next_event();
  void wait_for(ValueId value) {
    while (!is_there(value)) {
      next_event();
    }
  }
  void count(Line& line, uint64_t start, Cost cost) {
    if (cost.rounds > 0 || cost.bytes > 0) {
      line.spans.push_back({start, start + cost.rounds});
      line.bytes += cost.bytes;
      bytes_ += cost.bytes;
    }
    last_ = std::max(last_, start + cost.rounds);
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
  std::vector<State> registers_;
  std::vector<bool> has_unknown_counter_;
  std::set<size_t> unknown_loops_;     ///< open `for`s of which one iteration is counted for all
  std::set<size_t> uncertain_loops_;   ///< open `for`s that may have fewer iterations, too
  std::set<size_t> unknown_branches_;  ///< `if`s both arms of which are taken
  LeftLoops left_loops_;  ///< loops that end with this iteration, and a `break` of theirs
  std::vector<Given> given_;
  std::vector<Node> nodes_;
  /// When nodes end, the first on top.
  std::priority_queue<std::pair<uint64_t, NodeId>, std::vector<std::pair<uint64_t, NodeId>>,
                      std::greater<>>
      events_;
  std::vector<NodeId> ended_;  ///< at this moment
  std::map<uint32_t, Line> lines_;
  std::map<uint32_t, Line> groups_;
  std::deque<ValueId> in_flight_;
  Certainty certainty_;
  uint64_t now_ = 0;   ///< the round, for control and all else
  uint64_t last_ = 0;  ///< when everything is over
  uint64_t bytes_ = 0;
};

/// Its operands are there.
void Walk::start(NodeId id) {
  const Node& node = nodes_[id];
  Line& line = lines_[node.line];
  uint64_t begin = now_;
  if (node.number_of) {
    uint64_t& ready =
        given_[given_[*node.number_of].same_as].number_ready[std::min(node.number_ring / 64, 2U)];
    if (ready == kNever) {
      ready = begin + node.number.rounds;
      count(line, begin, node.number);
    }
    begin = std::max(begin, ready);
  }
  count(line, begin, node.rest);
  const uint64_t end = begin + node.rest.rounds;
  if (end == now_) {
    ended_.push_back(id);
  } else {
    events_.emplace(end, id);
  }
}

/// It has ended, and so have those behind it that take no round.
void Walk::complete(NodeId id) {
  ended_.push_back(id);
  while (!ended_.empty()) {
    Given& given = given_[nodes_[ended_.back()].result];
    ended_.pop_back();
    given.ready = now_;
    for (const NodeId waiting : std::exchange(given.waiting, {})) {
      if (--nodes_[waiting].n_missing == 0) {
        start(waiting);
      }
    }
  }
}

void Walk::next_event() {
  const auto [round, node] = events_.top();
  events_.pop();
  now_ = round;
  complete(node);
}

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

void Walk::begin(size_t at) {
  const MpcInstruction& instruction = program_.code[at];
  std::vector<Operand> operands;
  for (const MpcRegisterId id : instruction.operands) {
    const State& state = registers_[id.index];
    operands.push_back({&type(id), state.clear == nullptr ? nullptr : &state.clear->cells});
  }
  const InstructionCost cost =
      cost_of(protocol_, instruction, operands, type(instruction.result), program_.fixed_ring_bits);
  Line& line = lines_[instruction.line];
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

  Node node{.result = new_value(),
            .line = instruction.line,
            .number = cost.number,
            .number_ring = cost.number_ring,
            .rest = cost.rest};
  if (cost.number_of) {
    node.number_of = registers_[instruction.operands[*cost.number_of].index].value;
  }
  const bool is_copy = instruction.op == MpcOpcode::Copy ||
                       (instruction.op == MpcOpcode::Cast &&
                        type(instruction.operands[0]).element == type(instruction.result).element);
  if (is_copy && type(instruction.operands[0]).is_secret()) {
    given_[node.result].same_as = given_[registers_[instruction.operands[0].index].value].same_as;
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  for (const MpcRegisterId operand : instruction.operands) {
    const ValueId value = registers_[operand.index].value;
    if (!is_there(value)) {
      given_[value].waiting.push_back(id);
      ++node.n_missing;
    }
  }
  State result{.value = node.result, .clear = {}};
  compute(at, result);
  registers_[instruction.result.index] = result;
  nodes_.push_back(node);
  if (node.n_missing == 0) {
    start(id);
    if (!ended_.empty()) {
      ended_.clear();
      complete(id);
    }
  }
  if (!is_there(node.result)) {
    in_flight_.push_back(node.result);
  }
}

/// Control that depends on what is not known: bounds are 0 to the greatest number of iterations or
/// 1, of a branch both arms are taken.
auto Walk::step_unknown(size_t at) -> size_t {
  const MpcInstruction& instruction = program_.code[at];
  if (instruction.op == MpcOpcode::If) {
    unknown_branches_.insert(at);
    certainty_.is_greatest = true;
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
    State counter{.value = new_value(), .clear = {}};
    given_[counter.value].ready = now_;
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
  if (op == MpcOpcode::Else ? unknown_branches_.contains(branch)
                            : unknown_branches_.erase(branch) > 0) {
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
    const State& state = registers_[id.index];
    wait_for(state.value);
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
    const Node node{.result = new_value(), .rest = cost};
    registers_[input.reg.index] = {.value = node.result, .clear = {}};
    nodes_.push_back(node);
    events_.emplace(cost.rounds, static_cast<NodeId>(nodes_.size() - 1));
    last_ = std::max(last_, cost.rounds);
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
    while (!in_flight_.empty() && is_there(in_flight_.front())) {
      in_flight_.pop_front();
    }
    if (in_flight_.size() >= kMostInFlight) {
      wait_for(in_flight_.front());
    }
  }
  return n_instructions;
}

void Walk::reveal_outputs(uint64_t end_of_control) {
  for (const engine::MpcOutput& output : program_.outputs) {
    if (type(output.reg).is_secret()) {
      const Cost cost = cost_of_reveal(protocol_, type(output.reg), output.receiver.has_value());
      const uint64_t ready = given_[registers_[output.reg.index].value].ready;
      last_ = std::max(last_, std::max(end_of_control, ready) + cost.rounds);
      bytes_ += cost.bytes;
    }
  }
}

void Walk::count_lines(ProgramCost& result) {
  for (auto& [number, line] : lines_) {
    line.certainty.take({.is_cut = certainty_.is_cut});
    if (options_.group_of && !line.spans.empty()) {
      Line& group = groups_[options_.group_of(number)];
      group.spans.insert(group.spans.end(), line.spans.begin(), line.spans.end());
      group.bytes += line.bytes;
      group.certainty.take(line.certainty);
    }
    if (!line.stacks.empty()) {
      result.lines[number] = cost_of_line(line);
    }
  }
  for (auto& [number, group] : groups_) {
    result.groups[number] = cost_of_line(group);
  }
}

auto Walk::run() -> ProgramCost {
  ProgramCost result;
  bring_inputs();
  result.n_instructions = run_code();
  const uint64_t end_of_control = now_;
  while (!events_.empty()) {
    next_event();
  }
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
