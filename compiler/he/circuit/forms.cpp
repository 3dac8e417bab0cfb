#include "compiler/he/circuit/forms.h"

#include <algorithm>

#include "compiler/he/circuit/validate.h"

namespace tacet::circuit {

using egraph::ClassId;
using egraph::ENode;

Forms::Forms(const Circuit& circuit)
    : circuit_(&circuit),
      nodes_(node_facts(circuit)),
      key_(graph_.attach(TermDomain(ops_, circuit, nodes_))),
      rules_(circuit_rules(ops_, circuit, key_)) {
  std::vector<ClassId> class_of(circuit.nodes.size());
  for (const NodeId id : nodes_.order.nodes) {
    const Node& node = circuit.nodes[id];
    std::vector<ClassId> operands;
    for (const NodeId operand : {node.a, node.b}) {
      if (operand.has_value()) {
        operands.push_back(class_of[operand.index]);
      }
    }
    Term term{.kind = TermKind::Computed, .node = node};
    term.node.a = term.node.b = {};
    if (node.kind == NodeKind::Rotate) {
      operands.push_back(graph_.add(ops_.steps(node.formulas[0]), {}));
      term.node.formulas.clear();
    }
    if (node.loop.has_value()) {
      operands.push_back(graph_.add(ops_.loop(node.loop), {}));
      term.node.loop = {};
    }
    class_of[id.index] = graph_.add(ops_.id(term), operands);
  }
  for (const Statement& statement : circuit.statements) {
    roots_.push_back(class_of[statement.root.index]);
  }
  graph_.rebuild();
}

auto Forms::rule_names() const -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const egraph::Rewrite& rule : rules_) {
    names.push_back(rule.name);
  }
  return names;
}

auto Forms::grow(const egraph::SaturationOptions& options, const RuleFilter& is_wanted)
    -> egraph::SaturationReport {
  if (!is_wanted) {
    return egraph::saturate(graph_, rules_, options);
  }
  std::vector<egraph::Rewrite> some;
  for (const egraph::Rewrite& rule : rules_) {
    if (is_wanted(rule.name)) {
      some.push_back(rule);
    }
  }
  return egraph::saturate(graph_, some, options);
}

/// For how many values of loops a node is evaluated.
auto Forms::n_evaluations(const ENode& node) const -> double {
  std::vector<LoopId> loops;
  const Term& term = ops_[node.op];
  for (const ClassId operand : graph_.children(node)) {
    const std::vector<LoopId>& more = fact(operand).loops;
    loops.insert(loops.end(), more.begin(), more.end());
  }
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  if (term.node.kind == NodeKind::Sum || term.node.kind == NodeKind::Product) {
    std::erase(loops, loop_of(graph_, ops_, graph_.children(node)[1]));
  }
  return n_values(*circuit_, loops);
}

auto Forms::levels(const ENode& node) const -> uint32_t {
  const Term& term = ops_[node.op];
  const auto operands = graph_.children(node);
  if (term.kind != TermKind::Computed || operands.empty() || !fact(operands[0]).is_cipher) {
    return 0;
  }
  if (term.node.kind == NodeKind::Product) {
    return tree_depth(circuit_->loops[loop_of(graph_, ops_, operands[1])].extent);
  }
  return term.node.kind == NodeKind::Multiply && fact(operands[1]).is_cipher ? 1 : 0;
}

auto Forms::cost(const ENode& node, const Weights& weights) const -> double {
  const Term& term = ops_[node.op];
  const auto operands = graph_.children(node);
  if (term.kind != TermKind::Computed || operands.empty()) {
    return 0;
  }
  const double n = n_evaluations(node);
  const bool a = fact(operands[0]).is_cipher;
  const bool b = operands.size() > 1 && fact(operands[1]).is_cipher;
  const double product = weights.ct_ct_product + weights.relinearisation;
  const auto is_minus_one = [&](ClassId id) { return fact(id).number == -1; };
  switch (term.node.kind) {
    case NodeKind::Constant:
    case NodeKind::Input:
    case NodeKind::Result:
      return 0;
    case NodeKind::Add:
    case NodeKind::Subtract:
      return n * (a && b   ? weights.ct_ct_addition
                  : a || b ? weights.ct_pt_addition
                           : weights.native_operation);
    case NodeKind::Multiply:
      if (is_minus_one(operands[0]) || is_minus_one(operands[1])) {
        return n * (a || b ? weights.negation : weights.native_operation);
      }
      return n * (a && b ? product : a || b ? weights.ct_pt_product : weights.native_operation);
    case NodeKind::Rotate:
      return n *
             (a ? weights.rotation * nonzero_part(steps_of(graph_, ops_, operands[1]), *circuit_)
                : weights.native_operation);
    case NodeKind::SwapRows:
      return n * (a ? weights.rotation : weights.native_operation);
    case NodeKind::Sum:
    case NodeKind::Product: {
      const LoopId loop = loop_of(graph_, ops_, operands[1]);
      const double each = !a                                ? weights.native_operation
                          : term.node.kind == NodeKind::Sum ? weights.ct_ct_addition
                                                            : product;
      return n * each * static_cast<double>(circuit_->loops[loop].extent - 1);
    }
  }
  return 0;
}

auto Forms::circuit_of(const egraph::Choice& choice) const -> std::optional<Circuit> {
  Circuit result = *circuit_;
  result.nodes = {};
  Builder builder(result);
  std::vector<NodeId> made(graph_.n_ids());
  for (const egraph::NodeId id : egraph::chosen_nodes(graph_, choice, roots_)) {
    const ENode& enode = graph_.node(id);
    const Term& term = ops_[enode.op];
    if (term.kind != TermKind::Computed) {
      continue;
    }
    const auto operands = graph_.children(enode);
    Node node = term.node;
    const size_t n = n_operands(node.kind);
    node.a = n > 0 ? made[graph_.find(operands[0]).index] : NodeId{};
    node.b = n > 1 ? made[graph_.find(operands[1]).index] : NodeId{};
    if (node.kind == NodeKind::Rotate) {
      node.formulas.push_back(steps_of(graph_, ops_, operands[1]));
    }
    if (node.kind == NodeKind::Sum || node.kind == NodeKind::Product) {
      node.loop = loop_of(graph_, ops_, operands[1]);
    }
    made[graph_.find(ClassId{id.index}).index] = builder.node(node);
  }
  for (size_t s = 0; s < roots_.size(); ++s) {
    result.statements[s].root = made[graph_.find(roots_[s]).index];
  }
  return validate(result) ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace tacet::circuit
