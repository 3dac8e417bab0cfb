#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/file_items.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: decided-result
///
/// What it does: finds a public result whose value a secret decides.
/// Why: the receiver of the result learns the secret. A secret that is returned itself is T2019;
/// this one is about public values of which a secret says which it is.
/// Example: `if s { return 1; } return 0;` for a result `i64`
/// Use instead: a result `secret i64`, or `reveal(s)` if everybody may know.
/// Fix safety: unsafe: makes the result secret, which callers must expect.
/// The result's type with `secret` in front of it.
static void make_result_secret(const Subject& subject, size_t ordinal, Diagnostic& finding) {
  size_t i = 0;
  const syntax::Node results = names::item_node(subject.tree).child(syntax::Field::Results);
  for (const syntax::Node result : results.children()) {
    const syntax::Node type = result.child(syntax::Field::Type);
    if (!result.is(syntax::NodeKind::Result) || i++ != ordinal || !type) {
      continue;
    }
    const TextRange visibility = type.child(syntax::Field::Visibility).range();
    const bool is_written = type.is(syntax::NodeKind::VisibleType);
    const TextRange place =
        is_written ? visibility : TextRange{type.range().begin, type.range().begin};
    finding.fixes.push_back({"make the result secret",
                             Applicability::Unsafe,
                             {{place, is_written ? "secret" : "secret "}}});
  }
}

/// Which of the results in the text a result of the kernel is, if columns are in front of it: none
/// that there is.
static auto ordinal_of(const kernel::Kernel& kernel, size_t result) -> size_t {
  const auto begin = kernel.results.begin();
  const bool has_columns = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(result),
                                       [](const kernel::Result& one) { return one.is_column; });
  return has_columns ? kernel.results.size() : result;
}

static void find_decided_result(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const auto* result = std::get_if<kernel::Return>(&statement.node);
    if (result == nullptr) {
      return;
    }
    for (size_t i = 0; i < result->values.size() && i < subject.kernel.results.size(); ++i) {
      if (subject.kernel.results[i].visibility == types::Visibility::Secret) {
        continue;
      }
      std::vector<oblivious::CauseId> causes = subject.secrecy.causes(at, result->values[i]);
      if (const oblivious::CauseId control = subject.secrecy.control(at);
          causes.empty() && control.has_value()) {
        causes = {control};
      }
      if (causes.empty()) {
        continue;
      }
      Diagnostic* finding =
          findings.add(DiagnosticCode::T5009, subject.kernel.exprs[result->values[i]].place,
                       "public result depends on a secret");
      if (finding != nullptr) {
        findings.add_path(*finding, causes);
        add_note(*finding, "make the result `secret`, or use `reveal(…)` if it may become public");
        if (!subject.kernel.results[i].is_column) {
          make_result_secret(subject, ordinal_of(subject.kernel, i), *finding);
        }
      }
    }
  });
}

/// In a coordinator function: a secret that is given back as a public result, unless to its owner.
static void check_coordinator(const Coordinator& subject, CoordinatorFindings& findings) {
  for (const leakage::Channel& channel : subject.channels) {
    if (channel.kind != leakage::ChannelKind::Result) {
      continue;
    }
    Diagnostic* finding =
        findings.add(DiagnosticCode::T5009, channel, "public result depends on a secret");
    if (finding != nullptr) {
      add_note(*finding, "no fix: make the result `secret`, or declare its owner with `to`");
    }
  }
}

auto decided_result() -> Rule {
  return {DiagnosticCode::T5009, "decided-result", RuleKind::Leak, find_decided_result,
          check_coordinator};
}

}  // namespace tacet::linter
