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

/// So many bits, the lowest first; those above are clear, or copies of a sign.
struct Format {
  size_t width = 0;
  Signedness signedness = Signedness::Unsigned;
};

/// What the numbers of a range need at least, of those of the type.
auto format_of(const kernel::Bound& bound, engine::ElementType type) -> Format;

/// The state of `lower`.
struct KernelLowering {
  const kernel::Kernel& kernel;
  const LoweringOptions& options;
  GraphBuilder build{};
  oblivious::Ranges ranges{kernel, oblivious::Ranges::Loops::Counted};
  /// By expression, once it was needed: what a word of it is.
  std::vector<std::optional<Format>> formats{};
  std::vector<Value> held{};  ///< by variable; without cells while nothing was assigned
  std::vector<Value> returned{};
  /// Whether what is being lowered is evaluated at all: what public conditions around it say.
  Signal reached = kTrue;
  std::optional<Diagnostic> problem{};
  uint64_t n_steps = 0;
  Origins origins{};
  /// By their expressions; without values if these differ from time to time.
  std::map<kernel::ExprId, TableRead> tables{};
  std::vector<uint64_t> last_iterations{};  ///< by origin: in which it was reached last
  uint64_t iteration = 1;                   ///< of the innermost loop, no other has its number
  uint64_t n_iterations = 1;
};

/// While there is one, gates are made for an expression or a statement.
class OriginScope {
 public:
  OriginScope(KernelLowering& lowering, uint32_t origin);
  OriginScope(const OriginScope&) = delete;
  auto operator=(const OriginScope&) -> OriginScope& = delete;
  ~OriginScope() { lowering_.build.set_origin(outer_); }

 private:
  KernelLowering& lowering_;
  uint32_t outer_;
};

/// While there is one, a loop runs, each of whose iterations starts with `next`.
class LoopScope {
 public:
  explicit LoopScope(KernelLowering& lowering) : lowering_(lowering), outer_(lowering.iteration) {}
  LoopScope(const LoopScope&) = delete;
  auto operator=(const LoopScope&) -> LoopScope& = delete;
  ~LoopScope() { lowering_.iteration = outer_; }
  void next() { lowering_.iteration = ++lowering_.n_iterations; }

 private:
  KernelLowering& lowering_;
  uint64_t outer_;
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

auto indices_of(KernelLowering& lowering, const std::vector<kernel::ExprId>& ids)
    -> std::vector<Word>;
/// `words` are those of the indices.
auto place_of(KernelLowering& lowering, const std::vector<kernel::ExprId>& indices,
              const std::vector<Word>& words, const std::vector<int64_t>& extents) -> Place;

auto apply(KernelLowering& lowering, kernel::ExprId id, const kernel::Apply& node) -> Value;
auto binary(KernelLowering& lowering, engine::BinaryOperation operation, engine::ElementType type,
            const Word& left, const Word& right) -> Word;
auto cast(KernelLowering& lowering, engine::ElementType from, engine::ElementType to,
          const Word& operand) -> Word;

}  // namespace tacet::gates
