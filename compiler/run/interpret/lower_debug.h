#pragma once

#include "compiler/run/interpret/lowering.h"

/// What a debugger sees of a function. Nothing of it is written unless the program is for one.
/// Private to this folder.
namespace tacet::interpret {

/// A statement starts at `node`; of a statement with a body, what is in front of it is shown.
void mark_statement(FunctionLowering& lowering, syntax::Node node);
/// The end of a block without a value: its brace.
void mark_end(FunctionLowering& lowering, syntax::Node block);

/// A local has its slot from here on, until the `DebugScope` around it ends.
void show_local(FunctionLowering& lowering, uint32_t local);
/// The same for the local that `name` declares.
void show_name(FunctionLowering& lowering, syntax::Node name);
/// A field of the encoder `owner`, at a slot.
void show_encoded(FunctionLowering& lowering, uint32_t local, Slot slot, types::TypeId type);
/// Parameters and definitions, which all of the function sees.
void show_parameter(FunctionLowering& lowering, uint32_t local, const Definition& parameter,
                    uint32_t number);
/// A definition is evaluated now: for those whose code does not note it.
void show_evaluated(FunctionLowering& lowering, const Definition& definition);
void show_revealed(FunctionLowering& lowering, Slot slot, uint64_t n_cells);
/// Fills in what is known at the end of a function.
void finish_debug(FunctionLowering& lowering);

/// The locals that are shown during its life go out of scope at its end.
class DebugScope {
 public:
  explicit DebugScope(FunctionLowering& lowering);
  ~DebugScope();
  DebugScope(const DebugScope&) = delete;
  auto operator=(const DebugScope&) -> DebugScope& = delete;

 private:
  FunctionLowering& lowering_;
  size_t n_open_;
};

/// The iterations of a `for` expression.
class DebugIterations {
 public:
  explicit DebugIterations(FunctionLowering& lowering) : scope_(lowering), lowering_(lowering) {
    ++lowering_.debug_level;
  }
  ~DebugIterations() { --lowering_.debug_level; }
  DebugIterations(const DebugIterations&) = delete;
  auto operator=(const DebugIterations&) -> DebugIterations& = delete;

 private:
  DebugScope scope_;
  FunctionLowering& lowering_;
};

}  // namespace tacet::interpret
