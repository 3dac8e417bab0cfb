#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/body_names.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Does calling it do nothing but to give a result?
static auto is_pure_call(const Text& text, Node call) -> bool {
  const Node callee = call.child(Field::Function);
  if (text.body.names.of(callee.index()).is(names::Meaning::Builtin)) {
    return is_repeatable(text, call);
  }
  const names::ItemId item = text.body.names.item(callee.index());
  return item.has_value() && text.signature_of(item)->is_pure;
}

/// Rule: unused-result
///
/// What it does: finds calls as statements of what does nothing but to give a result: functions of
/// numbers and externs that are declared `pure`.
/// Why: nothing is done with what is computed; often an assignment was meant.
/// Example: `max(best, value);`
/// Use instead: `best = max(best, value);`
/// Fix safety: taking the statement away is safe if no call is among its arguments.
static void find_unused_result(const Text& text, Node statement, TextFindings& findings) {
  const Node call = statement.child(Field::Call);
  if (!call.is(NodeKind::CallExpression) || !is_pure_call(text, call)) {
    return;
  }
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9007, call.range(),
                   fmt::format("the result of `{}` is unused, and the call has no other effect",
                               call.child(Field::Function).text()));
  if (text.is_free_in_form() && is_idle(text, call)) {
    add_fix(finding, "remove the call", Applicability::Unsafe,
            {removal_of(text.tree, statement.range())});
  }
}

auto unused_result() -> Rule {
  return text_rule(DiagnosticCode::T9007, "unused-result", Group::DeadCode,
                   {NodeKind::CallStatement}, find_unused_result);
}

}  // namespace tacet::linter
