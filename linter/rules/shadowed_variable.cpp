#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/body_names.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using names::Local;
using names::LocalKind;
using syntax::Node;
using syntax::NodeKind;

/// The block, loop or function that the declaration of a local belongs to.
static auto scope_of(const Text& text, const Local& local) -> Node {
  Node at = text.parent(text.node(local.node));
  while (at && !at.is(NodeKind::Block) && !at.is(NodeKind::ForStatement) &&
         !at.is(NodeKind::ForExpression) && !at.is(NodeKind::FnItem)) {
    at = text.parent(at);
  }
  return at;
}

/// Would one take the inner for the outer? A new `let` or `var` for an assignment to a variable, a
/// counter for the one of the loop around it.
static auto is_mixed_up(LocalKind outer, LocalKind inner) -> bool {
  const bool declares = inner == LocalKind::Let || inner == LocalKind::Var;
  return (outer == LocalKind::Var && declares) ||
         (outer == LocalKind::Loop && inner == LocalKind::Loop);
}

/// Rule: shadowed-variable
///
/// What it does: finds a `let` or `var` in an inner block with the name of a `var` around it, and a
/// counter with the name of the counter around it.
/// Why: the outer variable keeps its value; an assignment was meant.
/// Example: `var best = 0; if x > 0 { let best = x; }`
/// Use instead: `var best = 0; if x > 0 { best = x; }`, or another name.
/// Fix safety: there is none; which was meant is not known.
static void find_shadowed_variable(const Text& text, Node, TextFindings& findings) {
  const std::vector<Local>& locals = text.body.names.locals;
  std::vector<const Local*> by_name;
  for (const Local& local : locals) {
    if (local.node != Local::kNone) {
      by_name.push_back(&local);
    }
  }
  std::sort(by_name.begin(), by_name.end(), [](const Local* a, const Local* b) {
    return std::pair(a->name, a->node) < std::pair(b->name, b->node);
  });
  for (size_t i = 1; i < by_name.size(); ++i) {
    const Local& inner = *by_name[i];
    // The nearest one in front that is around it.
    for (size_t j = i; j-- > 0 && by_name[j]->name == inner.name;) {
      const Local& outer = *by_name[j];
      const Node around = scope_of(text, outer);
      if (!around || around == scope_of(text, inner) || inner.node >= around.subtree_end()) {
        continue;
      }
      if (is_mixed_up(outer.kind, inner.kind)) {
        const Node name = text.node(inner.node);
        Diagnostic& finding = findings.add(
            DiagnosticCode::T9114, name.range(),
            fmt::format("this declares a new `{}`; the outer one keeps its value", name.text()));
        add_label(finding, text.node(outer.node).range(), "outer declaration");
      }
      break;
    }
  }
}

auto shadowed_variable() -> Rule {
  return text_rule(DiagnosticCode::T9114, "shadowed-variable", Group::Suspicious,
                   {NodeKind::FnItem}, find_shadowed_variable);
}

}  // namespace tacet::linter
