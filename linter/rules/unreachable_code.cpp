#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/leaving.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: unreachable-code
///
/// What it does: finds statements behind a `return`, `break` or `continue`.
/// Why: they never run.
/// Example: `return x; y = 3;`
/// Use instead: leave them out, or the statement that leaves.
/// Fix safety: safe. There is none where comments would go too, or where the block must have a
/// value.
static void find_unreachable_code(const Text& text, Node block, TextFindings& findings) {
  const std::vector<Node> statements = statements_of(block);
  for (size_t i = 0; i + 1 < statements.size(); ++i) {
    if (!always_leaves(statements[i])) {
      continue;
    }
    const TextRange rest{statements[i + 1].range().begin, statements.back().range().end};
    Diagnostic& finding = findings.add(DiagnosticCode::T9006, rest, "unreachable code");
    finding.tag = DiagnosticTag::Unnecessary;
    add_label(finding, statements[i].range(), "every path exits here");
    const bool is_body = text.parent(block).is(NodeKind::FnItem);
    const TextRange behind{statements[i].range().end, rest.end};
    if ((is_body || !block.child(Field::Result)) && !has_comment(text.tree, behind)) {
      add_fix(finding, "remove the unreachable code", Applicability::Safe, {{behind, ""}});
    }
    return;
  }
}

auto unreachable_code() -> Rule {
  return text_rule(DiagnosticCode::T9006, "unreachable-code", Group::DeadCode, {NodeKind::Block},
                   find_unreachable_code);
}

}  // namespace tacet::linter
