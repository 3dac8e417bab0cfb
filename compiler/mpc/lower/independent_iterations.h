#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "compiler/device/kernel/kernel.h"
#include "compiler/mpc/lower/recurrences.h"

/// Private to this folder.
namespace tacet::mpc_lower {

/// What all iterations of a loop do to a variable that somebody else sees.
enum class IterationEffect : uint8_t {
  Sum,      ///< each adds to it, or subtracts
  Product,  ///< each multiplies it
  Min,
  Max,  ///< each takes it or something else
  And,
  Or,
  Xor,            ///< of truth values
  Shared,         ///< an array; no two iterations touch the same element
  Summed,         ///< an array; each iteration adds to elements, perhaps the same ones
  Last,           ///< each assigns it before it reads it
  Carried,        ///< a recurrence, of which the end alone is read
  CarriedForAll,  ///< one that is read in each iteration, behind its assignment
  Selected,       ///< one of a `Selection`, or the outcome of its comparison
};

/// What a reduction begins with, so that joining its result changes nothing else.
auto neutral_cell(IterationEffect effect, engine::ElementType element) -> engine::Cell;

/// A loop whose iterations may run side by side: what they do to the variables that are written in
/// them. What is not in it belongs to the iteration.
struct IndependentIterations {
  std::map<kernel::VariableId, IterationEffect> effects;
  std::vector<Selection> selections{};
  /// Recurrences that are read in front of their assignment, too: where that is in the body.
  std::map<kernel::VariableId, size_t> early{};
  /// In which order to run the statements of the body, where that is not the text's.
  std::vector<size_t> order{};

  [[nodiscard]] auto is(kernel::VariableId variable, IterationEffect effect) const -> bool {
    const auto found = effects.find(variable);
    return found != effects.end() && found->second == effect;
  }
  /// That the variable is one of, or the outcome.
  [[nodiscard]] auto selection_of(kernel::VariableId variable) const -> const Selection* {
    for (const Selection& selection : selections) {
      if (selection.values.contains(variable) || selection.outcome == variable) {
        return &selection;
      }
    }
    return nullptr;
  }
};

/// How the variables of one kernel are used, which must outlive it.
class IterationAnalysis {
 public:
  explicit IterationAnalysis(const kernel::Kernel& kernel);

  /// Whether the iterations of `loop`, whose counter goes by `step`, may run side by side; by form
  /// alone. O(size of the body · log).
  [[nodiscard]] auto of(const kernel::For& loop, int64_t step) const
      -> std::optional<IndependentIterations>;
  /// What all updates of a variable in a block do to it, if nothing else there reads it.
  [[nodiscard]] auto reduction_of(kernel::VariableId variable, const kernel::Block& body) const
      -> std::optional<IterationEffect> {
    return reduction(variable, body);
  }
  /// The variables that a block may read before it has assigned them.
  [[nodiscard]] auto exposed(const kernel::Block& block) const -> std::set<kernel::VariableId>;
  /// The variables that it has assigned wherever it ends: behind it, or at a `break` or `continue`.
  [[nodiscard]] auto assigned(const kernel::Block& block) const -> std::set<kernel::VariableId>;
  /// Is it read anywhere but in the block?
  [[nodiscard]] auto is_read_outside(kernel::VariableId variable, const kernel::Block& block) const
      -> bool;
  /// Nodes of statements and expressions in a block.
  [[nodiscard]] auto size_of(const kernel::Block& block) const -> size_t;

 private:
  using Variables = std::set<kernel::VariableId>;
  using Reads = std::unordered_map<kernel::VariableId, size_t>;
  using Indices = std::vector<kernel::ExprId>;
  /// offset + the sum of factor · variable.
  struct Form {
    int64_t offset = 0;
    std::map<kernel::VariableId, int64_t> terms{};
  };
  struct Flow {
    Variables assigned{};
    Variables exposed{};
    bool is_left = false;                 ///< what follows is not reached
    std::optional<Variables> at_exits{};  ///< assigned at each `break` and `continue`
  };

  void flow(const kernel::Block& block, Flow& flow) const;
  void flow(const kernel::Statement& statement, Flow& flow) const;
  void flow(const kernel::If& branch, Flow& flow) const;
  void flow(const kernel::SecretRegion& region, Flow& flow) const;
  void flow_through_loop(const kernel::Statement& loop, Flow& flow) const;
  void read(kernel::ExprId expr, Flow& flow) const;
  auto reads_in(const kernel::Block& block) const -> Reads;
  auto reads_of(kernel::VariableId variable, kernel::ExprId expr) const -> size_t;
  auto is_same(kernel::ExprId left, kernel::ExprId right) const -> bool;
  auto is_read_of(kernel::VariableId variable, kernel::ExprId expr) const -> bool;

  auto effect_on(kernel::VariableId variable, const kernel::For& loop, int64_t step,
                 const Flow& flow) const -> std::optional<IterationEffect>;
  /// Selections whose outcomes nobody else sees.
  auto selections_in(const kernel::Block& body) const -> std::vector<Selection>;
  auto reduction(kernel::VariableId variable, const kernel::Block& body) const
      -> std::optional<IterationEffect>;
  /// How a value is made of what the variable held; how often that is read is added to `n`.
  auto reduction(kernel::VariableId variable, kernel::ExprId value, size_t& n) const
      -> std::optional<IterationEffect>;
  auto extremum(kernel::VariableId variable, const kernel::Select& select, size_t& n) const
      -> std::optional<IterationEffect>;
  auto is_summed(kernel::VariableId array, const kernel::Block& body) const -> bool;
  auto adds_to(const kernel::StoreElement& store, kernel::ExprId value, size_t& n) const -> bool;
  auto is_shared(kernel::VariableId array, const kernel::For& loop, int64_t step) const -> bool;
  /// The indices of the elements that a block reads or writes; none if it uses the array otherwise.
  auto accesses_to(kernel::VariableId array, const kernel::Block& block) const
      -> std::optional<std::vector<Indices>>;
  /// Do the accesses keep within a step of factor · counter + one rest, in this dimension?
  auto is_apart_along(size_t dimension, const std::vector<Indices>& accesses,
                      const kernel::For& loop, int64_t step) const -> bool;
  auto form_of(kernel::ExprId expr) const -> std::optional<Form>;
  static auto joined(types::Operator op, Form left, const Form& right) -> std::optional<Form>;

  const kernel::Kernel& kernel_;
  Reads reads_;
  /// The value of what is assigned once, as a whole.
  std::unordered_map<kernel::VariableId, kernel::ExprId> definitions_;
};

/// The parts of a conjunction.
auto conjuncts_of(const kernel::Kernel& kernel, kernel::ExprId condition)
    -> std::vector<kernel::ExprId>;

/// `a if a < b else b`, also under conditions: `a if c && a < b else b`.
struct Extremum {
  bool is_minimum = true;
  kernel::ExprId then{}, otherwise{};
  std::vector<kernel::ExprId> conditions{};  ///< all others; where one fails it is `otherwise`
};
auto find_extremum(const kernel::Kernel& kernel, const kernel::Select& select)
    -> std::optional<Extremum>;

/// Does `expr` name the element that `store` stores to?
auto names_element(const kernel::Kernel& kernel, const kernel::StoreElement& store,
                   kernel::ExprId expr) -> bool;
/// The same but for places in the text.
auto is_same_expr(const kernel::Kernel& kernel, kernel::ExprId left, kernel::ExprId right) -> bool;

}  // namespace tacet::mpc_lower
