#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using kernel::ExprId;

namespace {

/// Finds reads at the counter of a loop that runs past the array, where nothing keeps it from doing
/// so: neither a condition around the read nor an exit of the loop.
class CountedReads {
 public:
  CountedReads(const Subject& subject, Findings& findings)
      : subject_(subject), findings_(findings) {}

  void run() { block(subject_.kernel.body); }

 private:
  void block(const kernel::Block& statements) {
    for (const kernel::StatementId id : statements) {
      const kernel::Statement& statement = subject_.kernel.statements[id];
      kernel::visit_exprs(statement, [&](ExprId expr) { expression(expr); });
      if (const auto* loop = std::get_if<kernel::For>(&statement.node)) {
        counted(*loop);
      }
    }
  }

  void counted(const kernel::For& loop) {
    const auto lower = constant(subject_, loop.lower);
    const auto upper = constant(subject_, loop.upper);
    if (!lower || !upper || *lower >= *upper || loop.step || loop.max || may_leave(loop.body)) {
      return;
    }
    counters_.insert(loop.counter);
    block(loop.body);
    counters_.erase(loop.counter);
  }

  auto may_leave(const kernel::Block& body) const -> bool {
    bool leaves = false;
    kernel::walk_statements(subject_.kernel, body, [&](kernel::StatementId id) {
      const auto& node = subject_.kernel.statements[id].node;
      leaves = leaves || std::holds_alternative<kernel::Break>(node) ||
               std::holds_alternative<kernel::Continue>(node) ||
               std::holds_alternative<kernel::Return>(node);
    });
    return leaves;
  }

  void expression(ExprId id) {
    const kernel::Expr& expr = subject_.kernel.exprs[id];
    if (const auto* select = std::get_if<kernel::Select>(&expr.node)) {
      expression(select->condition);
      return;
    }
    const auto* binary = std::get_if<kernel::Binary>(&expr.node);
    if (binary != nullptr &&
        (binary->op == types::Operator::Land || binary->op == types::Operator::Lor)) {
      expression(binary->left);
      return;
    }
    if (const auto* element = std::get_if<kernel::Element>(&expr.node)) {
      read(*element);
    }
    kernel::visit_exprs(expr, [&](ExprId operand) { expression(operand); });
  }

  void read(const kernel::Element& element) {
    const std::vector<int64_t>& extents = subject_.kernel.exprs[element.array].type.extents;
    for (size_t i = 0; i < element.indices.size(); ++i) {
      const kernel::Expr& index = subject_.kernel.exprs[element.indices[i]];
      const auto* counter = std::get_if<kernel::Read>(&index.node);
      if (counter == nullptr || counters_.count(counter->variable) == 0) {
        continue;
      }
      const oblivious::Range range = subject_.ranges.of(element.indices[i]);
      if (range.lower >= 0 && range.upper < extents[i]) {
        continue;
      }
      Diagnostic* finding =
          findings_.add(DiagnosticCode::T5018, index.place,
                        fmt::format("`{}` ranges from {} to {}, but there are {} elements",
                                    subject_.kernel.variables[counter->variable].name,
                                    static_cast<int64_t>(range.lower),
                                    static_cast<int64_t>(range.upper), extents[i]));
      if (finding != nullptr) {
        finding->severity = Severity::Warning;
        add_note(*finding,
                 "reads past the end give 0; if this is intended, guard the read with a condition "
                 "or change the loop bounds");
      }
    }
  }

  const Subject& subject_;
  Findings& findings_;
  std::set<kernel::VariableId> counters_;  ///< of loops around, which run as their bounds say
};

}  // namespace

/// Rule: read-beyond-end
///
/// What it does: finds a read of an array at an index that is never inside it, and, as a warning,
/// one at the counter of a loop that counts past the end.
/// Why: it gives 0 always. Stencils read beyond the ends on purpose, but not at every place, and
/// beside a counter rather than at it.
/// Example: `t[16]` with `t: [i64; 16]`
/// Use instead: the index that was meant, or `0`.
/// Fix safety: there is none: which index was meant is not known.
static void find_read_beyond_end(const Subject& subject, Findings& findings) {
  CountedReads(subject, findings).run();
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
          findings.add(
              DiagnosticCode::T5018, subject.kernel.exprs[element->indices[i]].place,
              fmt::format("this index is never within the {} elements, so the read gives 0",
                          extents[i]));
        }
      }
    });
  });
}

auto read_beyond_end() -> Rule {
  return {DiagnosticCode::T5018, "read-beyond-end", RuleKind::Advice, find_read_beyond_end};
}

}  // namespace tacet::linter
