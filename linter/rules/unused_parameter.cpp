#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: unused-parameter
///
/// What it does: finds unused parameters of device functions. Why: callers send, encrypt or share a
/// value for nothing.
/// Example: `fn(mpc) twice(x: secret i64, n: i64) -> secret i64 { x + x }`
/// Use instead: leave it out. Functions that implement a specification or are members of a class
/// have the parameters of those, and are not checked.
/// Fix safety: there is none; callers would have to change too.
static void find_unused_parameter(const Text& text, Node fn, TextFindings& findings) {
  if (!text.is_device_function() || text.has_holes || fn.child(Field::Implements) ||
      text.key.parent.has_value()) {
    return;
  }
  for (const Node parameter : fn.child(Field::Parameters).children()) {
    const Node name = parameter.is(NodeKind::Parameter) ? parameter.child(Field::Name) : Node();
    const Uses* uses = name ? text.uses_of(name) : nullptr;
    if (uses != nullptr && uses->n_reads + uses->n_writes + uses->n_stores == 0) {
      findings
          .add(DiagnosticCode::T9003, name.range(),
               fmt::format("parameter `{}` is never read", name.text()))
          .tag = DiagnosticTag::Unnecessary;
    }
  }
}

auto unused_parameter() -> Rule {
  return text_rule(DiagnosticCode::T9003, "unused-parameter", Group::DeadCode, {NodeKind::FnItem},
                   find_unused_parameter);
}

}  // namespace tacet::linter
