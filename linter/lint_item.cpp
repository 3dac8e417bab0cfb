#include "linter/lint_item.h"

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/oblivious/certain_faults.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/leakage/summary.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "linter/device_summaries.h"
#include "linter/item_diagnostic.h"
#include "linter/kernel_of_item.h"
#include "linter/place_in_caller.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using names::ItemId;
using oblivious::Secrecy;

auto in_item(Diagnostic diagnostic) -> names::ItemDiagnostic {
  names::ItemDiagnostic result;
  for (const Label& label : diagnostic.labels) {
    result.label_items.push_back(item_of(label.place));
  }
  result.diagnostic = std::move(diagnostic);
  return result;
}

namespace {

/// A loop without limit gets one. How large it has to be is for the writer to say.
void add_limit(Diagnostic& leak, const syntax::Tree& tree) {
  if (leak.code != DiagnosticCode::T5030) {
    return;
  }
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const syntax::Node loop(&tree, i);
    if (loop.range() != leak.place.range || loop.child(syntax::Field::Max)) {
      continue;
    }
    for (const syntax::Field last :
         {syntax::Field::Step, syntax::Field::Upper, syntax::Field::Condition}) {
      if (const syntax::Node bound = loop.child(last)) {
        const uint32_t end = bound.range().end;
        leak.fixes.push_back(
            {"limit the loop with `max 16`", Applicability::Unsafe, {{{end, end}, " max 16"}}});
        return;
      }
    }
  }
}

/// What rules find in a device function.
struct DeviceFindings {
  std::vector<Diagnostic> own;
  /// In the text of other functions, found where those were called; the last label is there.
  std::vector<Diagnostic> inlined;
};

/// What cannot be rewritten is found by the rewriting itself. Where that is in the text of another
/// function, which was inlined, it is reported at the last step of the secret's path that is not.
void add_leaks(const std::vector<Diagnostic>& problems, ItemId own, const syntax::Tree& tree,
               DeviceFindings& found) {
  for (const Diagnostic& problem : problems) {
    Diagnostic leak = problem;
    if (item_of(leak.place) == own) {
      add_limit(leak, tree);
      found.own.push_back(std::move(leak));
      continue;
    }
    const auto step = std::find_if(problem.labels.rbegin(), problem.labels.rend(),
                                   [&](const Label& label) { return item_of(label.place) == own; });
    if (step != problem.labels.rend()) {
      leak.place = step->place;
      leak.labels.push_back({problem.place, "here"});
      found.inlined.push_back(std::move(leak));
    }
  }
}

auto find_in(query::Context& context, const kernel::Lowering& lowering, ItemId item)
    -> DeviceFindings {
  const kernel::Kernel& kernel = *lowering.kernel;
  DeviceSummaries summaries(context);
  oblivious::SecrecyOptions options;
  options.summary = [&](const kernel::Call& call, const std::vector<bool>& arguments) {
    return summaries.results(kernel, call, arguments);
  };
  const Secrecy secrecy = oblivious::analyse_secrecy(kernel, options);
  oblivious::Ranges ranges(kernel);
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const Subject subject{
      kernel, secrecy,           ranges, context.service<names::ItemTable>(), FileId{item.index},
      *tree,  lowering.arguments};
  Findings findings(subject, FileId{item.index});
  for (const Rule& rule : rules()) {
    if (rule.check != nullptr) {
      rule.check(subject, findings);
    }
  }
  DeviceFindings found{findings.take(), {}};
  for (Diagnostic& finding : findings.take_inlined()) {
    const Rule* rule = find_rule(finding.code);
    const auto call = rule->kind == RuleKind::Advice
                          ? std::nullopt
                          : place_in_caller(lowering, secrecy, finding.place);
    if (call) {
      finding.labels.push_back({finding.place, "here"});
      finding.place = *call;
      found.inlined.push_back(std::move(finding));
    }
  }
  for (Diagnostic& fault : oblivious::certain_faults(kernel, ranges)) {
    // Of what is inlined it is reported in the callee, if it is certain there.
    if (item_of(fault.place) == item) {
      std::erase_if(found.own, [&](const Diagnostic& other) {
        return other.place == fault.place &&
               (other.code == DiagnosticCode::T9105 || other.code == DiagnosticCode::T9106);
      });
      found.own.push_back(std::move(fault));
    }
  }
  if (oblivious::may_have_problems(kernel, secrecy)) {
    add_leaks(oblivious::make_oblivious(kernel).diagnostics, item, *tree, found);
  }
  return found;
}

/// Query: what is found in a function by itself, as places in items, without what is inlined.
struct OwnFindingsOfItem {
  static constexpr std::string_view kName = "own_findings_of_item";
  using Key = ItemId;
  using Value = std::shared_ptr<const std::vector<Diagnostic>>;
  static auto compute(query::Context& context, const Key& item) -> Value {
    const kernel::Lowering lowering = lowering_of_item(context, item);
    return std::make_shared<const std::vector<Diagnostic>>(
        lowering.kernel ? find_in(context, lowering, item).own : std::vector<Diagnostic>());
  }
};

auto is_in_library(query::Context& context, ItemId item) -> bool {
  const FileId file = context.service<names::ItemTable>()[item].file;
  return names::is_library_path(context.get<names::WorkspaceInput>({})->path(file));
}

/// What is found in callees alone because of what the caller does, and not without it, joins what
/// is found in `item`. Not in functions of the library, which nobody can change.
auto with_inlined(query::Context& context, DeviceFindings found) -> std::vector<Diagnostic> {
  for (Diagnostic& finding : found.inlined) {
    const FileRange inside = finding.labels.back().place;
    if (is_in_library(context, item_of(inside))) {
      continue;
    }
    const auto& there = *context.get<OwnFindingsOfItem>(item_of(inside));
    const auto is_same = [&](const Diagnostic& other) {
      return other.code == finding.code && other.place == inside;
    };
    const auto is_told = [&](const Diagnostic& other) {
      return other.code == finding.code && other.place == finding.place;
    };
    if (std::none_of(there.begin(), there.end(), is_same) &&
        std::none_of(found.own.begin(), found.own.end(), is_told)) {
      found.own.push_back(std::move(finding));
    }
  }
  return std::move(found.own);
}

}  // namespace

/// What rules find in a coordinator function.
static auto findings_in_coordinator(query::Context& context, ItemId item)
    -> std::vector<Diagnostic> {
  const std::vector<leakage::Channel> channels = leakage::channels_of(context, item);
  const Coordinator subject{item, channels, context.service<Interner>()};
  CoordinatorFindings findings(item);
  for (const Rule& rule : rules()) {
    if (rule.check_coordinator != nullptr) {
      rule.check_coordinator(subject, findings);
    }
  }
  return findings.take();
}

static auto has_no_errors(query::Context& context, names::ItemId item) -> bool {
  return !check::has_errors(context.get<check::DiagnosticsOfItem>(item)) &&
         context.get<names::SyntaxOfItem>(item)->errors.empty();
}

auto FindingsOfItem::compute(query::Context& context, const Key& item) -> Value {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn) {
    return nullptr;
  }
  std::vector<Diagnostic> all;
  if (context.get<types::SignatureOf>(item)->is_device_function) {
    const kernel::Lowering lowering = lowering_of_item(context, item);
    if (!lowering.kernel) {
      return nullptr;
    }
    all = with_inlined(context, find_in(context, lowering, item));
  } else if (has_no_errors(context, item)) {
    all = findings_in_coordinator(context, item);
  } else {
    return nullptr;
  }
  ItemFindings result;
  for (Diagnostic& finding : all) {
    result.findings.push_back(in_item(std::move(finding)));
  }
  if (result.findings.empty()) {
    return nullptr;
  }
  return std::make_shared<const ItemFindings>(std::move(result));
}

auto obliviousness_of(query::Context& context, ItemId item) -> std::optional<Obliviousness> {
  if (!kernel_of_item(context, item)) {
    return std::nullopt;
  }
  Obliviousness result;
  const auto found = context.get<FindingsOfItem>(item);
  for (const names::ItemDiagnostic& entry :
       found == nullptr ? std::vector<names::ItemDiagnostic>() : found->findings) {
    const Rule* rule = find_rule(entry.diagnostic.code);
    const bool is_fault = code_name(entry.diagnostic.code)[1] == '8';
    if (is_fault) {
      continue;
    }
    if (rule == nullptr || rule->kind == RuleKind::Leak) {
      result.leaks.push_back(entry.diagnostic.place.range);
    } else if (rule->kind == RuleKind::Channel) {
      result.channels.push_back(entry.diagnostic.place.range);
    }
  }
  return result;
}

}  // namespace tacet::linter
