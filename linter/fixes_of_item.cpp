#include "linter/fixes_of_item.h"

#include <algorithm>
#include <optional>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/queries.h"
#include "linter/kernel_of_item.h"
#include "linter/lint_item.h"
#include "linter/rewrite_fix.h"

namespace tacet::linter {

auto has_fix_to_find(DiagnosticCode code) -> bool {
  return DiagnosticCode::T5001 <= code && code <= DiagnosticCode::T5005;
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
      fixes[i] = std::move(*edit);
    } else {
      fixes[i] = "no fix: " + std::get<std::string>(fix);
    }
  }
  return std::make_shared<const std::vector<FixOfFinding>>(std::move(fixes));
}

}  // namespace tacet::linter
