#pragma once

#include <chrono>
#include <coroutine>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/mpc/machine/machine.h"
#include "engine/mpc/machine/operation_clock.h"
#include "engine/mpc/machine/slot.h"
#include "engine/program/mpc/batches.h"
#include "engine/program/mpc/scattered.h"

/// Private to this folder.
namespace tacet::mpc {

/// Runs the instructions of one program that have begun: each as soon as its operands are there,
/// those of a batch as one kernel at the end of the round (`engine::find_batches`).
class InstructionRunner {
 public:
  using Pieces = std::vector<engine::ScatteredPiece<SlotPtr>>;

  /// `context`, `program`, `run` and `result` outlive it; `result` gets the events.
  InstructionRunner(Context& context, const engine::MpcProgram& program, const MachineRun& run,
                    MachineResult& result)
      : context_(context),
        program_(program),
        run_(run),
        result_(result),
        batches_(engine::find_batches(program)),
        labels_(program.code.size()),
        batched_(batches_.is_local.size()) {}
  InstructionRunner(const InstructionRunner&) = delete;
  auto operator=(const InstructionRunner&) -> InstructionRunner& = delete;

  /// Before all else: in the task that stands at `state`.
  void open(TaskState& state);

  /// Begins an instruction, the `sequence`th of the run: what it will give.
  auto begin(size_t at, uint64_t sequence, std::span<const SlotPtr> operands) -> SlotPtr;
  /// A secret of elements of others, once they are there; 0 where no piece has an element.
  auto assemble(Pieces pieces, const engine::MpcType& type) -> SlotPtr;
  /// Gives a slot its value.
  void set(const SlotPtr& slot, Value value);
  /// Awaited: that there is something in a slot.
  class Arrival;
  auto arrival(SlotPtr slot) -> Arrival;
  /// Runs what is ready.
  void drain();

  [[nodiscard]] auto has_room() const -> bool { return n_in_flight_ < most_in_flight_; }
  /// Awaited: that another instruction may begin.
  auto wait_for_room() -> Task<>;
  /// Awaited: that none is running any more.
  auto finish() -> Task<>;

  /// Of the faults that are met, the one that comes first in the program counts, whenever it shows.
  void fails(engine::MpcRunFault fault, uint64_t sequence, size_t at) {
    if (fault != engine::MpcRunFault::None && sequence < first_fault_) {
      first_fault_ = sequence;
      context_.fault = fault;
      result_.instruction = at;
    }
  }
  auto clock() -> OperationClock& { return clock_; }
  void restore_label() { state_->label = base_label_; }

 private:
  /// An instruction that has begun. Nodes are used again, with the memory of their vectors.
  struct Node final : LaterListener {
    InstructionRunner* runner = nullptr;
    size_t at = 0;
    uint64_t sequence = 0;
    size_t n_missing = 0;
    std::vector<SlotPtr> operands;
    std::vector<SlotListener> listeners;
    /// Of an instruction that assembles an array: its operands instead.
    std::unique_ptr<Pieces> pieces;
    engine::MpcType type;  ///< of what is assembled
    SlotPtr result;
    std::optional<MachineEvent> event;  ///< of those that computed on shares

    /// An operand, or the numbers of its truth values.
    void value_is_there(TaskState&) override { runner->arrived(*this); }
  };

  auto new_node() -> Node&;
  void start(Node& node);
  void run(Node& node);
  void run_locally(Node& node, Operation operation);
  auto operation_of(const Node& node) const -> Operation;
  auto assembled_by(const Node& node) const -> Value;
  auto needs_number(Node& node) -> bool;
  auto execute(Node& node, Operation operation) -> Task<>;
  void join(uint32_t batch, Node& node);
  auto end_round() -> Task<>;
  auto operation_of_batch(const std::vector<Node*>& nodes) const -> Operation;
  void run_local_batches();
  auto execute_batch(std::vector<Node*> nodes) -> Task<>;
  auto make_numbers(std::vector<Node*> nodes) -> Task<>;
  void distribute(const std::vector<Node*>& nodes, Value value);
  void keep(Task<> task);
  void wait_for(Node& node, size_t i, Slot& slot);
  void wake(SlotListener* first);
  void arrived(Node& node) {
    if (--node.n_missing == 0) {
      ready_.push_back(&node);
      wake(*state_, pump_waits_);
    }
  }
  void complete(Node& node, Value value);
  void complete(Node& node, const Shared<HeldValue>& held, uint32_t index);
  void release(Node& node);
  auto pump() -> Task<>;
  static void wake(TaskState& state, std::coroutine_handle<>& waiting) {
    if (waiting) {
      state.ready.push_back(std::exchange(waiting, nullptr));
    }
  }

  [[nodiscard]] auto type_at(size_t at) const -> const engine::MpcType& {
    return program_.registers[program_.code[at].result].type;
  }
  [[nodiscard]] auto ring_of_number(size_t at) const -> std::optional<Ring> {
    return engine::operand_needed_as_number(program_, program_.code[at])
               ? std::optional(context_.ring_of(type_at(at).element))
               : std::nullopt;
  }
  auto label(size_t at) -> Traffic::LabelId;
  auto seconds() const -> double {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - run_.start).count();
  }
  auto rounds() const -> uint64_t { return context_.party.traffic().total().rounds; }

  Context& context_;
  const engine::MpcProgram& program_;
  const MachineRun& run_;
  MachineResult& result_;
  engine::MpcBatches batches_;
  std::vector<std::optional<Traffic::LabelId>> labels_;  ///< by instruction
  std::vector<std::vector<Node*>> batched_;  ///< by batch: what waits for the end of this round
  std::deque<uint32_t> asked_;               ///< batches that have something, in order
  std::deque<uint32_t> asked_locally_;       ///< those that send nothing
  bool is_ending_round_ = false;
  std::deque<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> free_nodes_;
  std::deque<Node*> ready_;  ///< whose operands are there
  std::vector<Task<>> running_;
  size_t n_running_at_sweep_ = 64;
  size_t n_in_flight_ = 0;
  size_t most_in_flight_ = engine::kMostMpcInFlight;
  TaskState* state_ = nullptr;
  Traffic::LabelId base_label_ = Traffic::kRoot;
  std::coroutine_handle<> control_waits_;  ///< for fewer instructions in flight
  std::coroutine_handle<> pump_waits_;     ///< for instructions that are ready
  std::optional<Task<>> pump_;
  OperationClock clock_;
  uint64_t first_fault_ = UINT64_MAX;  ///< which instruction that ran it was
};

class [[nodiscard]] InstructionRunner::Arrival {
 public:
  Arrival(TaskState& state, SlotPtr slot) : state_(state), slot_(std::move(slot)) {}
  auto await_ready() const noexcept -> bool { return slot_->is_there(); }
  void await_suspend(std::coroutine_handle<> task) {
    label_ = state_.label;
    listener_.task = task;
    slot_->listen(listener_);
  }
  void await_resume() const noexcept {
    if (listener_.task) {
      state_.label = label_;
    }
  }

 private:
  TaskState& state_;
  SlotPtr slot_;
  SlotListener listener_{};
  uint32_t label_ = 0;
};

inline auto InstructionRunner::arrival(SlotPtr slot) -> Arrival {
  return {*state_, std::move(slot)};
}

}  // namespace tacet::mpc
