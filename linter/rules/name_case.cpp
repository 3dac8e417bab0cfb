#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/body_names.h"
#include "compiler/front/names/file_items.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using names::ItemKind;
using names::Local;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto is_upper(char c) -> bool {
  return c >= 'A' && c <= 'Z';
}

static auto is_lower(char c) -> bool {
  return c >= 'a' && c <= 'z';
}

/// `rest_of_row`, and names such as `A`, `X2`, `A_t`, as matrices have in formulas.
static auto is_snake_case(std::string_view name) -> bool {
  if (name.empty() || std::none_of(name.begin(), name.end(), is_upper)) {
    return true;
  }
  const std::string_view rest = name.substr(1);
  return is_upper(name[0]) && std::none_of(rest.begin(), rest.end(), is_upper) &&
         (rest.empty() || !is_lower(rest[0]));
}

/// `restOfRow` and `RestOfRow` as `rest_of_row`.
static auto snake_case(std::string_view name) -> std::string {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool begins_word =
        is_upper(name[i]) && i > 0 && name[i - 1] != '_' &&
        (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    result += begins_word ? "_" : "";
    result += is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return result;
}

/// Renames a local of a device function, whose names nobody else knows. Nothing if the new name is
/// in the text already.
static auto renaming(const Text& text, uint32_t local, const std::string& name)
    -> std::vector<TextEdit> {
  std::vector<TextEdit> edits;
  const names::Resolution wanted(names::Meaning::Local, local);
  for (uint32_t i = 0; i < text.tree.nodes.size(); ++i) {
    const Node node = text.node(i);
    if (node.is_leaf() && node.text() == name) {
      return {};
    }
    if (node.is(NodeKind::Identifier) &&
        (text.body.names.of(i) == wanted || i == text.body.names.locals[local].node)) {
      edits.push_back({node.range(), name});
    }
  }
  return edits;
}

static void check_name(const Text& text, Node name, uint32_t local, TextFindings& findings) {
  if (!name.is(NodeKind::Identifier) || is_snake_case(name.text())) {
    return;
  }
  const std::string wanted = snake_case(name.text());
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9201, name.range(),
                   fmt::format("`{}` should be `{}` by convention", name.text(), wanted));
  std::vector<TextEdit> edits;
  const bool is_private = local != Local::kNone && text.is_device_function() &&
                          text.body.names.locals[local].kind != names::LocalKind::Parameter;
  if (is_private && !text.has_holes) {
    edits = renaming(text, local, wanted);
  }
  if (!edits.empty()) {
    add_fix(finding, fmt::format("rename to `{}`", wanted), Applicability::Safe, std::move(edits));
  }
}

/// Rule: value-name-case
///
/// What it does: finds functions, specifications, parties, variables and parameters whose names are
/// not in snake case. Single capitals, as of matrices, are fine; what hosts supply and what is
/// encoded has names of its own and is left alone, and so are constants.
/// Why: one look says whether a name is a value or a type.
/// Example: `let rowSum = sum(row);`
/// Use instead: `let row_sum = sum(row);`
/// Fix safety: safe for variables of device functions; of all else others know the names.
static void check_values(const Text& text, Node item, TextFindings& findings) {
  if (!item.is(NodeKind::ExternItem)) {
    check_name(text, item.child(Field::Name), Local::kNone, findings);
  }
  const std::vector<Local>& locals = text.body.names.locals;
  for (uint32_t i = 0; i < locals.size(); ++i) {
    if (locals[i].node != Local::kNone && locals[i].kind != names::LocalKind::Encoded) {
      check_name(text, text.node(locals[i].node), i, findings);
    }
  }
}

auto value_name_case() -> Rule {
  return text_rule(DiagnosticCode::T9201, "value-name-case", Group::Style,
                   {NodeKind::FnItem, NodeKind::ValItem, NodeKind::TmlnItem, NodeKind::SptlItem,
                    NodeKind::PartyItem, NodeKind::PipelineItem, NodeKind::ExternItem},
                   check_values);
}

/// Rule: type-name-case
///
/// What it does: finds types whose names do not begin with a capital, or have an underscore.
/// Why: one look says whether a name is a value or a type.
/// Example: `type image_row = [i64; 64]`
/// Use instead: `type ImageRow = [i64; 64]`
/// Fix safety: there is none; others may know the name.
static void check_types(const Text&, Node item, TextFindings& findings) {
  const Node name = item.child(Field::Name);
  if (!name || (is_upper(name.text()[0]) && name.text().find('_') == std::string_view::npos)) {
    return;
  }
  std::string wanted;
  bool begins_word = true;
  for (const char c : name.text()) {
    if (c == '_') {
      begins_word = true;
      continue;
    }
    wanted += begins_word && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    begins_word = false;
  }
  findings.add(DiagnosticCode::T9202, name.range(),
               fmt::format("type `{}` should be `{}` by convention", name.text(), wanted));
}

auto type_name_case() -> Rule {
  return text_rule(DiagnosticCode::T9202, "type-name-case", Group::Style, {NodeKind::TypeItem},
                   check_types);
}

}  // namespace tacet::linter
