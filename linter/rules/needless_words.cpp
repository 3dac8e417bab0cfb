#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Does its type come from numbers alone, which take the type that a cast asks of them?
static auto has_fixed_type(const Text& text, Node value) -> bool {
  for (uint32_t i = value.index(); i < value.subtree_end(); ++i) {
    if (text.body.names.of(i).is(names::Meaning::Local)) {
      return true;
    }
  }
  return false;
}

/// Rule: needless-cast
///
/// What it does: finds `x as T` where `x` is a `T` already.
/// Why: it looks as if something were converted.
/// Example: `(n as i64) + 1` with `n: i64`
/// Use instead: `n + 1`
/// Fix safety: safe.
static void check_cast(const Text& text, Node cast, TextFindings& findings) {
  const Node value = cast.child(Field::Value);
  const Node type = cast.child(Field::Type);
  const types::TypeId is = text.body.type(value);
  if (is == types::TypeStore::kError || is != text.body.type(cast) ||
      text.types[is].kind != types::TypeKind::Value || !has_fixed_type(text, value)) {
    return;
  }
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9204, cast.range(),
                   fmt::format("`{}` already has type `{}`", value.text(), type.text()));
  const std::vector<TextEdit> edits = unwrapping(text.tree, cast.range(), value.range());
  if (!has_comment(text.tree, edits[1].range)) {
    add_fix(finding, "remove the conversion", Applicability::Safe, {edits[1]});
  }
}

auto needless_cast() -> Rule {
  return text_rule(DiagnosticCode::T9204, "needless-cast", Group::Style, {NodeKind::CastExpression},
                   check_cast);
}

/// Rule: needless-public
///
/// What it does: finds `public` in front of a type.
/// Why: what is not secret is public; the word is noise beside the places where it decides
/// something, as in `encode e.copy public`.
/// Example: `n: public i64`
/// Use instead: `n: i64`
/// Fix safety: safe.
static void check_public(const Text& text, Node type, TextFindings& findings) {
  const Node word = type.child(Field::Visibility);
  const Node inner = type.child(Field::Type);
  if (word.text() != "public" || !inner) {
    return;
  }
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9205, word.range(), "types are public by default");
  finding.tag = DiagnosticTag::Unnecessary;
  const TextRange removed{word.range().begin, inner.range().begin};
  if (!has_comment(text.tree, removed)) {
    add_fix(finding, "remove `public`", Applicability::Safe, {{removed, ""}});
  }
}

auto needless_public() -> Rule {
  return text_rule(DiagnosticCode::T9205, "needless-public", Group::Style, {NodeKind::VisibleType},
                   check_public);
}

/// Rule: needless-step
///
/// What it does: finds `step 1`.
/// Why: loops count by 1 anyway.
/// Example: `for i in 0..n step 1 { … }`
/// Use instead: `for i in 0..n { … }`
/// Fix safety: safe.
static void check_step(const Text& text, Node loop, TextFindings& findings) {
  const Node step = loop.child(Field::Step);
  const Node upper = loop.child(Field::Upper);
  if (!step.is(NodeKind::Integer) || step.text() != "1" || !upper) {
    return;
  }
  Diagnostic& finding = findings.add(DiagnosticCode::T9206, step.range(), "the default step is 1");
  finding.tag = DiagnosticTag::Unnecessary;
  const TextRange removed{upper.range().end, step.range().end};
  if (!has_comment(text.tree, removed)) {
    add_fix(finding, "remove the step", Applicability::Safe, {{removed, ""}});
  }
}

auto needless_step() -> Rule {
  return text_rule(DiagnosticCode::T9206, "needless-step", Group::Style, {NodeKind::ForStatement},
                   check_step);
}

/// Rule: needless-return
///
/// What it does: finds a `return` at the end of a function. Off unless `tacet.toml` enables it:
/// both styles are fine.
/// Why: the last value of a body is its result; `return` is for leaving early.
/// Example: `{ let y = x + 1; return y; }`
/// Use instead: `{ let y = x + 1; y }`
/// Fix safety: safe.
static void check_return(const Text& text, Node fn, TextFindings& findings) {
  const Node body = fn.child(Field::Body);
  const std::vector<Node> statements = statements_of(body);
  if (statements.empty() || !statements.back().is(NodeKind::ReturnStatement)) {
    return;
  }
  const Node last = statements.back();
  const Node value = last.child(Field::Value);
  if (!value || value.is(NodeKind::Block) || value.is(NodeKind::IfExpression)) {
    return;
  }
  Diagnostic& finding = findings.add(DiagnosticCode::T9207, last.child(NodeKind::KwReturn).range(),
                                     "the last expression of a function is its result");
  const std::vector<TextEdit> edits = unwrapping(text.tree, last.range(), value.range());
  if (!has_comment(text.tree, edits[0].range) && !has_comment(text.tree, edits[1].range)) {
    add_fix(finding, "remove `return`", Applicability::Safe, edits);
  }
}

auto needless_return() -> Rule {
  return text_rule(DiagnosticCode::T9207, "needless-return", Group::Style, {NodeKind::FnItem},
                   check_return, Level::Allow);
}

}  // namespace tacet::linter
