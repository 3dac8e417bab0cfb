#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/random/rng_state.h"
#include "engine/runtime/device.h"
#include "engine/runtime/join_stack.h"

/// The machine that runs coordinator programs.
namespace tacet::engine {

/// Where and on which values a run failed.
struct CoordinatorFailure {
  CoordinatorFault fault{};
  uint32_t instruction = 0;
  /// The operands, if the fault is about an operation; `left` is the status of a kernel that
  /// failed.
  Cell left = 0;
  Cell right = 0;
  /// The kernel that is missing or failed, or `kNone`.
  uint32_t kernel = kNone;
  /// The instructions that called and wait, innermost first. Of many only some of the inner and
  /// some of the outer ones, with `n_calls_left_out` between them.
  std::vector<uint32_t> callers;
  uint32_t n_inner_callers = 0;
  uint64_t n_calls_left_out = 0;
};

/// Runs one program, from `start` to the next place where it hands control to its host. Between
/// these all that it is is on the join stack.
///
///     auto state = machine.start(function, arguments);
///     while (state == CoordinatorMachine::State::Yielded) {
///       state = machine.resume();
///     }
///
/// The program was validated. `kernels` by their index in the program, `devices` by their number;
/// both and the stack are the host's and outlive the machine. Uses nothing else: any number of
/// machines may run at the same time. `random_key` is that of draws; a function that draws has a
/// `DynamicRngState` in front of its arguments, of zeros where a run begins.
class CoordinatorMachine {
 public:
  enum class State : uint8_t { Yielded, Done, Failed };

  CoordinatorMachine(const CoordinatorProgram& program, const std::vector<Kernel>& kernels,
                     std::span<Device* const> devices, JoinStack& stack,
                     const PublicRandomKey& random_key = {});

  /// Begins to run a function. A reference among the arguments is the address of a variable that
  /// the host has allocated on the stack.
  auto start(uint32_t function, std::span<const Cell> arguments) -> State;
  /// Resumes where the program yielded, on this machine or another one that had the same stack.
  auto resume() -> State;

  /// What the function gave, once it is done.
  [[nodiscard]] auto results() const -> std::span<const Cell> { return results_; }
  [[nodiscard]] auto failure() const -> const CoordinatorFailure& { return failure_; }
  /// Funclets that were entered.
  [[nodiscard]] auto n_steps() const -> uint64_t { return n_steps_; }

 private:
  auto run(uint32_t funclet) -> State;
  void enter(uint32_t funclet);
  void gather(uint32_t list, Cell* to) const;
  auto wait(uint32_t join) -> bool;
  auto follow(uint32_t edge) -> void;
  auto hand_over(const CoordinatorInstruction& at) -> std::optional<State>;
  auto give_back(const CoordinatorInstruction& at) -> std::optional<State>;
  auto call(const CoordinatorInstruction& at) -> std::optional<State>;
  auto yield(const CoordinatorInstruction& at) -> State;
  auto step(const CoordinatorInstruction& at) -> bool;
  auto binary(const CoordinatorInstruction& at) -> bool;
  void go(uint32_t target);
  void split_draws(const CoordinatorInstruction& at);
  auto load(const CoordinatorInstruction& at) -> bool;
  auto store(const CoordinatorInstruction& at) -> bool;
  auto run_here(const CoordinatorInstruction& at) -> bool;
  auto encode_begin(const CoordinatorInstruction& at) -> bool;
  auto encode_copy(const CoordinatorInstruction& at) -> bool;
  auto encode_run(const CoordinatorInstruction& at) -> bool;
  auto submit(const CoordinatorInstruction& at) -> bool;
  auto await(const CoordinatorInstruction& at) -> bool;
  auto fetch(const CoordinatorInstruction& at) -> bool;
  auto device_of(Cell handle, Device*& device) -> bool;
  auto check(const Outcome& outcome) -> bool;
  auto fail(CoordinatorFault fault, Cell left = 0, Cell right = 0) -> bool;
  void trace();

  const CoordinatorProgram& program_;
  const std::vector<Kernel>& kernels_;
  std::span<Device* const> devices_;
  JoinStack& stack_;
  PublicRandomKey random_key_;
  std::vector<Cell> frame_;
  std::vector<Cell> scratch_;
  uint32_t pc_ = 0;
  uint64_t n_steps_ = 0;
  std::vector<Cell> results_;
  CoordinatorFailure failure_;
};

}  // namespace tacet::engine
