#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/mpc/dispatch/context.h"
#include "engine/program/mpc/program.h"

/// Runs MPC programs: what each party of a computation does.
namespace tacet::mpc {

/// A value that somebody will have left there.
using PendingValue = std::shared_ptr<Later<Value>>;

struct MachineRun {
  /// By input: what this party knows. Public ones are known to all and must be equal.
  std::vector<std::optional<engine::MpcCells>> inputs{};
  /// Which party that computes brings and receives what belongs to a party of the program, by the
  /// program's numbers.
  std::vector<Rank> ranks{};
  Truncation truncation = Truncation::Exact;
  /// What public draws are functions of: the same for all parties.
  engine::PublicRandomKey random_key{};
  bool records_events = false;

  // Of a program that is one of several with a common beginning and end:

  /// By input, where its value will be found, instead of `inputs`: of the input's type, or public.
  std::vector<PendingValue> given{};
  /// By output, where to leave its value, which nobody is shown then. After a fault: zeros.
  std::vector<PendingValue> results{};
  /// The calls that the program is run by: its draws are made in there.
  engine::DynamicRngState call{};
  /// Those of secret draws; without them the program makes its own.
  const DrawKeys* draw_keys = nullptr;
  /// Once it is true, no instruction begins any more.
  const bool* is_over = nullptr;
  /// What times of events are counted from.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// An instruction from its operands to its result.
struct MachineEvent {
  uint32_t program = 0;  ///< of several that one run has
  size_t instruction = 0;
  double begin_seconds = 0;  ///< since the run began
  double end_seconds = 0;
  uint64_t first_round = 0;  ///< rounds that were over when it began, and when it ended
  uint64_t last_round = 0;
};

/// The instructions of one operation that computed with secrets.
struct OperationTime {
  std::string operation;  ///< `mul`
  uint64_t n_runs = 0;
  double seconds = 0;  ///< in which at least one of them was running
};

/// Adds what another program of the same run did.
void add_operations(const std::vector<OperationTime>& more, std::vector<OperationTime>& sum);

struct MachineResult {
  /// By output: its value, if this party may know it.
  std::vector<std::optional<engine::MpcCells>> outputs{};
  engine::MpcRunFault fault = engine::MpcRunFault::None;
  size_t instruction = 0;                   ///< which one failed
  uint64_t n_instructions = 0;              ///< that ran
  std::vector<OperationTime> operations{};  ///< by name
  /// In the order in which they ended, on request; the first 2^17.
  std::vector<MachineEvent> events{};
};

/// What the traffic of an instruction is counted under: `12: total_4 = mul`, by the line of the
/// source. Equal for all iterations of a loop.
auto label_of(const engine::MpcProgram& program, size_t instruction) -> std::string;

/// Why this machine cannot run a valid program with so many parties; empty if it can.
auto machine_problem(const engine::MpcProgram& program, const MachineRun& run, Rank n_parties)
    -> std::string;

/// Runs a valid program that `machine_problem` has nothing against.
///
/// Control walks ahead: an instruction begins when it is reached and waits for its operands alone,
/// so that independent instructions share rounds, also across iterations of loops and both sides of
/// a statement. Control itself waits only where it needs a value that is being revealed. A register
/// that is assigned anew leaves its old value to those who wait for it.
///
/// A fault of public values ends the run at all parties alike, without outputs.
auto run_program(Party& party, const engine::MpcProgram& program, MachineRun run)
    -> Task<MachineResult>;

}  // namespace tacet::mpc
