#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// Runs kernels as the reference device would, and writes down what a machine that runs them
/// shows: where it branches, what it addresses, what it calls, and whether a secret decided that.
namespace tacet::kernel {

/// The elements of a scalar or an array, the outermost dimension first.
struct Value {
  Type type;
  std::vector<Cell> cells;

  friend auto operator==(const Value&, const Value&) -> bool = default;
};

enum class Fault : uint8_t {
  DivisionByZero,
  ShiftOutOfRange,
  IndexOutOfRange,  ///< of a store
  BadStep,
  FailedCall,
  EmptyDraw,   ///< there is no integer to draw
  OutOfSteps,  ///< `EvaluationOptions::max_steps`
};

struct Event {
  enum class Kind : uint8_t {
    Branch,  ///< the branch of an `If`, a loop's test, a `Select` or logical operator that branches
    Address,  ///< an index into an array, or the distance of a rotation
    Call,
    Reveal,
    Fault,
  };

  Kind kind = Kind::Branch;
  StatementId statement;  ///< the innermost one that was being run
  ExprId expr;            ///< the condition, the index, or none
  /// The branch taken, the index; nothing for a call or a reveal, which have values of their own.
  Cell value = 0;
  /// Did a secret decide it, or whether it is reached at all?
  bool depends_on_secret = false;

  friend auto operator==(const Event&, const Event&) -> bool = default;
};

struct EvaluationOptions {
  /// What a call gives, given its arguments; nothing if it failed. No call succeeds without it.
  std::function<std::optional<std::vector<Value>>(const Call&, const std::vector<Value>&)> call;
  /// What random draws are functions of, those of secrets too.
  engine::PublicRandomKey random_key{};
  /// Statements that run, iterations of loops, and elements that operators compute.
  uint64_t max_steps = uint64_t{1} << 26;
  bool records_events = true;
};

struct Evaluation {
  /// One for each result of the kernel; empty after a fault.
  std::vector<Value> results;
  /// For each result and each of its elements: does it depend on a secret?
  std::vector<std::vector<bool>> are_secret;
  std::optional<Fault> fault;
  /// Was a loop stopped at its `max`?
  bool was_cut_short = false;
  std::vector<Event> events;
  uint64_t n_steps = 0;
};

/// Runs `kernel` on `inputs`, one for each parameter and of its type.
///
/// Taint: secret parameters are, what is computed from them is, and what is assigned where a
/// secret decides whether it is. Behind a branch on a secret all that either side writes is
/// secret; where one side leaves a loop or the function, so is all that this skips. It is by
/// element of arrays: a store at a secret place taints the whole array. What is revealed is public,
/// what a call gives is secret if an argument is. So a run of events that depend on no secret is
/// the same for all secrets, as far as faults do not end it.
///
/// O(steps). The kernel is one that `verify` has nothing against.
auto evaluate(const Kernel& kernel, const std::vector<Value>& inputs,
              const EvaluationOptions& options = {}) -> Evaluation;

/// What an expression is where variables hold what `held` says, the others 0; nothing after a
/// fault. Draws are those of `key`. O(variables + steps).
auto evaluate(const Kernel& kernel, ExprId expr,
              const std::vector<std::pair<VariableId, Value>>& held,
              const engine::PublicRandomKey& key) -> std::optional<Value>;

/// `branch 3 true`, `address 7 of variable …`: one event a line, for comparing and for people.
auto event_text(const Kernel& kernel, const Event& event) -> std::string;

}  // namespace tacet::kernel
