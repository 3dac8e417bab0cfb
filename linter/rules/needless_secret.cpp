#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using types::Visibility;

/// Does a name of the text declare it? A parameter of an inlined function is at the call instead.
static auto is_declared_by_name(const Subject& subject, const kernel::Variable& variable) -> bool {
  const std::string& text = subject.tree.text;
  const TextRange range = variable.place.range;
  return variable.place.file != subject.own || range.end > text.size() ||
         text.substr(range.begin, range.length()).find('(') == std::string::npos;
}

/// The variables declared `secret` that are given a secret somewhere, and the others.
static void check_variables(const Subject& subject, Findings& findings) {
  const kernel::Kernel& kernel = subject.kernel;
  std::vector<bool> is_written(kernel.variables.size());
  std::vector<bool> is_needed(kernel.variables.size());
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const bool is_decided = subject.secrecy.control(at).has_value();
    kernel::visit_written(statement, [&](kernel::VariableId variable) {
      is_written[variable.index] = true;
      is_needed[variable.index] = is_needed[variable.index] || is_decided;
    });
    kernel::visit_exprs(statement, [&](kernel::ExprId expr) {
      if (subject.secrecy.is_secret(at, expr)) {
        kernel::visit_written(
            statement, [&](kernel::VariableId variable) { is_needed[variable.index] = true; });
      }
    });
    if (std::holds_alternative<kernel::Call>(statement.node)) {
      kernel::visit_written(statement,
                            [&](kernel::VariableId variable) { is_needed[variable.index] = true; });
    }
  });
  for (uint32_t i = 0; i < kernel.variables.size(); ++i) {
    const kernel::Variable& variable = kernel.variables.values()[i];
    if (variable.kind == kernel::VariableKind::Local && is_written[i] && !is_needed[i] &&
        variable.visibility == Visibility::Secret && variable.path.empty() &&
        is_declared_by_name(subject, variable)) {
      findings.add(
          DiagnosticCode::T5012, variable.place,
          fmt::format("`{}` is declared secret but only holds public values", variable.name));
    }
  }
}

static void check_results(const Subject& subject, Findings& findings) {
  for (size_t i = 0; i < subject.kernel.results.size(); ++i) {
    const kernel::Result& result = subject.kernel.results[i];
    if (result.visibility != Visibility::Secret || result.is_column ||
        subject.secrecy.result(i).has_value()) {
      continue;
    }
    for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
      const auto* returned = std::get_if<kernel::Return>(&statement.node);
      if (returned != nullptr && i < returned->values.size()) {
        findings.add(DiagnosticCode::T5012, subject.kernel.exprs[returned->values[i]].place,
                     "this result is declared secret but is always public");
      }
    });
  }
}

/// Rule: needless-secret
///
/// What it does: finds a variable or result declared `secret` that never holds a secret.
/// Why: computing on what is encrypted or shared costs, and here it hides nothing.
/// Example: `let x: secret i64 = 3;`
/// Use instead: `let x = 3;`; a public value is accepted wherever a secret one is expected.
/// Fix safety: there is none: a type may be meant for what comes later.
static void find_needless_secret(const Subject& subject, Findings& findings) {
  check_variables(subject, findings);
  check_results(subject, findings);
}

auto needless_secret() -> Rule {
  return {DiagnosticCode::T5012, "needless-secret", RuleKind::Advice, find_needless_secret};
}

}  // namespace tacet::linter
