#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// What numbers expressions can have.
namespace tacet::oblivious {

/// lower <= value <= upper, in which every integer kind fits.
struct Range {
  __int128 lower = 0;
  __int128 upper = 0;

  [[nodiscard]] auto contains(__int128 value) const -> bool {
    return lower <= value && value <= upper;
  }
  [[nodiscard]] auto is_within(const Range& other) const -> bool {
    return other.lower <= lower && upper <= other.upper;
  }

  friend auto operator==(const Range&, const Range&) -> bool = default;
};

/// All values of an integer kind; of `fxp` all of its cells.
auto range_of_type(engine::ElementType type) -> Range;

/// The ranges of a kernel's expressions, from the declared bounds of parameters, from types,
/// constants and the bounds of loops. A variable has one range everywhere: that of all that is ever
/// assigned to it. What depends on itself has the range of its type. Of an array it is the range of
/// every element; reading beyond its end gives 0, which is counted in.
///
/// Intervals only: a condition around an expression does not narrow it.
class Ranges {
 public:
  /// How far a variable is followed that depends on itself: not at all, or where what is added to
  /// it in each iteration of loops is known, as in `s = s + x[i]`, by the number of iterations. The
  /// latter is slower.
  enum class Loops : uint8_t { Ignored, Counted };

  /// The kernel must stay alive; nodes may be added to it, not changed.
  explicit Ranges(const kernel::Kernel& kernel, Loops loops = Loops::Ignored);

  /// O(size of the expression), after the first time for its variables.
  auto of(kernel::ExprId expr) -> Range;
  auto of_variable(kernel::VariableId variable) -> Range;
  /// Can no value of `expr` be 0? Also true of `d if d != 0 else 1`.
  auto is_nonzero(kernel::ExprId expr) -> bool;

 private:
  struct Loop {
    kernel::ExprId lower, upper;
  };
  struct Assigned {
    kernel::ExprId value;
    std::vector<kernel::StatementId> loops{};  ///< around it
  };
  /// What a variable is after an assignment: something else, or what one of its cycle was, with
  /// something added.
  struct Change {
    std::optional<Range> start{};
    std::optional<Range> added{};
  };
  /// Where a variable gets its values.
  struct Sources {
    std::vector<Assigned> values{};
    std::vector<Loop> loops{};
    bool is_known = true;  ///< nothing else assigns to it
  };

  void collect(const kernel::Block& block);
  auto of_node(const kernel::Expr& expr) -> Range;
  auto of_function(const kernel::Apply& apply) -> Range;
  auto of_draw(const kernel::Expr& expr, const kernel::Draw& draw) -> Range;
  auto of_binary(const kernel::Binary& binary) -> Range;
  auto of_sources(kernel::VariableId variable) -> Range;
  auto of_sums(kernel::VariableId variable) -> std::optional<Range>;
  auto sum_of(const std::set<kernel::VariableId>& cycle) -> std::optional<Range>;
  auto read_by(kernel::VariableId variable) -> const std::set<kernel::VariableId>&;
  auto cycle_of(kernel::VariableId variable) -> std::set<kernel::VariableId>;
  auto mentions(kernel::ExprId expr, const std::set<kernel::VariableId>& cycle) const -> bool;
  auto change_by(kernel::ExprId expr, const std::set<kernel::VariableId>& cycle) -> Change;
  auto exact(kernel::ExprId expr, const std::set<kernel::VariableId>& cycle, const Range& assumed)
      -> std::optional<Range>;
  auto iterations_of(const std::vector<kernel::StatementId>& loops) -> std::optional<__int128>;

  const kernel::Kernel& kernel_;
  Loops loops_;
  std::vector<kernel::StatementId> around_;  ///< loops, while sources are collected
  std::unordered_map<kernel::VariableId, Sources> sources_;
  std::unordered_map<kernel::VariableId, Range> ranges_;
  std::unordered_map<kernel::VariableId, std::set<kernel::VariableId>> read_;
  std::unordered_map<kernel::VariableId, int64_t> extents_;  ///< of indices of `Tabulate`
};

}  // namespace tacet::oblivious
