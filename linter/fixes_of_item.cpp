#include "linter/fixes_of_item.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "linter/kernel_of_item.h"
#include "linter/lint_item.h"
#include "linter/rewrite_fix.h"

namespace tacet::linter {

auto has_fix_to_find(DiagnosticCode code) -> bool {
  return DiagnosticCode::T5001 <= code && code <= DiagnosticCode::T5005;
}

/// The variable that an assignment is about.
static auto target_of(syntax::Node assignment) -> syntax::Node {
  syntax::Node target = syntax::bare(assignment.child(syntax::Field::Target));
  while (target.is(syntax::NodeKind::IndexExpression) ||
         target.is(syntax::NodeKind::FieldExpression)) {
    target = syntax::bare(target.child(target.is(syntax::NodeKind::IndexExpression)
                                           ? syntax::Field::Array
                                           : syntax::Field::Record));
  }
  return target;
}

/// The oblivious form assigns selected values, which are secret: variables that it assigns to, and
/// whose written types say nothing of secrets, are declared `secret`.
static void declare_secret(query::Context& context, names::ItemId item, Fix& fix) {
  const check::BodyPtr body = context.get<check::BodyOf>(item);
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const auto& types = context.service<types::TypeStore>();
  const TextRange replaced = fix.edits.front().range;
  std::set<uint32_t> places;
  for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
    const syntax::Node assignment(tree.get(), i);
    if (!assignment.is(syntax::NodeKind::AssignmentStatement) ||
        !replaced.contains(assignment.range())) {
      continue;
    }
    const syntax::Node target = target_of(assignment);
    const names::Resolution meaning = target ? body->names.of(target.index()) : names::Resolution();
    if (!meaning.is(names::Meaning::Local) ||
        types.visibility(body->local_types[meaning.index()]) != types::Visibility::Secret) {
      continue;
    }
    const uint32_t name = body->names.locals[meaning.index()].node;
    const bool has_binding = name != names::Local::kNone && name > 0;
    const syntax::Node binding(tree.get(), has_binding ? name - 1 : 0);
    const syntax::Node type = binding.child(syntax::Field::Type);
    if (binding.is(syntax::NodeKind::Binding) && type && !type.is(syntax::NodeKind::VisibleType) &&
        type.range().end <= replaced.begin) {
      places.insert(type.range().begin);
    }
  }
  size_t n_edits = 0;
  for (const uint32_t place : places) {
    fix.edits.insert(fix.edits.begin() + static_cast<std::ptrdiff_t>(n_edits++),
                     {{place, place}, "secret "});
  }
}

auto FixesOfItem::compute(query::Context& context, const Key& item) -> Value {
  const std::shared_ptr<const ItemFindings> found = context.get<FindingsOfItem>(item);
  if (found == nullptr) {
    return std::make_shared<const std::vector<FixOfFinding>>();
  }
  std::vector<FixOfFinding> fixes(found->findings.size());
  std::optional<kernel::Kernel> kernel;
  // With a public result that is secret no text of this function is right.
  const bool has_public_secret = std::any_of(
      found->findings.begin(), found->findings.end(), [](const names::ItemDiagnostic& entry) {
        return entry.diagnostic.code == DiagnosticCode::T5009;
      });
  for (size_t i = 0; i < fixes.size(); ++i) {
    const Diagnostic& finding = found->findings[i].diagnostic;
    if (!has_fix_to_find(finding.code) || !finding.fixes.empty()) {
      continue;
    }
    if (has_public_secret) {
      fixes[i] = "no fix until the public result no longer depends on a secret";
      continue;
    }
    if (!kernel) {
      kernel = kernel_of_item(context, item);
    }
    FixOrReason fix = rewrite_fix(*kernel, finding, *context.get<names::SyntaxOfItem>(item));
    if (auto* edit = std::get_if<Fix>(&fix)) {
      declare_secret(context, item, *edit);
      fixes[i] = std::move(*edit);
    } else {
      fixes[i] = "no fix: " + std::get<std::string>(fix);
    }
  }
  return std::make_shared<const std::vector<FixOfFinding>>(std::move(fixes));
}

}  // namespace tacet::linter
