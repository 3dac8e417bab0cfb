#pragma once

#include "compiler/core/egraph/extract_dag.h"
#include "compiler/core/egraph/saturate.h"
#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/rules.h"

namespace tacet::circuit {

/// Whether a rule of this name is wanted.
using RuleFilter = std::function<bool(std::string_view name)>;

/// All the circuits that rules make of one, in an e-graph.
class Forms {
 public:
  /// The circuit outlives it.
  explicit Forms(const Circuit& circuit);
  Forms(const Forms&) = delete;
  auto operator=(const Forms&) -> Forms& = delete;
  ~Forms() = default;

  /// Adds what the rules find that are wanted.
  auto grow(const egraph::SaturationOptions& options, const RuleFilter& is_wanted = {})
      -> egraph::SaturationReport;

  /// Names of all rules.
  [[nodiscard]] auto rule_names() const -> std::vector<std::string>;

  /// What the operation of a node costs for all values of the loops that it needs, if its operands
  /// are as cheap as can be; nothing for what is there before the circuit runs.
  [[nodiscard]] auto cost(const egraph::ENode& node, const Weights& weights) const -> double;

  /// How much deeper a node is than its operands: 0 if it is no product of ciphertexts.
  [[nodiscard]] auto levels(const egraph::ENode& node) const -> uint32_t;

  /// The circuit that consists of these nodes; nothing if it is not valid, as loops may be bound
  /// twice.
  [[nodiscard]] auto circuit_of(const egraph::Choice& choice) const -> std::optional<Circuit>;

  [[nodiscard]] auto graph() const -> const egraph::EGraph& { return graph_; }
  [[nodiscard]] auto roots() const -> const std::vector<egraph::ClassId>& { return roots_; }

 private:
  [[nodiscard]] auto fact(egraph::ClassId id) const -> const TermFact& {
    return graph_.fact(key_, id);
  }
  [[nodiscard]] auto n_evaluations(const egraph::ENode& node) const -> double;

  const Circuit* circuit_;
  NodeFacts nodes_;
  TermOps ops_;
  egraph::EGraph graph_;
  TermKey key_;
  std::vector<egraph::Rewrite> rules_;
  std::vector<egraph::ClassId> roots_;  // by statement
};

}  // namespace tacet::circuit
