#pragma once

#include <optional>

#include "compiler/core/egraph/egraph.h"
#include "compiler/core/egraph/text.h"
#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/node_facts.h"

/// Circuits as terms of an e-graph.
namespace tacet::circuit {

/// What a term's operator is. Steps of rotations and loops of reductions are operands, so that
/// patterns can name them: `(rot ?x ?steps)`, `(sum ?x ?loop)`.
enum class TermKind : uint8_t { Computed, Steps, Loop };

/// A node without its operands, the steps of a rotation, or the loop of a reduction.
struct Term {
  TermKind kind = TermKind::Computed;
  Node node;

  friend auto operator==(const Term&, const Term&) -> bool = default;
};

struct TermHash {
  auto operator()(const Term& term) const -> size_t {
    return static_cast<size_t>(
        hash_combine(static_cast<uint64_t>(term.kind), NodeHash()(term.node)));
  }
};

/// Spells what patterns need: `+ - * rot swap sum product` and whole numbers.
class TermOps final : public egraph::OpSpelling {
 public:
  auto parse_op(std::string_view word) -> egraph::OpId override;
  [[nodiscard]] auto print_op(egraph::OpId op) const -> std::string override;

  auto id(const Term& term) -> egraph::OpId { return table_.id(term); }
  auto id(NodeKind kind) -> egraph::OpId { return table_.id({.node = {.kind = kind}}); }
  auto number(int64_t number) -> egraph::OpId { return table_.id({.node = {.number = number}}); }
  auto steps(LoopFormula formula) -> egraph::OpId;
  auto loop(LoopId loop) -> egraph::OpId;
  [[nodiscard]] auto operator[](egraph::OpId op) const -> const Term& { return table_[op]; }

 private:
  egraph::OpTable<Term, TermHash> table_;
};

/// The loop, or the steps, that a class of such a term stands for.
auto loop_of(const egraph::EGraph& graph, const TermOps& ops, egraph::ClassId id) -> LoopId;
auto steps_of(const egraph::EGraph& graph, const TermOps& ops, egraph::ClassId id)
    -> const LoopFormula&;

/// What is known of all terms of a class.
struct TermFact {
  std::optional<int64_t> number;  ///< in all slots
  /// On which its value depends at most: those that every term mentions.
  std::vector<LoopId> loops;
  std::vector<LoopId> bound;  ///< loops of reductions in any of its terms
  bool is_cipher = false;     ///< so are all its terms
  bool is_uniform = false;
  uint32_t depth = 0;  ///< of the least deep term
};

/// The analysis that keeps these facts; a class with a number is nothing but that number.
class TermDomain {
 public:
  using Fact = TermFact;

  /// `statements` has the facts of the roots of the circuit's statements. All three outlive it.
  TermDomain(TermOps& ops, const Circuit& circuit, const NodeFacts& nodes)
      : ops_(&ops), circuit_(&circuit), nodes_(&nodes) {}

  auto make(const egraph::EGraph& graph, const egraph::ENode& node,
            const egraph::ClassFacts<TermDomain>& facts) const -> TermFact;
  auto merge(TermFact& into, const TermFact& from) const -> egraph::DidMerge;
  void modify(egraph::EGraph& graph, egraph::ClassId id, const TermFact& fact);

 private:
  void add_leaf(const Node& node, TermFact& fact) const;
  void add_binary(NodeKind kind, const TermFact& a, const TermFact& b, TermFact& fact) const;
  void add_reduction(NodeKind kind, LoopId loop, TermFact& fact) const;

  TermOps* ops_;
  const Circuit* circuit_;
  const NodeFacts* nodes_;
};

}  // namespace tacet::circuit
