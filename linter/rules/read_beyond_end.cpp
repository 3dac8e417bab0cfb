#include <fmt/format.h>

#include "compiler/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: read-beyond-end
///
/// What it does: finds a read of an array at an index that is never inside it.
/// Why: it gives 0 always. Stencils read beyond the ends on purpose, but not at every place.
/// Example: `t[16]` with `t: [i64; 16]`
/// Use instead: the index that was meant, or `0`.
/// Fix safety: there is none: which index was meant is not known.
static void check(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* element = std::get_if<kernel::Element>(&expr.node);
      if (element == nullptr) {
        return;
      }
      const std::vector<int64_t>& extents = subject.kernel.exprs[element->array].type.extents;
      for (size_t i = 0; i < element->indices.size(); ++i) {
        const oblivious::Range range = subject.ranges.of(element->indices[i]);
        if (range.upper < 0 || range.lower >= extents[i]) {
          findings.add(DiagnosticCode::T5018, subject.kernel.exprs[element->indices[i]].place,
                       fmt::format("this index is never inside the {} elements that there are, so "
                                   "it reads 0",
                                   extents[i]));
        }
      }
    });
  });
}

auto read_beyond_end() -> Rule {
  return {DiagnosticCode::T5018, "read-beyond-end", RuleKind::Advice, check};
}

}  // namespace tacet::linter
