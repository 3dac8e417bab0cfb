#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "compiler/core/egraph/analysis.h"
#include "compiler/core/egraph/class_queue.h"
#include "compiler/core/egraph/enode.h"
#include "compiler/core/egraph/hashcons.h"
#include "compiler/core/egraph/ids.h"
#include "compiler/core/egraph/match_index.h"
#include "compiler/core/egraph/proof_forest.h"
#include "compiler/core/egraph/union_find.h"
#include "compiler/core/egraph/use_lists.h"

namespace tacet::egraph {

/// Whether a graph remembers why things are equal. Remembering keeps every term as it was
/// spelled and costs about twice the time and memory.
enum class Explanations : uint8_t { Off, On };

/// An e-graph: terms up to a congruence relation that grows (Willsey et al., egg, POPL 2021).
///
/// `add` and `merge` are cheap and leave the congruence to be restored by `rebuild` (deferred
/// rebuilding, section 3 there). Between them, `find` is exact for what was merged so far, while
/// `nodes` and `classes_with` are as of the last rebuild. All ids and orders depend on nothing
/// but the sequence of calls. A copy is a deep copy of flat arrays: cheap, so that changes can be
/// tried on one.
class EGraph {
 public:
  explicit EGraph(Explanations explanations = Explanations::Off);

  /// Attaches an analysis to a graph that is still empty.
  template <class Domain>
  auto attach(Domain domain) -> AnalysisKey<Domain> {
    return {attach_hooks(std::make_unique<ClassFacts<Domain>>(std::move(domain)))};
  }

  /// The fact of the class that `id` belongs to.
  template <class Domain>
  [[nodiscard]] auto fact(AnalysisKey<Domain> key, ClassId id) const -> const
      typename Domain::Fact& {
    return static_cast<const ClassFacts<Domain>&>(analyses_[key.slot]).of(*this, id);
  }

  // Growing.

  /// The class of `op(children)`, which is new if no such term was known. With explanations the
  /// id stands for exactly this term, spelled with the terms that `children` stand for.
  auto add(OpId op, std::span<const ClassId> children) -> ClassId;
  auto add(OpId op, std::initializer_list<ClassId> children) -> ClassId {
    return add(op, std::span(children.begin(), children.size()));
  }

  /// Makes two classes one; false if they were already. Congruence waits for `rebuild`.
  auto merge(ClassId a, ClassId b, Reason reason = {}) -> bool;

  /// Restores the congruence, brings analyses to their fixpoint and indexes what changed. Costs
  /// what changed since the last time, not what there is. Returns the number of merges it made.
  auto rebuild() -> size_t;

  /// Whether there is nothing to rebuild.
  [[nodiscard]] auto is_clean() const -> bool { return changed_.is_empty(); }

  /// Takes all nodes of the class out of it but those with the operator `kept`: they are not
  /// matched or extracted any more, though terms built with them still belong to the class. For a
  /// domain's `modify`, when one node says it all (a constant). Takes effect on `nodes` at the
  /// next rebuild.
  void prune_to(ClassId id, OpId kept);

  // Looking.

  /// The class that `id` belongs to: two ids are known to be equal if this is equal.
  [[nodiscard]] auto find(ClassId id) const -> ClassId { return unions_.find(id); }

  [[nodiscard]] auto are_equal(ClassId a, ClassId b) const -> bool { return find(a) == find(b); }

  /// The class of `op(children)` if the term is known, else no class. Finds terms modulo
  /// congruence on a clean graph; on another one it may miss some.
  [[nodiscard]] auto lookup(OpId op, std::span<const ClassId> children) const -> ClassId;
  [[nodiscard]] auto lookup(OpId op, std::initializer_list<ClassId> children) const -> ClassId {
    return lookup(op, std::span(children.begin(), children.size()));
  }

  /// The nodes of a class as of the last rebuild, by operator, then by age.
  [[nodiscard]] auto nodes(ClassId id) const -> std::span<const ENode> {
    return index_.members(find(id));
  }

  /// The nodes of a class that have this operator.
  [[nodiscard]] auto nodes(ClassId id, OpId op) const -> std::span<const ENode> {
    return index_.members(find(id), op);
  }

  [[nodiscard]] auto children(const ENode& node) const -> std::span<const ClassId> {
    return {children_.data() + node.first_child, node.n_children};
  }

  [[nodiscard]] auto node(NodeId id) const -> const ENode& { return nodes_[id.index]; }

  /// The classes that had a node with this operator at the last rebuild, oldest first. May name
  /// absorbed classes, for which `is_class` does not hold.
  [[nodiscard]] auto classes_with(OpId op) const -> std::span<const ClassId> {
    return index_.classes_with(op);
  }

  /// Whether `id` is the id of a class, rather than of one that was absorbed into another.
  [[nodiscard]] auto is_class(ClassId id) const -> bool { return unions_.is_root(id); }

  /// All classes, oldest first.
  [[nodiscard]] auto classes() const -> std::vector<ClassId>;

  /// The nodes that have `id` as a child, as of the last rebuild; those with it twice are there
  /// twice. Nodes that were pruned are among them.
  [[nodiscard]] auto users(ClassId id) const -> std::vector<NodeId>;

  /// Whether the node is a member of its class: neither pruned nor equal to an older node.
  [[nodiscard]] auto is_member(NodeId id) const -> bool {
    return state_[id.index] == NodeState::Member;
  }

  /// The number of distinct nodes up to congruence, of ids that were ever given out, of classes.
  [[nodiscard]] auto n_nodes() const -> size_t { return hashcons_.size(); }
  [[nodiscard]] auto n_ids() const -> size_t { return nodes_.size(); }
  [[nodiscard]] auto n_classes() const -> size_t { return n_classes_; }

  // Explanations (see explain.h).

  [[nodiscard]] auto has_explanations() const -> bool { return explanations_ == Explanations::On; }
  /// The children with which the node was spelled. Needs explanations.
  [[nodiscard]] auto spelling(NodeId id) const -> std::span<const ClassId>;
  [[nodiscard]] auto proofs() const -> const ProofForest& { return proofs_; }

 private:
  enum class NodeState : uint8_t {
    Member,  ///< in its class and in the hashcons
    Pruned,  ///< in the hashcons only
    Twin,    ///< congruent to a node that stays; nowhere
  };

  /// A class that became part of another one, whose users must be canonicalised.
  struct Absorbed {
    ClassId id;
    bool facts_changed = false;
  };

  auto attach_hooks(std::unique_ptr<AnalysisHooks> hooks) -> uint32_t;
  [[nodiscard]] auto find_canonical(OpId op, std::span<const ClassId> children, uint32_t hash) const
      -> NodeId;
  auto new_node(OpId op, std::span<const ClassId> canonical, std::span<const ClassId> spelled,
                NodeState state) -> NodeId;
  auto add_spelled(OpId op, std::span<const ClassId> children) -> ClassId;
  void queue_modify(ClassId id);
  auto merge_roots(ClassId a, ClassId b) -> ClassId;

  // rebuild.cpp
  void absorb_uses(Absorbed absorbed);
  auto canonicalise(NodeId id) -> bool;
  void remake(NodeId id);
  void spread_facts(ClassId id);
  auto collect_members(ClassId id) -> std::span<const ENode>;

  Explanations explanations_;
  size_t n_classes_ = 0;
  size_t n_merges_ = 0;

  // By id.
  std::vector<ENode> nodes_;
  std::vector<NodeState> state_;
  UnionFind unions_;
  std::vector<NodeId> next_in_class_;  // a ring

  // By slot of a child.
  std::vector<ClassId> children_;
  std::vector<ClassId> spelled_;  // with explanations only

  UseLists uses_;
  Hashcons hashcons_;
  Hashcons spellings_;  // with explanations only
  ProofForest proofs_;
  MatchIndex index_;

  // Work for rebuild.
  std::vector<Absorbed> absorbed_;
  ClassQueue facts_changed_;
  ClassQueue to_modify_;
  ClassQueue changed_;  // to be indexed

  AnalysisList analyses_;
  bool wants_modify_ = false;

  // Scratch space, kept to save allocations.
  std::vector<ClassId> canonical_;
  std::vector<ENode> collected_;
};

template <class Domain>
auto ClassFacts<Domain>::of(const EGraph& graph, ClassId id) const -> const Fact& {
  return facts_[graph.find(id).index];
}

}  // namespace tacet::egraph
