#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: missing-docs
///
/// What it does: finds functions, specifications and types without a `///` comment in front. Off
/// unless `tacet.toml` enables it.
/// Why: hovers and `tacet doc` show the comment to those who use the item.
/// Example: `val dot(a: [i64; 8], b: [i64; 8]) -> i64 { … }`
/// Use instead: the same with `/// The inner product of two rows.` in front
/// Fix safety: there is none.
static void find_missing_docs(const Text& text, Node item, TextFindings& findings) {
  const bool is_documented = std::any_of(
      text.tree.comments.begin(), text.tree.comments.end(), [&](const syntax::Comment& comment) {
        return comment.kind == syntax::CommentKind::Doc && comment.range.end <= item.range().begin;
      });
  const Node name = item.child(Field::Name);
  if (!is_documented && name) {
    findings.add(DiagnosticCode::T9212, name.range(),
                 fmt::format("`{}` has no documentation", name.text()));
  }
}

auto missing_docs() -> Rule {
  return text_rule(DiagnosticCode::T9212, "missing-docs", Group::Style,
                   {NodeKind::FnItem, NodeKind::ValItem, NodeKind::TmlnItem, NodeKind::SptlItem,
                    NodeKind::ExternItem, NodeKind::FeqItem, NodeKind::TypeItem},
                   find_missing_docs, Level::Allow);
}

}  // namespace tacet::linter
