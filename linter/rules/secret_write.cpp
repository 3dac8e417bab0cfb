#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/build.h"
#include "linter/rules/cost.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: secret-write
///
/// What it does: finds a store into an array at a secret index.
/// Why: the address is visible to caches, pages and the owner of the memory.
/// Example: `t[s] = v;`
/// Use instead: `for i in 0..16 { t[i] = v if i == s else t[i]; }`: every element is written.
/// Fix safety: safe; beyond the end nothing is stored, as before.
static void find_secret_write(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const auto* store = std::get_if<kernel::StoreElement>(&statement.node);
    if (store == nullptr) {
      return;
    }
    std::vector<oblivious::CauseId> causes;
    Cost cost;
    cost.selections = kernel::n_elements(subject.kernel.exprs[store->value].type);
    const kernel::Variable& array = subject.kernel.variables[store->array];
    for (size_t i = 0; i < store->indices.size(); ++i) {
      const std::vector<oblivious::CauseId> of_index =
          subject.secrecy.causes(at, store->indices[i]);
      if (!of_index.empty()) {
        causes = causes.empty() ? of_index : causes;
        cost.selections *= array.type.extents[i];
        cost.comparisons += array.type.extents[i];
      }
    }
    if (causes.empty()) {
      return;
    }
    Diagnostic* finding = findings.add_channel(
        DiagnosticCode::T5004, statement.place,
        fmt::format("index of the write to `{}` depends on a secret", array.name), causes);
    if (finding != nullptr) {
      add_note(*finding, cost_text(cost, subject.kernel.device));
    }
  });
}

auto secret_write() -> Rule {
  return {DiagnosticCode::T5004, "secret-write", RuleKind::Channel, find_secret_write};
}

}  // namespace tacet::linter
