#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/front/names/item.h"
#include "compiler/front/types/type.h"

/// What a debugger knows about a program that was compiled for it.
namespace tacet::interpret {

/// No instruction, no cell.
inline constexpr uint32_t kNowhere = 0xffffffff;

/// A place where a debugger may stop: an instruction `mark`, with the statement that it starts.
struct DebugMark {
  FileRange place;           ///< the statement; of `if` and loops only what is in front of the body
  uint32_t function = 0;     ///< its number in the program
  uint32_t instruction = 0;  ///< the `mark`
  /// `for` expressions around it, whose iterations are steps inside of one statement.
  uint32_t level = 0;

  friend auto operator==(const DebugMark&, const DebugMark&) -> bool = default;
};

/// What a variable is.
enum class DebugVariableKind : uint8_t {
  Parameter,
  Local,
  Counter,     ///< of a loop
  Element,     ///< of an array that a loop runs over
  Definition,  ///< of a specification
  Encoded,     ///< a field of an encoder
};

/// A variable while it is in scope: the instructions in [begin, end) see it.
struct DebugVariable {
  std::string name;
  types::TypeId type;
  DebugVariableKind kind{};
  uint32_t slot = kNowhere;  ///< `kNowhere`: nothing reads it, so it is never evaluated
  uint32_t begin = 0;
  uint32_t end = 0;
  /// Of what is evaluated by need: the cell that is all ones once the value is there.
  uint32_t evaluated = kNowhere;
  /// Where its name is declared, in its file; an empty range if nowhere.
  FileRange declared{};
  /// Of a parameter, its number in the signature, without the grid.
  uint32_t parameter = kNowhere;

  friend auto operator==(const DebugVariable&, const DebugVariable&) -> bool = default;
};

/// A function of the program. The first one, which the host calls, has no item.
struct DebugFunction {
  std::string name;  ///< with its sizes
  names::ItemId item{};
  FileRange place{};
  std::vector<DebugVariable> variables{};

  friend auto operator==(const DebugFunction&, const DebugFunction&) -> bool = default;
};

struct DebugInfo {
  std::vector<DebugMark> marks;
  std::vector<DebugFunction> functions;  ///< as those of the program

  friend auto operator==(const DebugInfo&, const DebugInfo&) -> bool = default;
};

}  // namespace tacet::interpret
