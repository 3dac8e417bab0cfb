#pragma once

#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// The proof forest of Nieuwenhuis and Oliveras (Proof-Producing Congruence Closure, RTA 2005):
/// a tree per class whose nodes are terms and whose edges are the merges that made the class,
/// each with its reason. The path between two terms says why they are equal.
class ProofForest {
 public:
  /// An edge from a term to its parent in the tree. `reason` leads from `from` to `to`.
  struct Edge {
    NodeId from;
    NodeId to;
    Reason reason;
    /// The reason was given for (`to`, `from`), in this order.
    bool reversed = false;
  };

  void add_term() { edges_.emplace_back(); }

  /// Joins the trees of two terms that are not yet in one. Costs the depth of `from` in its tree,
  /// which should be the smaller one; `reversed` says that the reason was given for (`to`, `from`).
  void link(NodeId from, NodeId to, Reason reason, bool reversed);

  /// The path between two terms, edge by edge; empty if they are the same or not connected.
  [[nodiscard]] auto path(NodeId from, NodeId to) const -> std::vector<Edge>;

 private:
  struct Up {
    NodeId parent;
    Reason reason;
    bool reversed = false;
  };

  void make_root(NodeId term);

  std::vector<Up> edges_;  // by term
};

}  // namespace tacet::egraph
