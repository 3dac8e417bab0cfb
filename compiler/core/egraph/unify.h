#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/core/egraph/egraph.h"

namespace tacet::egraph {

/// What unification needs to know about the client's language.
struct UnifyRules {
  static constexpr uint32_t kNoLabel = UINT32_MAX;

  /// The label of a class: two classes with different labels are never made one.
  std::function<uint32_t(ClassId id)> label;

  /// Whether an operator determines its children: if `f(a) = f(b)` then `a = b`, and `f(a)` is
  /// never `g(b)`. Nodes with other operators are left alone.
  std::function<bool(OpId op)> is_rigid;

  using Pairs = std::vector<std::pair<ClassId, ClassId>>;
  /// Pairs the children of two rigid nodes that are to be equal; false if they cannot be. Without
  /// it: the same operator, as many children, one by one.
  std::function<bool(const ENode& left, const ENode& right, Pairs& children)> pair_children = {};
};

/// Which pairs of classes have to be one if the first pair is, and the first reason why they
/// cannot be.
struct Unification {
  static constexpr uint32_t kNoCause = UINT32_MAX;

  struct Pair {
    ClassId left;
    ClassId right;
    uint32_t cause = kNoCause;  ///< the pair whose children these are
    uint32_t position = 0;      ///< which of its children
  };

  struct Conflict {
    enum class Kind : uint8_t { Labels, Nodes };

    Kind kind = Kind::Labels;
    uint32_t pair = 0;  ///< in `pairs`
    ClassId left;       ///< the labelled classes, or
    ClassId right;
    NodeId left_node;  ///< the nodes that do not fit
    NodeId right_node;
  };

  std::vector<Pair> pairs;
  std::optional<Conflict> conflict;

  /// The child positions that lead from the first pair to this one.
  [[nodiscard]] auto path_to(uint32_t pair) const -> std::vector<uint32_t>;
};

/// Works out what it takes to make `left` and `right` one (unification closure, downwards; see
/// Baader and Snyder, Unification Theory, 2001, section 2.3). Changes nothing, so that candidates
/// can be tried: its cost is that of the part of the graph it looks at. Goes breadth first, so
/// that a conflict is one nearest to the top, and leftmost there.
auto plan_unification(const EGraph& graph, ClassId left, ClassId right, const UnifyRules& rules)
    -> Unification;

/// Makes the planned pairs one and rebuilds; returns whether anything changed. The plan has no
/// conflict and was made for this graph as it is.
auto commit(EGraph& graph, const Unification& plan, Reason reason) -> bool;

}  // namespace tacet::egraph
