#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/mpc_model/programs/instruction_costs.h"

/// What programs of the MPC machine take, before they run.
namespace tacet::mpc_model {

/// How good a number is. Public inputs and what is revealed are not known before a program runs.
struct Certainty {
  bool is_average = false;   ///< sorting by comparisons asks as many as its shuffle makes it ask
  bool is_greatest = false;  ///< it may be less: of two branches both are counted
  bool is_of_iterations = false;  ///< of a loop of unknown length one iteration is counted
  bool is_cut = false;            ///< only the start of a long run was counted

  /// Products are checked on the way, at a round that is up to the order of tasks within it.
  bool is_near = false;

  void take(const Certainty& other) {
    is_near = is_near || other.is_near;
    is_average = is_average || other.is_average;
    is_greatest = is_greatest || other.is_greatest;
    is_of_iterations = is_of_iterations || other.is_of_iterations;
    is_cut = is_cut || other.is_cut;
  }
  friend auto operator==(const Certainty&, const Certainty&) -> bool = default;
};

/// What the instructions of a line, or all of a program, take in a run.
struct LineCost {
  Cost cost{};  ///< rounds: those in which one of them is running
  Certainty certainty{};
  /// How its instructions are dispatched (`stack_text`), in order, each once. Not of programs.
  std::vector<std::string> stacks{};

  friend auto operator==(const LineCost&, const LineCost&) -> bool = default;
};

struct ProgramCost {
  LineCost total{};
  /// By `MpcInstruction::line`: what computes with secrets.
  std::map<uint32_t, LineCost> lines{};
  /// By group of lines, on request; without stacks.
  std::map<uint32_t, LineCost> groups{};
  uint64_t n_instructions = 0;  ///< that run

  friend auto operator==(const ProgramCost&, const ProgramCost&) -> bool = default;
};

struct ProgramCostOptions {
  /// Instructions to count, in each iteration of a loop again.
  uint64_t most_instructions = 200'000;
  /// Lines that are counted together as well.
  std::function<uint32_t(uint32_t)> group_of{};
  /// Called regularly; may throw.
  std::function<void()> check{};
};

/// Walks through a valid program as the machine does: control ahead, instructions from when their
/// operands are there. With exact truncation and everything public that is in the program, rounds
/// and bytes are those of a run; without what making correlated randomness takes.
auto cost_of_program(const ProtocolCosts& protocol, const engine::MpcProgram& program,
                     const ProgramCostOptions& options = {}) -> ProgramCost;

/// The links between parties, as somebody stated them; 0 where nothing is known.
struct Link {
  double latency_milliseconds = 0;  ///< of a message
  double megabits = 0;              ///< a second

  [[nodiscard]] auto is_known() const -> bool { return latency_milliseconds > 0 || megabits > 0; }
  /// What so many rounds take, in which a party sends so many bytes in all.
  [[nodiscard]] auto milliseconds_of(double rounds, double bytes) const -> double;

  friend auto operator==(const Link&, const Link&) -> bool = default;
};

/// `2.6 s`, `34 ms`, `0.20 ms`.
auto milliseconds_text(double milliseconds) -> std::string;

/// `9 rounds · 76 B`, for one of `n_parties` on average; with `~`, `≤` or `>` in front and `per
/// iteration` behind where that is so. Then what messages take on `link`: `9 rounds · 76 B · 180
/// ms`.
auto cost_text(const LineCost& cost, uint32_t n_parties, const Link& link = {}) -> std::string;

}  // namespace tacet::mpc_model
