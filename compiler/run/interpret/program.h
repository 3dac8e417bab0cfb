#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/run/interpret/element_type.h"
#include "engine/program/common/draw.h"
#include "engine/program/common/function.h"

/// Programs of the machine that evaluates Tacet: registers in frames of 64-bit cells, arrays
/// laid out in the frame element by element, no heap.
namespace tacet::interpret {

enum class Opcode : uint8_t {
#define TACET_OPCODE(Name, ...) Name,
#include "compiler/run/interpret/opcodes.def"
};

/// An operator of two operands: `Add` to `NotEqual`.
constexpr auto is_binary(Opcode opcode) -> bool {
  return Opcode::Add <= opcode && opcode <= Opcode::NotEqual;
}

/// The operation of a binary opcode.
constexpr auto binary_operation(Opcode opcode) -> BinaryOperation {
  return static_cast<BinaryOperation>(static_cast<unsigned>(opcode) -
                                      static_cast<unsigned>(Opcode::Add));
}

/// One instruction. Which operands mean what is in `opcodes.def`.
struct Instruction {
  Opcode opcode{};
  ElementType type;
  uint32_t operands[5] = {};

  friend auto operator==(const Instruction&, const Instruction&) -> bool = default;
};

/// Cells at the start of a frame that hold where to return to. Slots count from behind them.
constexpr uint32_t kHeaderCells = 2;

/// Cells in front of a parameter that may be suspended: the first is all ones once the value is
/// there, else the code and its function; the second is the frame.
constexpr uint32_t kSuspensionCells = 2;
/// What the first of them is when the value is there.
constexpr uint64_t kSettled = ~uint64_t{0};

/// What one call of a function takes.
struct Function {
  std::string name;
  uint32_t entry = 0;  ///< its first instruction
  uint32_t end = 0;    ///< behind its last
  uint32_t n_parameter_cells = 0;
  uint32_t n_result_cells = 0;
  /// Slots of the frame. Arguments of calls it makes follow them.
  uint32_t n_slots = 0;
  /// Cells behind the frame's slots that it fills with arguments or finds results in.
  uint32_t n_outgoing_cells = 0;
  /// Slots that must be zero at the start: the memories of `force`.
  uint32_t first_memory = 0;
  uint32_t n_memories = 0;

  friend auto operator==(const Function&, const Function&) -> bool = default;
};

/// A function that the host supplies.
struct ExternFunction {
  std::string name;
  uint32_t n_input_cells = 0;
  std::vector<ElementType> outputs;  ///< one for each cell

  friend auto operator==(const ExternFunction&, const ExternFunction&) -> bool = default;
};

/// A place where a program draws.
struct DrawPlace {
  engine::DrawFunction function{};
  engine::BitString bits;  ///< the static string
  uint32_t extent = 0;     ///< of a permutation

  friend auto operator==(const DrawPlace&, const DrawPlace&) -> bool = default;
};

/// A place where a function of numbers is called: it, and how many cells its arguments and its
/// result have.
struct FunctionPlace {
  engine::Function function{};
  uint32_t n_first = 0;
  uint32_t n_second = 0;
  uint32_t n_result = 0;

  friend auto operator==(const FunctionPlace&, const FunctionPlace&) -> bool = default;
};

/// The cells of a dynamic state: `engine::DynamicRngState`.
constexpr uint32_t kRngCells = engine::kRngStateCells;

/// Code and what it refers to. `places` has one entry for each instruction, or none at all.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<FileRange> places;
  std::vector<Function> functions;
  std::vector<ExternFunction> externs;
  std::vector<std::string> messages;
  std::vector<DrawPlace> draws;
  std::vector<FunctionPlace> applied;

  friend auto operator==(const Program&, const Program&) -> bool = default;
};

/// Why a run ended before it had a result.
enum class Fault : uint8_t {
  DivisionByZero,
  ShiftOutOfRange,
  IndexOutOfRange,
  OutOfMemory,
  DanglingReference,
  CyclicDefinition,
  MissingExtern,
  FailedExtern,
  BadStep,
  Hole,
  Unsupported,
  EmptyDraw,
  BrokenBound,
  BrokenNorm,
  Cancelled,
};

/// What a run says without ending.
enum class Remark : uint8_t { LoopCutShort };

/// The mnemonic of an opcode.
auto opcode_name(Opcode opcode) -> std::string_view;

/// The function whose code holds `instruction`, or null.
auto function_at(const Program& program, uint32_t instruction) -> const Function*;

/// The program as text: `emit` shows it and tests read it back.
auto program_text(const Program& program) -> std::string;

/// The program of a text, without places. False, with what is wrong in `problem`, if it is none.
auto parse_program(std::string_view text, Program& program, std::string& problem) -> bool;

}  // namespace tacet::interpret
