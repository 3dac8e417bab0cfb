#include "engine/mpc/machine/instruction_runner.h"

#include "engine/mpc/circuits/integers.h"
#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/machine/pieces.h"

namespace tacet::mpc {

using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRunFault;

namespace {

constexpr size_t kMostEvents = size_t{1} << 17;

/// Awaited: until somebody resumes what is left in a place.
class Sleep {
 public:
  explicit Sleep(std::coroutine_handle<>& place) : place_(place) {}
  auto await_ready() const noexcept -> bool { return false; }
  void await_suspend(std::coroutine_handle<> task) { place_ = task; }
  void await_resume() const noexcept {}

 private:
  std::coroutine_handle<>& place_;
};

}  // namespace

void InstructionRunner::open(TaskState& state) {
  state_ = &state;
  base_label_ = state.label;
  pump_.emplace(pump());
  pump_->start(state_);
}

auto InstructionRunner::label(size_t at) -> Traffic::LabelId {
  if (!labels_[at]) {
    state_->label = base_label_;
    const Party::Scope scope = context_.party.scope(label_of(program_, at));
    labels_[at] = state_->label;
  }
  return *labels_[at];
}

auto InstructionRunner::new_node() -> Node& {
  if (free_nodes_.empty()) {
    free_nodes_.push_back(nodes_.emplace_back(std::make_unique<Node>()).get());
  }
  Node& node = *free_nodes_.back();
  free_nodes_.pop_back();
  node.runner = this;
  node.n_missing = 0;
  node.result = std::make_shared<Later<Value>>();
  ++n_in_flight_;
  return node;
}

auto InstructionRunner::begin(size_t at, uint64_t sequence, std::vector<PendingValue> operands)
    -> PendingValue {
  Node& node = new_node();
  node.at = at;
  node.sequence = sequence;
  for (const PendingValue& operand : operands) {
    node.wait_for(*operand);
  }
  node.operands = std::move(operands);
  PendingValue result = node.result;
  start(node);
  return result;
}

auto InstructionRunner::assemble(Pieces pieces, const engine::MpcType& type) -> PendingValue {
  Node& node = new_node();
  for (const auto& piece : pieces) {
    node.wait_for(*piece.part);
  }
  node.pieces = std::make_unique<Pieces>(std::move(pieces));
  node.type = type;
  PendingValue result = node.result;
  start(node);
  return result;
}

void InstructionRunner::start(Node& node) {
  if (node.n_missing == 0) {
    run(node);
  }
}

auto InstructionRunner::operation_of(const Node& node) const -> Operation {
  const MpcInstruction& instruction = program_.code[node.at];
  Operation operation{.instruction = &instruction,
                      .type = type_at(node.at),
                      .receiver = instruction.party.has_value()
                                      ? std::optional(run_.ranks[instruction.party.index])
                                      : std::nullopt};
  for (const PendingValue& operand : node.operands) {
    operation.operands.push_back(**operand);
  }
  return operation;
}

/// Its operands are there.
void InstructionRunner::run(Node& node) {
  state_->label = base_label_;
  if (node.pieces != nullptr) {
    std::vector<Piece> pieces;
    for (auto& [part, from, to] : *node.pieces) {
      pieces.push_back({.value = **part, .from = std::move(from), .to = std::move(to)});
    }
    return complete(node, assembled(context_, pieces, node.type));
  }
  Operation operation = operation_of(node);
  if (is_local(operation)) {
    return run_locally(node, std::move(operation));
  }
  if (needs_number(node, operation)) {
    return;
  }
  if (const uint32_t batch = batches_.of[node.at]; batch != engine::MpcBatches::kNone) {
    batched_[batch].push_back(&node);
    if (batched_[batch].size() == 1) {
      keep(execute_batch(batch));
    }
  } else {
    keep(execute(node, std::move(operation)));
  }
}

void InstructionRunner::run_locally(Node& node, Operation operation) {
  const MpcOpcode op = operation.instruction->op;
  const bool is_counted = operation.type.is_secret();
  if (is_counted) {
    clock_.begin(op, seconds());
  }
  Context context = context_;
  context.fault = MpcRunFault::None;
  Value value = dispatch_locally(context, std::move(operation));
  if (is_counted) {
    clock_.end(op, seconds());
  }
  fails(context.fault, node.sequence, node.at);
  complete(node, std::move(value));
}

/// Waits until the truth values that an instruction depends on are numbers, too.
auto InstructionRunner::needs_number(Node& node, const Operation& operation) -> bool {
  const uint32_t batch = batches_.numbers_of[node.at];
  if (batch == engine::MpcBatches::kNone) {
    return false;
  }
  const std::shared_ptr<Secret>& secret = operation.operands[0].secret;
  std::unique_ptr<Later<Share>>& number = secret->number(*ring_of_number(node.at));
  if (number == nullptr) {
    number = std::make_unique<Later<Share>>();
    numbers_[batch].push_back({.secret = secret, .at = node.at});
    if (numbers_[batch].size() == 1) {
      keep(make_numbers(batch));
    }
  }
  if (number->is_there()) {
    return false;
  }
  ++node.n_missing;
  number->listen(node);
  return true;
}

auto InstructionRunner::execute(Node& node, Operation operation) -> Task<> {
  const Party::Scope scope(context_.party, label(node.at));
  const MpcOpcode op = operation.instruction->op;
  clock_.begin(op, seconds());
  Context context = context_;
  context.fault = MpcRunFault::None;
  node.event.emplace(
      MachineEvent{.instruction = node.at, .begin_seconds = seconds(), .first_round = rounds()});
  Value value = co_await dispatch(context, std::move(operation));
  clock_.end(op, seconds());
  fails(context.fault, node.sequence, node.at);
  complete(node, std::move(value));
  co_return kDone;
}

/// Everything of a batch that is ready when nothing else can continue in this round.
auto InstructionRunner::execute_batch(uint32_t batch) -> Task<> {
  const Party::Scope scope(context_.party, label(batched_[batch].front()->at));
  co_await context_.party.quiet();
  const std::vector<Node*> nodes = std::exchange(batched_[batch], {});
  const MpcInstruction& instruction = program_.code[nodes.front()->at];
  clock_.begin(instruction.op, seconds(), nodes.size());
  const MachineEvent event{.begin_seconds = seconds(), .first_round = rounds()};
  std::vector<Operation> operations;
  for (const Node* node : nodes) {
    operations.push_back(operation_of(*node));
  }
  Operation all = nodes.size() == 1
                      ? std::move(operations[0])
                      : joined(context_, operations, ring_of_number(nodes.front()->at));
  operations.clear();
  Context context = context_;
  context.fault = MpcRunFault::None;
  const Value value = co_await dispatch(context, std::move(all));
  clock_.end(instruction.op, seconds());
  size_t begin = 0;
  for (Node* node : nodes) {
    node->event = event;
    node->event->instruction = node->at;
    const engine::MpcType& of = type_at(node->at);
    complete(*node, nodes.size() == 1 ? value : part_of(value, begin, of));
    begin += static_cast<size_t>(engine::n_elements(of));
  }
  co_return kDone;
}

auto InstructionRunner::make_numbers(uint32_t batch) -> Task<> {
  const size_t at = numbers_[batch].front().at;
  const Party::Scope instruction(context_.party, label(at));
  const Party::Scope scope = context_.party.scope(engine::mnemonic_of(program_.code[at].op));
  co_await context_.party.quiet();
  const std::vector<Numbers> asked = std::exchange(numbers_[batch], {});
  std::vector<Bits> all;
  for (const Numbers& numbers : asked) {
    all.push_back(*numbers.secret->bits);
  }
  const Ring ring = *ring_of_number(at);
  const MpcOpcode op = program_.code[at].op;
  clock_.begin(op, seconds(), 0);
  Bits bits = all.size() == 1 ? all[0] : concatenate(all);
  const Share number = co_await to_number(context_.party, std::move(bits), ring);
  clock_.end(op, seconds());
  size_t begin = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    asked[i].secret->number(ring)->set(*state_, slice(number, begin, all[i].size()));
    begin += all[i].size();
  }
  co_return kDone;
}

void InstructionRunner::keep(Task<> task) {
  task.start(state_);
  if (task.done()) {
    return;
  }
  running_.push_back(std::move(task));
  if (running_.size() > n_running_at_sweep_) {
    std::erase_if(running_, [](const Task<>& each) { return each.done(); });
    n_running_at_sweep_ = 2 * running_.size() + 64;
  }
}

void InstructionRunner::complete(Node& node, Value value) {
  if (run_.records_events && node.event && result_.events.size() < kMostEvents) {
    node.event->end_seconds = seconds();
    node.event->last_round = rounds();
    result_.events.push_back(*node.event);
  }
  const PendingValue result = std::move(node.result);
  node.operands.clear();
  node.pieces = nullptr;
  node.event.reset();
  free_nodes_.push_back(&node);
  result->set(*state_, std::move(value));
  if (--n_in_flight_ < most_in_flight_) {
    wake(*state_, control_waits_);
  }
}

void InstructionRunner::drain() {
  while (!ready_.empty()) {
    Node& node = *ready_.front();
    ready_.pop_front();
    run(node);
  }
}

auto InstructionRunner::pump() -> Task<> {
  for (;;) {
    co_await Sleep(pump_waits_);
    drain();
  }
}

auto InstructionRunner::wait_for_room() -> Task<> {
  while (n_in_flight_ >= most_in_flight_) {
    co_await Sleep(control_waits_);
  }
  co_return kDone;
}

auto InstructionRunner::finish() -> Task<> {
  most_in_flight_ = 1;
  co_await wait_for_room();
  co_return kDone;
}

}  // namespace tacet::mpc
