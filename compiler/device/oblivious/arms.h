#pragma once

#include <map>
#include <vector>

#include "compiler/device/oblivious/occurrences.h"
#include "compiler/device/oblivious/transform_expr.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

/// The secret arms around a place, from the outside in: what stands for which variable there, and
/// whether they are all taken.
class Arms {
 public:
  Arms(Writer& writer, const kernel::Kernel& source);

  [[nodiscard]] auto is_empty() const -> bool { return arms_.empty(); }

  /// Goes into the arm with the statements `block` of the source, which is taken if `predicate`
  /// says so. `stored` are the arrays of which an `if` around it writes elements.
  void enter(kernel::ExprId predicate, const kernel::Block& block, const VariableSet& stored);
  /// What is in an arm for a variable of the source.
  struct Own {
    kernel::VariableId source, own;
  };
  /// Goes out again. What must stand at the arm's beginning, and by what variables are called
  /// outside, what they are called in it.
  struct Left {
    kernel::Block prologue;
    std::map<kernel::VariableId, Own> own;
  };
  auto leave() -> Left;

  /// What `variable` of the source is called here.
  [[nodiscard]] auto name(kernel::VariableId variable) const -> kernel::VariableId;
  auto renamed(kernel::ExprId expr) -> kernel::ExprId;
  /// Whether all arms are taken for which `variable` is something of the outside and has no
  /// variable of its own; none if there are none.
  auto predicate(kernel::VariableId variable) -> std::optional<kernel::ExprId>;

 private:
  struct Arm {
    kernel::ExprId predicate;
    VariableSet locals{};  ///< what is used nowhere else
    Left left{};
    std::map<size_t, kernel::ExprId> conjunctions{};  ///< with all arms from that one on
    Renames outer{};                                  ///< what held outside
  };

  auto conjunction(size_t from) -> kernel::ExprId;

  Writer& writer_;
  const kernel::Kernel& source_;
  OccurrenceCounts occurrences_;
  std::vector<Arm> arms_;
  Renames renames_;
};

}  // namespace tacet::oblivious
