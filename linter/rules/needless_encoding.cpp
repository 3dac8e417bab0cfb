#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/body_names.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Is an encoder or a future given to something else, which may use what is on it?
static auto gives_handles_away(const Text& text) -> bool {
  for (uint32_t i = 0; i < text.tree.nodes.size(); ++i) {
    const Node node = text.node(i);
    const types::TypeKind kind = text.type(node).kind;
    if (!node.is(NodeKind::Identifier) ||
        (kind != types::TypeKind::Encoder && kind != types::TypeKind::Future)) {
      continue;
    }
    const Node around = text.parent(node);
    if (!around.is(NodeKind::Binding) && !around.is(NodeKind::EncodeStatement) &&
        !around.is(NodeKind::SubmitExpression) && !around.is(NodeKind::AwaitExpression)) {
      return true;
    }
  }
  return false;
}

/// Rule: empty-encoder
///
/// What it does: finds encoders that nothing is encoded into and that are given to nobody else.
/// Why: submitting and awaiting it costs a round trip to the device for nothing.
/// Example: `let e = encode-begin gpu; let f = submit e; await f;`
/// Use instead: leave it out, and its events in the timeline.
/// Fix safety: there is none; the timeline has to change too.
static void check_empty(const Text& text, Node begin, TextFindings& findings) {
  const Node statement = text.parent(begin);
  const Node name = statement.child(NodeKind::Binding).child(Field::Name);
  if (text.has_holes || !statement.is(NodeKind::LetStatement) || !name.is(NodeKind::Identifier)) {
    return;
  }
  const names::Resolution encoder = text.body.names.of(name.index());
  for (uint32_t i = 0; i < text.tree.nodes.size(); ++i) {
    const Node around = text.parent(text.node(i));
    const bool is_other_use = text.body.names.of(i) == encoder && i != name.index() &&
                              !around.is(NodeKind::SubmitExpression);
    if (is_other_use) {
      return;
    }
  }
  findings.add(DiagnosticCode::T9304, begin.range(),
               fmt::format("nothing is encoded into `{}`", name.text()));
}

auto empty_encoder() -> Rule {
  return text_rule(DiagnosticCode::T9304, "empty-encoder", Group::Specification,
                   {NodeKind::EncodeBeginExpression}, check_empty);
}

/// Rule: unused-copy
///
/// What it does: finds values that are copied to an encoder and then neither used by a call there
/// nor read of its future.
/// Why: copying to a device encrypts or shares, and sends.
/// Example: `encode e.copy[x_d <- x]; encode e.call[y_d <- f(z_d)];`
/// Use instead: leave the copy out, or give `x_d` to the call.
/// Fix safety: there is none; records and flags may have to change too.
static void check_copy(const Text& text, Node encode, TextFindings& findings) {
  if (text.has_holes || encode.child(Field::Method).text() != "copy" || gives_handles_away(text)) {
    return;
  }
  for (const Node destination : encode.children()) {
    const Node name =
        destination.is(NodeKind::EncodeDestination) ? destination.child(Field::Name) : Node();
    if (!name) {
      continue;
    }
    size_t n_uses = 0;
    for (uint32_t i = 0; i < text.tree.nodes.size(); ++i) {
      const Node node = text.node(i);
      n_uses += node.is(NodeKind::Identifier) && node.text() == name.text() ? 1 : 0;
    }
    if (n_uses == 1) {
      findings.add(DiagnosticCode::T9305, name.range(),
                   fmt::format("`{}` is copied to the device but never used", name.text()));
    }
  }
}

auto unused_copy() -> Rule {
  return text_rule(DiagnosticCode::T9305, "unused-copy", Group::Performance,
                   {NodeKind::EncodeStatement}, check_copy);
}

}  // namespace tacet::linter
