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
  node.result = new_slot();
  ++n_in_flight_;
  return node;
}

/// For what is in a slot, as operand `i`.
void InstructionRunner::wait_for(Node& node, size_t i, Slot& slot) {
  if (!slot.is_there()) {
    ++node.n_missing;
    node.listeners[i].instruction = &node;
    slot.listen(node.listeners[i]);
  }
}

void InstructionRunner::set(const SlotPtr& slot, Value value) {
  if (!value.is_secret() && value.cells->size() == 1) {
    return wake(slot->set_number(value.cells->front()));
  }
  Shared<HeldValue> held(new HeldValue);
  held->value = std::move(value);
  wake(slot->set(std::move(held)));
}

auto InstructionRunner::begin(size_t at, uint64_t sequence, std::span<const SlotPtr> operands)
    -> SlotPtr {
  Node& node = new_node();
  node.at = at;
  node.sequence = sequence;
  node.operands.assign(operands.begin(), operands.end());
  node.listeners.resize(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    wait_for(node, i, *operands[i]);
  }
  SlotPtr result = node.result;
  start(node);
  return result;
}

auto InstructionRunner::assemble(Pieces pieces, const engine::MpcType& type) -> SlotPtr {
  Node& node = new_node();
  node.listeners.resize(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    wait_for(node, i, *pieces[i].part);
  }
  node.pieces = std::make_unique<Pieces>(std::move(pieces));
  node.type = type;
  SlotPtr result = node.result;
  start(node);
  return result;
}

/// Lets those continue who waited for a slot.
void InstructionRunner::wake(SlotListener* first) {
  while (first != nullptr) {
    SlotListener* next = first->next;
    if (first->instruction != nullptr) {
      first->instruction->value_is_there(*state_);
    } else {
      state_->ready.push_back(first->task);
    }
    first = next;
  }
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
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const engine::MpcType& type = program_.registers[instruction.operands[i]].type;
    operation.operands.push_back(node.operands[i]->value(type));
  }
  if (const std::optional<Ring> ring = ring_of_number(node.at);
      ring && node.operands[0]->is_element()) {
    // The element's value is a new one.
    const auto& number = node.operands[0]->truth_as_number(*ring);
    if (number != nullptr && number->is_there()) {
      auto& known = operation.operands[0].secret->number(*ring);
      known = std::make_unique<Later<Share>>();
      known->set(*state_, **number);
    }
  }
  return operation;
}

/// Its operands are there.
void InstructionRunner::run(Node& node) {
  state_->label = base_label_;
  if (node.pieces != nullptr) {
    return complete(node, assembled_by(node));
  }
  if (needs_number(node)) {
    return;
  }
  if (const uint32_t batch = batches_.of[node.at]; batch != engine::MpcBatches::kNone) {
    return join(batch, node);
  }
  Operation operation = operation_of(node);
  if (is_local(operation)) {
    return run_locally(node, std::move(operation));
  }
  keep(execute(node, std::move(operation)));
}

auto InstructionRunner::assembled_by(const Node& node) const -> Value {
  const Value* base = nullptr;
  std::optional<Value> held;
  std::vector<ElementSource> sources;
  for (const auto& [part, from, to, is_alone] : *node.pieces) {
    if (from.empty()) {
      held = part->value(node.type);
      base = &*held;
      continue;
    }
    SlotElements elements = elements_of(*part);
    for (size_t k = 0; k < from.size(); ++k) {
      if (!is_alone) {
        elements.first = from[k];
      }
      sources.push_back({.to = to[k], .from = elements});
    }
  }
  return assembled(context_, base, sources, node.type);
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
auto InstructionRunner::needs_number(Node& node) -> bool {
  const uint32_t batch = batches_.numbers_of[node.at];
  if (batch == engine::MpcBatches::kNone) {
    return false;
  }
  auto& number = node.operands[0]->truth_as_number(*ring_of_number(node.at));
  const bool is_first = number == nullptr;
  if (is_first) {
    number = std::make_unique<Later<Share>>();
  } else if (number->is_there()) {
    return false;
  }
  ++node.n_missing;
  number->listen(node);
  if (is_first) {
    join(batch, node);
  }
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

/// For the end of the round.
void InstructionRunner::join(uint32_t batch, Node& node) {
  batched_[batch].push_back(&node);
  if (batched_[batch].size() == 1) {
    (batches_.is_local[batch] ? asked_locally_ : asked_).push_back(batch);
  }
  if (!is_ending_round_) {
    is_ending_round_ = true;
    keep(end_round());
  }
}

/// Runs batches when nothing else can continue in this round: those that send nothing first, so
/// that what depends on them joins the others.
auto InstructionRunner::end_round() -> Task<> {
  for (;;) {
    co_await context_.party.quiet();
    run_local_batches();
    if (!state_->ready.empty()) {
      continue;
    }
    if (asked_.empty()) {
      break;
    }
    const uint32_t batch = asked_.front();
    asked_.pop_front();
    std::vector<Node*> nodes = std::exchange(batched_[batch], {});
    state_->label = base_label_;
    keep(batches_.numbers_of[nodes.front()->at] == batch ? make_numbers(std::move(nodes))
                                                         : execute_batch(std::move(nodes)));
  }
  is_ending_round_ = false;
  co_return kDone;
}

auto InstructionRunner::operation_of_batch(const std::vector<Node*>& nodes) const -> Operation {
  const size_t at = nodes.front()->at;
  std::vector<RowPart> parts;
  parts.reserve(nodes.size());
  for (const Node* node : nodes) {
    parts.push_back({.n = static_cast<size_t>(engine::n_elements(type_at(node->at))),
                     .operands = node->operands});
  }
  return joined(context_, program_.code[at], program_, parts, ring_of_number(at));
}

void InstructionRunner::run_local_batches() {
  while (!asked_locally_.empty()) {
    const uint32_t batch = asked_locally_.front();
    asked_locally_.pop_front();
    const std::vector<Node*> nodes = std::exchange(batched_[batch], {});
    const MpcOpcode op = program_.code[nodes.front()->at].op;
    clock_.begin(op, seconds(), nodes.size());
    state_->label = base_label_;
    Context context = context_;
    Task<Value> task = dispatch(context, operation_of_batch(nodes));
    task.start(state_);
    TACET_CHECK(task.done(), "what sends nothing waits");
    distribute(nodes, task.take());
    clock_.end(op, seconds());
    drain();
  }
}

auto InstructionRunner::execute_batch(std::vector<Node*> nodes) -> Task<> {
  const MpcOpcode op = program_.code[nodes.front()->at].op;
  const Party::Scope scope(context_.party, label(nodes.front()->at));
  clock_.begin(op, seconds(), nodes.size());
  const MachineEvent event{.begin_seconds = seconds(), .first_round = rounds()};
  Operation all = nodes.size() == 1 ? operation_of(*nodes.front()) : operation_of_batch(nodes);
  Context context = context_;
  Value value = co_await dispatch(context, std::move(all));
  clock_.end(op, seconds());
  for (Node* node : nodes) {
    node->event = event;
    node->event->instruction = node->at;
  }
  distribute(nodes, std::move(value));
  co_return kDone;
}

/// Gives each instruction its elements of what a batch computed.
void InstructionRunner::distribute(const std::vector<Node*>& nodes, Value value) {
  Shared<HeldValue> held(new HeldValue);
  held->value = std::move(value);
  if (nodes.size() == 1) {
    held->value.type.extents = type_at(nodes.front()->at).extents;
    return complete(*nodes.front(), held, Slot::kWhole);
  }
  size_t begin = 0;
  for (Node* node : nodes) {
    const engine::MpcType& type = type_at(node->at);
    const auto n = static_cast<size_t>(engine::n_elements(type));
    if (n == 1) {
      complete(*node, held, static_cast<uint32_t>(begin));
    } else {
      complete(*node, part_of(held->value, begin, type));
    }
    begin += n;
  }
}

auto InstructionRunner::make_numbers(std::vector<Node*> nodes) -> Task<> {
  const size_t at = nodes.front()->at;
  const MpcOpcode op = program_.code[at].op;
  const Party::Scope instruction(context_.party, label(at));
  const Party::Scope scope = context_.party.scope(engine::mnemonic_of(op));
  const Ring ring = *ring_of_number(at);
  clock_.begin(op, seconds(), 0);
  std::vector<SlotPtr> truths;
  std::vector<ElementSource> sources;
  for (const Node* node : nodes) {
    truths.push_back(node->operands[0]);
    SlotElements elements = elements_of(*truths.back());
    const size_t n = elements.size();
    for (size_t k = 0; k < n; ++k) {
      if (n > 1) {
        elements.first = static_cast<uint32_t>(k);
      }
      sources.push_back({.to = static_cast<uint32_t>(sources.size()), .from = elements});
    }
  }
  const Value all = assembled(context_, nullptr, sources,
                              {.visibility = engine::MpcVisibility::Secret,
                               .element = engine::kBool,
                               .extents = {static_cast<int64_t>(sources.size())}});
  const Share number = co_await to_number(context_.party, *all.secret->bits, ring);
  clock_.end(op, seconds());
  size_t begin = 0;
  for (const SlotPtr& truth : truths) {
    const size_t n = elements_of(*truth).size();
    truth->truth_as_number(ring)->set(*state_, slice(number, begin, n));
    begin += n;
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
  const SlotPtr result = node.result;
  release(node);
  set(result, std::move(value));
}

void InstructionRunner::complete(Node& node, const Shared<HeldValue>& held, uint32_t index) {
  const SlotPtr result = node.result;
  release(node);
  wake(result->set(held, index));
}

/// An instruction that has ended.
void InstructionRunner::release(Node& node) {
  if (run_.records_events && node.event && result_.events.size() < kMostEvents) {
    node.event->end_seconds = seconds();
    node.event->last_round = rounds();
    result_.events.push_back(*node.event);
  }
  node.operands.clear();
  node.pieces = nullptr;
  node.result = {};
  node.event.reset();
  free_nodes_.push_back(&node);
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
  while (is_ending_round_) {
    co_await context_.party.quiet();
  }
  co_return kDone;
}

}  // namespace tacet::mpc
