#pragma once

#include <algorithm>

#include "base/check.h"
#include "compiler/run/conformance/join_points.h"
#include "compiler/run/conformance/symbolic_run.h"

/// What the files of the symbolic machine share. Private to this folder.
namespace tacet::conformance {

using interpret::Function;
using interpret::Instruction;
using interpret::kHeaderCells;

inline constexpr Cell kAllOnes = ~Cell{0};  // evaluated, settled, outside, the host's frame
inline constexpr Cell kUnusable = kAllOnes - 1;

/// The machine between two instructions: `machine_state.h` of the interpreter, on terms.
struct State {
  std::vector<TermId> cells;
  uint64_t base = 0;  ///< of the current frame
  uint64_t top = 0;   ///< where the next frame begins
  uint32_t pc = 0;
  uint32_t function = 0;
  uint32_t depth = 0;  ///< frames and suspended code below
  bool is_done = false;
};

/// Where a path ends: at an instruction of a frame, or once that frame is left.
struct Stop {
  uint32_t depth = 0;
  uint32_t pc = JoinPoints::kNoJoin;
};

enum class Progress : uint8_t { Arrived, Failed, Undecided };

/// The state of one run: control in `symbolic_run.cpp`, values in `symbolic_values.cpp`.
class Run {
 public:
  Run(const interpret::Executable& executable, Terms& terms, const SymbolicLimits& limits)
      : program_(executable.program),
        terms_(terms),
        limits_(limits),
        joins_(program_),
        path_(terms.number(1)),
        fault_(terms.number(0)) {}

  auto run(const std::vector<TermId>& inputs) -> SymbolicResult {
    State state;
    const Function& entry = program_.functions.front();
    enter(state, 0);
    std::copy(inputs.begin(), inputs.end(), state.cells.begin() + kHeaderCells);
    state.cells[0] = terms_.control(kAllOnes);
    const Progress progress = go(state, {});
    SymbolicResult result{.results = {}, .fault = fault_, .problem = problem_};
    if (progress == Progress::Arrived) {
      const auto first = state.cells.begin() + kHeaderCells;
      result.results.assign(first, first + entry.n_result_cells);
    } else if (progress == Progress::Failed) {
      result.results.assign(entry.n_result_cells, terms_.number(0));
      result.fault = terms_.number(1);
    }
    return result;
  }

 private:
  auto untold(std::string why) -> Progress {
    problem_ = std::move(why);
    return Progress::Undecided;
  }

  auto slot(State& state, uint64_t i) -> TermId& {
    return state.cells[state.base + kHeaderCells + i];
  }

  /// The number that a cell holds, if it does not depend on inputs.
  auto number_in(TermId id) const -> const Cell* {
    const Term& term = terms_[id];
    return term.kind == TermKind::Number || term.kind == TermKind::Control ? &term.number : nullptr;
  }

  void enter(State& state, uint32_t function) {
    const Function& entered = program_.functions[function];
    const uint64_t end =
        state.base + kHeaderCells + entered.n_slots + entered.n_outgoing_cells + kHeaderCells;
    if (state.cells.size() < end) {
      state.cells.resize(end, terms_.number(0));
    }
    state.top = state.base + kHeaderCells + entered.n_slots;
    state.function = function;
    for (uint32_t i = 0; i < entered.n_memories; ++i) {
      slot(state, entered.first_memory + i) = terms_.control(0);
    }
    state.pc = entered.entry;
  }

  auto may_go_on() -> bool {
    if (++n_steps_ > limits_.max_steps || terms_.size() > limits_.max_terms) {
      untold("it is too large");
      return false;
    }
    return true;
  }

  void may_fail(TermId condition) {
    fault_ = terms_.disjunction(fault_, terms_.conjunction(path_, condition));
  }

  auto go(State& state, Stop stop) -> Progress {
    while (!state.is_done) {
      if (state.depth < stop.depth || (state.depth == stop.depth && state.pc == stop.pc)) {
        return Progress::Arrived;
      }
      if (!may_go_on()) {
        return Progress::Undecided;
      }
      const Progress progress = step(state);
      if (progress != Progress::Arrived) {
        return progress;
      }
    }
    return Progress::Arrived;
  }

  /// One instruction, or a branch and all that is behind it up to where its paths join.
  auto step(State& state) -> Progress;
  auto force(State& state, const Instruction& at) -> Progress;
  auto fail(const Instruction& at) -> Progress;
  auto branch(State& state, TermId condition, uint32_t if_true, uint32_t if_false) -> Progress;
  auto merge(const State& a, const State& b, TermId condition, State& into) -> Progress;
  auto merged(TermId a, TermId b, TermId condition) -> TermId;
  auto call(State& state, const Instruction& at) -> Progress;
  auto leave(State& state, const Instruction& at) -> Progress;
  auto need(State& state, const Instruction& at) -> Progress;
  auto settle(State& state, const Instruction& at) -> Progress;

  auto operation(const Instruction& at, TermId a, TermId b) -> TermId;
  auto unary(const Instruction& at, TermId a) -> TermId;
  auto repeat(State& state, const Instruction& at) -> Progress;
  auto reduce(State& state, const Instruction& at) -> Progress;
  auto rotate(State& state, const Instruction& at) -> Progress;
  auto apply(State& state, const Instruction& at) -> Progress;
  auto apply_to_numbers(State& state, const Instruction& at, const interpret::FunctionPlace& place)
      -> bool;
  void choose(State& state, const Instruction& at, const interpret::FunctionPlace& place);
  auto chosen(engine::Function function, ElementType type, TermId a, TermId b) -> TermId;
  void index(State& state, const Instruction& at);
  auto is_at(TermId address, Cell place) -> TermId;
  auto n_places(TermId address) const -> Cell;
  auto fetch(State& state, const Instruction& at) -> Progress;
  auto put(State& state, const Instruction& at) -> Progress;
  auto reference(State& state, const Instruction& at) -> Progress;
  void copy(State& state, uint64_t from, uint64_t to, uint64_t n) {
    const std::vector<TermId> moved(state.cells.begin() + static_cast<std::ptrdiff_t>(from),
                                    state.cells.begin() + static_cast<std::ptrdiff_t>(from + n));
    std::copy(moved.begin(), moved.end(), state.cells.begin() + static_cast<std::ptrdiff_t>(to));
  }
  static auto at_slot(const State& state, uint64_t i) -> uint64_t {
    return state.base + kHeaderCells + i;
  }

  const interpret::Program& program_;
  Terms& terms_;
  const SymbolicLimits& limits_;
  JoinPoints joins_;
  TermId path_;  ///< the condition under which this is reached
  TermId fault_;
  size_t n_steps_ = 0;
  size_t n_branches_ = 0;  ///< around what is run
  std::string problem_;
};

}  // namespace tacet::conformance
