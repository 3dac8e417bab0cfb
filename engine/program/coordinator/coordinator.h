#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/program/common/arithmetic.h"

/// Programs of the coordinator machine: funclets of straight-line code on a frame of cells, which
/// end by handing cells to the next funclet. There is no stack of frames: who waits for a result
/// is a *join*, which keeps its cells on the join stack.
namespace tacet::engine {

inline constexpr uint32_t kNone = 0xffffffff;

enum class CoordinatorOpcode : uint8_t {
#define TACET_COORDINATOR_OPCODE(Name, mnemonic) Name,
#include "engine/program/coordinator/coordinator_opcodes.def"
};

/// Does it hand control to another funclet, to who waits, or to the host?
constexpr auto ends_funclet(CoordinatorOpcode opcode) -> bool {
  return opcode >= CoordinatorOpcode::Return;
}

/// Why a run ended before it had a result.
enum class CoordinatorFault : uint8_t {
  DivisionByZero,
  ShiftOutOfRange,
  IndexOutOfRange,  ///< an element is written that there is none of
  OutOfMemory,
  DanglingReference,
  MissingKernel,
  FailedKernel,
  DeviceMisuse,  ///< a device was spoken to in an order that has no meaning
  Hole,
  Unsupported,
  BadProgram,  ///< who waits expects another number of results
};

/// What the operands are is in `coordinator_opcodes.def`.
struct CoordinatorInstruction {
  CoordinatorOpcode opcode{};
  uint8_t operation = 0;
  ElementType type;
  uint32_t operands[5] = {};

  friend auto operator==(const CoordinatorInstruction&, const CoordinatorInstruction&)
      -> bool = default;
};

/// `n` cells of the frame from `source` on.
struct Move {
  uint32_t source = 0;
  uint32_t n = 1;

  friend auto operator==(Move, Move) -> bool = default;
};

/// Cells that are handed over, one move behind the other.
struct MoveList {
  uint32_t first = 0;  ///< in `CoordinatorProgram::moves`
  uint32_t n_moves = 0;
  uint32_t n_cells = 0;

  friend auto operator==(MoveList, MoveList) -> bool = default;
};

struct Edge {
  uint32_t funclet = 0;
  uint32_t arguments = 0;  ///< a move list

  friend auto operator==(Edge, Edge) -> bool = default;
};

/// A funclet that waits: it gets what it kept, and behind that the results.
struct Join {
  uint32_t funclet = 0;
  uint32_t kept = 0;  ///< a move list
  uint32_t n_result_cells = 0;
  /// The instruction that called, or `kNone` if it waits for the operands of a `Select`.
  uint32_t call = kNone;

  friend auto operator==(const Join&, const Join&) -> bool = default;
};

struct CoordinatorFunclet {
  uint32_t entry = 0;  ///< its first instruction
  uint32_t end = 0;    ///< behind its last
  uint32_t n_parameter_cells = 0;
  uint32_t n_cells = 0;  ///< of its frame, parameters first
  uint32_t function = 0;

  friend auto operator==(const CoordinatorFunclet&, const CoordinatorFunclet&) -> bool = default;
};

struct CoordinatorFunction {
  std::string name;
  uint32_t funclet = 0;
  uint32_t n_result_cells = 0;

  friend auto operator==(const CoordinatorFunction&, const CoordinatorFunction&) -> bool = default;
};

/// A computation that the host supplies.
struct CoordinatorKernel {
  std::string name;
  uint32_t n_input_cells = 0;         ///< the grid included
  std::vector<ElementType> outputs;   ///< one for each cell
  std::vector<uint32_t> input_cells;  ///< of each value; the grid not included
  std::vector<uint32_t> output_cells;
  /// Its grid begins with the nine cells of a `DynamicRngState`: the calls that it is run by.
  bool draws = false;

  friend auto operator==(const CoordinatorKernel&, const CoordinatorKernel&) -> bool = default;
};

struct CoordinatorProgram {
  std::vector<CoordinatorInstruction> instructions;
  std::vector<Cell> constants;
  std::vector<Move> moves;
  std::vector<MoveList> lists;
  std::vector<Edge> edges;
  std::vector<Join> joins;
  std::vector<CoordinatorFunclet> funclets;
  std::vector<CoordinatorFunction> functions;
  std::vector<CoordinatorKernel> kernels;
  std::vector<std::string> messages;
  uint32_t n_devices = 0;

  friend auto operator==(const CoordinatorProgram&, const CoordinatorProgram&) -> bool = default;
};

auto opcode_name(CoordinatorOpcode opcode) -> std::string_view;

/// The funclet whose code holds `instruction`.
auto funclet_at(const CoordinatorProgram& program, uint32_t instruction) -> uint32_t;

/// Is it safe to run: does everything that it refers to exist, does every funclet stay in its
/// frame, end with an end, and hand over as much as is expected? What an error says is for those
/// who made the program.
auto validate(const CoordinatorProgram& program) -> Status;

}  // namespace tacet::engine
