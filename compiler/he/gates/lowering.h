#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/oblivious/ranges.h"
#include "compiler/he/gates/lower.h"

/// Private to this folder.
namespace tacet::gates {

/// What an expression is: a word for each element.
struct Value {
  std::vector<Word> cells;
};

/// The state of `lower`.
struct KernelLowering {
  const kernel::Kernel& kernel;
  const LoweringOptions& options;
  GraphBuilder build{};
  oblivious::Ranges ranges{kernel};
  std::vector<Value> held{};  ///< by variable; without cells while nothing was assigned
  std::vector<Value> returned{};
  /// Whether what is being lowered is evaluated at all: what public conditions around it say.
  Signal reached = kTrue;
  std::optional<Diagnostic> problem{};
  uint64_t n_steps = 0;
};

auto signedness_of(engine::ElementType type) -> Signedness;
auto width_of(engine::ElementType type) -> size_t;
auto n_cells(const kernel::Type& type) -> size_t;

/// What a word is if all of its bits are known, as a cell of the type.
auto known_cell(const Word& word, engine::ElementType type) -> std::optional<engine::Cell>;
auto word_of(engine::Cell cell, engine::ElementType type) -> Word;

auto variable(KernelLowering& lowering, kernel::VariableId id) -> Value&;

/// Sticks, unless it is stuck already: from then on values are 0.
void stick(KernelLowering& lowering, FileRange place, std::string message, std::string note,
           DiagnosticCode code = DiagnosticCode::T6001);
/// Counts what is done; false if it is stuck, or too much.
auto may_continue(KernelLowering& lowering, FileRange place) -> bool;

/// What everybody may know of a public fault.
struct PublicFault {
  DiagnosticCode code;  ///< if it is certain
  FileRange place;
  std::string certain;
  std::string possible;
  std::string hint;
};

/// Sticks unless `fault` can be seen to be false where this is reached: circuits have no faults.
void rule_out(KernelLowering& lowering, Signal fault, const PublicFault& what);
/// The faults of an operation whose right operand is public.
void check_operand(KernelLowering& lowering, const kernel::Binary& node, FileRange place,
                   const Word& right);
/// Those of the indices of a store.
void check_indices(KernelLowering& lowering, const kernel::StoreElement& node);

auto value(KernelLowering& lowering, kernel::ExprId id) -> Value;
/// Of a scalar.
auto word(KernelLowering& lowering, kernel::ExprId id) -> Word;
/// Of a scalar that must be known; sticks if it is not, and says what it is for.
auto known(KernelLowering& lowering, kernel::ExprId id, const std::string& what)
    -> std::optional<engine::Cell>;

/// Words of the elements at the indices: the place of the first if all are known, else a bit for
/// each that says whether it is meant.
struct Place {
  bool is_inside = true;
  size_t first = 0;
  std::vector<Signal> hot{};  ///< empty if the place is known
};

auto place_of(KernelLowering& lowering, const std::vector<kernel::ExprId>& indices,
              const std::vector<int64_t>& extents) -> Place;

auto apply(KernelLowering& lowering, kernel::ExprId id, const kernel::Apply& node) -> Value;
auto binary(KernelLowering& lowering, engine::BinaryOperation operation, engine::ElementType type,
            const Word& left, const Word& right) -> Word;
auto cast(KernelLowering& lowering, engine::ElementType from, engine::ElementType to,
          const Word& operand) -> Word;

}  // namespace tacet::gates
