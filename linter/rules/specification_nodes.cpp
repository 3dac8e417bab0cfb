#include <fmt/format.h>

#include <map>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto definitions_of(Node specification) -> std::vector<Node> {
  std::vector<Node> definitions;
  for (const Node child : specification.child(Field::Body).children()) {
    if (child.is(NodeKind::Definition)) {
      definitions.push_back(child);
    }
  }
  return definitions;
}

/// Rule: unused-node
///
/// What it does: finds nodes of value specifications that no result and no other node needs.
/// Why: every implementation has to compute them all the same, for it does all that its
/// specification mentions.
/// Example: `half :- x / 2   returns x + 1`
/// Use instead: `returns x + 1`
/// Fix safety: there is none; what implements the specification computes the node, or its tags name
/// it.
static void check_unused(const Text& text, Node specification, TextFindings& findings) {
  for (const Node definition : definitions_of(specification)) {
    std::string names;
    Node first;
    bool is_used = false;
    for (const Node binding : definition.children()) {
      const Node name = binding.is(NodeKind::SpecBinding) ? binding.child(Field::Name) : Node();
      const Uses* uses = name ? text.uses_of(name) : nullptr;
      if (!name) {
        continue;
      }
      is_used = is_used || uses == nullptr || uses->n_reads > 0;
      first = first ? first : name;
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name.text());
    }
    if (is_used || !first) {
      continue;
    }
    Diagnostic& finding =
        findings.add(DiagnosticCode::T9301, first.range(), fmt::format("nothing uses {}", names));
    finding.tag = DiagnosticTag::Unnecessary;
  }
}

auto unused_node() -> Rule {
  return text_rule(DiagnosticCode::T9301, "unused-node", Group::Specification, {NodeKind::ValItem},
                   check_unused);
}

/// The tokens of an expression, without what stands between them.
static auto tokens_of(Node expression) -> std::string {
  std::string tokens;
  for (uint32_t i = expression.index(); i < expression.subtree_end(); ++i) {
    const Node node(expression.tree(), i);
    if (node.is_leaf()) {
      tokens += node.text();
      tokens += ' ';
    }
  }
  return tokens;
}

/// Rule: duplicate-node
///
/// What it does: finds two nodes of a specification that are written alike.
/// Why: two nodes are two computations: an implementation that computes the value once and uses it
/// twice does not conform.
/// Example: `a :- x * y   b :- x * y   returns a + b`
/// Use instead: `a :- x * y   returns a + a`
/// Fix safety: there is none; what implements the specification may compute both.
static void check_duplicate(const Text&, Node specification, TextFindings& findings) {
  std::map<std::string, Node> seen;
  for (const Node definition : definitions_of(specification)) {
    const Node value = bare(definition.child(Field::Value));
    if (!value || value.is_leaf() || is_literal(value)) {
      continue;
    }
    const auto [known, is_new] = seen.emplace(tokens_of(value), definition);
    if (is_new) {
      continue;
    }
    const Node first = known->second.child(NodeKind::SpecBinding).child(Field::Name);
    Diagnostic& finding =
        findings.add(DiagnosticCode::T9302, value.range(),
                     fmt::format("this duplicates the computation of `{}`", first.text()));
    add_label(finding, first.range(), "first computation");
  }
}

auto duplicate_node() -> Rule {
  return text_rule(DiagnosticCode::T9302, "duplicate-node", Group::Specification,
                   {NodeKind::ValItem}, check_duplicate);
}

}  // namespace tacet::linter
