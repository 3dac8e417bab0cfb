#include "linter/lint_item.h"

#include "compiler/boundary/summary.h"
#include "compiler/check/queries.h"
#include "compiler/diagnostics/code.h"
#include "compiler/frontend/frontend.h"
#include "compiler/kernel/lower.h"
#include "compiler/names/queries.h"
#include "compiler/oblivious/make_oblivious.h"
#include "compiler/types/queries.h"
#include "linter/rewrite_fix.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using names::ItemId;
using oblivious::Secrecy;

namespace {

auto is_right(query::Context& context, ItemId item) -> bool {
  return !check::has_errors(context.get<check::DiagnosticsOfItem>(item)) &&
         context.get<names::SyntaxOfItem>(item)->errors.empty();
}

/// The kernel of a device function without errors; nothing else has one here.
auto kernel_of(query::Context& context, ItemId item) -> std::optional<kernel::Kernel> {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn ||
      !context.get<types::SignatureOf>(item)->is_device_function || !is_right(context, item)) {
    return std::nullopt;
  }
  return kernel::lower(check::FrontendSnapshot(context), item, kernel::Places::InItems).kernel;
}

/// Places of kernels name items in the place of files.
auto item_of(FileRange place) -> ItemId {
  return ItemId{place.file.index};
}

auto in_item(Diagnostic diagnostic) -> names::ItemDiagnostic {
  names::ItemDiagnostic result;
  for (const Label& label : diagnostic.labels) {
    result.label_items.push_back(item_of(label.place));
  }
  result.diagnostic = std::move(diagnostic);
  return result;
}

/// What cannot be rewritten is found by the rewriting itself. Where that is in the text of another
/// function, which was inlined, it is told at the first step of the secret's way that is not.
void add_leaks(const std::vector<Diagnostic>& problems, ItemId own,
               std::vector<Diagnostic>& findings) {
  for (const Diagnostic& problem : problems) {
    Diagnostic leak = problem;
    if (item_of(leak.place) != own) {
      const auto step =
          std::find_if(leak.labels.rbegin(), leak.labels.rend(),
                       [&](const Label& label) { return item_of(label.place) == own; });
      if (step == leak.labels.rend()) {
        continue;
      }
      leak.labels.push_back({leak.place, "here"});
      leak.place = step->place;
    }
    findings.push_back(std::move(leak));
  }
}

/// Where no secret decides anything, rewriting has nothing to say.
auto is_steered(const kernel::Kernel& kernel, const Secrecy& secrecy) -> bool {
  bool is_found = false;
  kernel::walk_statements(kernel, kernel.body, [&](kernel::StatementId id) {
    const kernel::Statement& statement = kernel.statements[id];
    is_found = is_found || secrecy.control(id).has_value();
    if (std::holds_alternative<kernel::For>(statement.node) ||
        std::holds_alternative<kernel::While>(statement.node)) {
      kernel::visit_exprs(statement, [&](kernel::ExprId expr) {
        is_found = is_found || secrecy.is_secret(id, expr);
      });
    }
  });
  return is_found;
}

}  // namespace

/// What rules find in a device function.
static auto findings_in(const kernel::Kernel& kernel, ItemId item) -> std::vector<Diagnostic> {
  const Secrecy secrecy = oblivious::analyse_secrecy(kernel);
  oblivious::Ranges ranges(kernel);
  const Subject subject{kernel, secrecy, ranges};
  Findings findings(subject, FileId{item.index});
  for (const Rule& rule : rules()) {
    if (rule.check != nullptr) {
      rule.check(subject, findings);
    }
  }
  std::vector<Diagnostic> all = findings.take();
  if (is_steered(kernel, secrecy)) {
    add_leaks(oblivious::make_oblivious(kernel).diagnostics, item, all);
  }
  return all;
}

/// What rules find in a coordinator function.
static auto findings_in_coordinator(query::Context& context, ItemId item)
    -> std::vector<Diagnostic> {
  const std::vector<boundary::Channel> channels = boundary::channels_of(context, item);
  const Coordinator subject{item, channels, context.service<Interner>()};
  CoordinatorFindings findings(item);
  for (const Rule& rule : rules()) {
    if (rule.check_coordinator != nullptr) {
      rule.check_coordinator(subject, findings);
    }
  }
  return findings.take();
}

auto FindingsOfItem::compute(query::Context& context, const Key& item) -> Value {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn) {
    return nullptr;
  }
  std::vector<Diagnostic> all;
  if (context.get<types::SignatureOf>(item)->is_device_function) {
    const std::optional<kernel::Kernel> kernel = kernel_of(context, item);
    if (!kernel) {
      return nullptr;
    }
    all = findings_in(*kernel, item);
  } else if (is_right(context, item)) {
    all = findings_in_coordinator(context, item);
  } else {
    return nullptr;
  }
  ItemFindings result;
  for (Diagnostic& finding : all) {
    result.findings.push_back(in_item(std::move(finding)));
  }
  result.suppressions = find_suppressions(*context.get<names::SyntaxOfItem>(item));
  if (result.findings.empty() && result.suppressions.empty()) {
    return nullptr;
  }
  return std::make_shared<const ItemFindings>(std::move(result));
}

/// Is the fix of such a finding to write what the compiler would make of its place?
static auto is_rewritten(DiagnosticCode code) -> bool {
  return (DiagnosticCode::T5001 <= code && code <= DiagnosticCode::T5005) ||
         code == DiagnosticCode::T5010;
}

void add_fixes(query::Context& context, ItemId item, std::vector<names::ItemDiagnostic>& findings) {
  std::optional<kernel::Kernel> kernel;
  // With a public result that is secret no text of this function is right.
  const bool has_public_secret =
      std::any_of(findings.begin(), findings.end(), [](const names::ItemDiagnostic& entry) {
        return entry.diagnostic.code == DiagnosticCode::T5009;
      });
  for (names::ItemDiagnostic& entry : findings) {
    Diagnostic& finding = entry.diagnostic;
    if (!is_rewritten(finding.code) || !finding.fixes.empty()) {
      continue;
    }
    if (has_public_secret) {
      add_note(finding, "no fix before the public result is mended, which a secret decides");
      continue;
    }
    if (!kernel) {
      kernel = kernel_of(context, item);
    }
    const syntax::Tree& tree = *context.get<names::SyntaxOfItem>(item);
    FixOrReason fix = rewrite_fix(*kernel, finding, tree);
    if (auto* found = std::get_if<Fix>(&fix)) {
      finding.fixes.push_back(std::move(*found));
    } else {
      add_note(finding, "no fix: " + std::get<std::string>(fix));
    }
  }
}

auto obliviousness_of(query::Context& context, ItemId item) -> std::optional<Obliviousness> {
  if (!kernel_of(context, item)) {
    return std::nullopt;
  }
  Obliviousness result;
  const auto found = context.get<FindingsOfItem>(item);
  for (const names::ItemDiagnostic& entry :
       found == nullptr ? std::vector<names::ItemDiagnostic>() : found->findings) {
    const Rule* rule = find_rule(entry.diagnostic.code);
    if (rule == nullptr || rule->kind == RuleKind::Leak) {
      result.leaks.push_back(entry.diagnostic.place.range);
    } else if (rule->kind == RuleKind::Channel) {
      result.channels.push_back(entry.diagnostic.place.range);
    }
  }
  return result;
}

}  // namespace tacet::linter
