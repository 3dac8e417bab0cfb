#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// Loops whose iterations depend on the one before, in a way that has a closed form for several
/// iterations at once: then a tree does in log n steps what the loop does in n. By form alone;
/// `lane_recurrences.h` computes them. Private to this folder.
namespace tacet::mpc_lower {

/// Is a value of an integer or a truth value `a * variable + b`, with a and b of other variables?
/// Of truth values in the field of two elements: sums are `^`, products `&`. O(size of the value).
auto is_affine_in(const kernel::Kernel& kernel, kernel::VariableId variable, kernel::ExprId value)
    -> bool;

/// Variables that take new values together, where a key is before what they hold, and perhaps where
/// something else is so:
///
///     if counts[i] && x > best { best = x; at = i; }
struct Selection {
  kernel::VariableId key{};
  /// What the key is compared with, and becomes; and the comparison, with `candidate` on the left.
  kernel::ExprId candidate{};
  types::Operator comparison = types::Operator::Gt;
  std::vector<kernel::ExprId> conditions{};  ///< all others
  /// By variable, the key among them: what it becomes.
  std::map<kernel::VariableId, kernel::ExprId> values{};
  /// The variable of the loop that holds the outcome of the comparison, if there is one, and who is
  /// selected by it; the others compare for themselves.
  std::optional<kernel::VariableId> outcome{};
  std::set<kernel::VariableId> by_outcome{};
};

/// How the statements that stand directly in a loop's body carry variables from iteration
/// to iteration. O(size of the body · variables).
class Recurrences {
 public:
  Recurrences(const kernel::Kernel& kernel, const kernel::Block& body);

  /// Is the variable assigned once, an affine function of what it held, and read only behind that?
  [[nodiscard]] auto is_affine(kernel::VariableId variable) const -> bool;
  /// The same, but read before its assignment, too: what it held before the iteration.
  [[nodiscard]] auto is_affine_from_before(kernel::VariableId variable) const -> bool;
  /// The statement of the body that assigns it; it is assigned once.
  [[nodiscard]] auto assignment_of(kernel::VariableId variable) const -> size_t {
    return assigned(variable)->at;
  }
  /// An order of the statements in which assignments of `early` come before all else that reads
  /// these variables, if what is assigned does not depend on that; every other statement stays
  /// behind those that it depends on. Nothing for more than 1,000 statements. O(statements^2 ·
  /// variables).
  [[nodiscard]] auto order_with_first(const std::set<kernel::VariableId>& early) const
      -> std::optional<std::vector<size_t>>;
  /// Is it read behind its assignment?
  [[nodiscard]] auto is_read_later(kernel::VariableId variable) const -> bool;
  /// Selections whose variables nothing else in the body reads.
  [[nodiscard]] auto selections() const -> std::vector<Selection>;

 private:
  struct Assigned {
    size_t at = 0;  ///< the statement
    kernel::ExprId value{};
  };

  [[nodiscard]] auto assigned(kernel::VariableId variable) const -> const Assigned*;
  /// Whether a statement must stay behind an earlier one of the text.
  [[nodiscard]] auto must_follow(size_t later, size_t earlier,
                                 const std::set<kernel::VariableId>& early) const -> bool;
  [[nodiscard]] auto reads_between(kernel::VariableId variable, size_t begin, size_t end) const
      -> size_t;
  /// Does a statement write to a variable that the value is made of?
  [[nodiscard]] auto changes_between(kernel::ExprId value, size_t begin, size_t end) const -> bool;
  /// The comparison that decides, and the variable that holds its outcome.
  [[nodiscard]] auto condition_of(kernel::ExprId condition) const
      -> std::pair<kernel::ExprId, std::optional<kernel::VariableId>>;
  [[nodiscard]] auto selection_by(kernel::VariableId key) const -> std::optional<Selection>;
  [[nodiscard]] auto is_closed(const Selection& selection) const -> bool;

  const kernel::Kernel& kernel_;
  const kernel::Block& body_;
  std::map<kernel::VariableId, Assigned>
      assigned_;  ///< of those that are assigned once, in the body
  std::vector<std::map<kernel::VariableId, size_t>> reads_;  ///< by statement
  std::vector<std::set<kernel::VariableId>> writes_;         ///< likewise
};

}  // namespace tacet::mpc_lower
