#include "compiler/front/flow/diagnose.h"

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/flow/check_places.h"
#include "compiler/front/flow/check_references.h"
#include "compiler/front/flow/check_stated.h"
#include "compiler/front/flow/port_facts.h"
#include "compiler/front/names/queries.h"

namespace tacet::flow {

auto diagnose(query::Context& context, const check::Body& body, const hir::Function& function)
    -> Findings {
  Findings findings;
  names::Report report(function.item);
  names::Report leftovers(function.item);
  check_references(context, function, body, report);
  const bool is_stated = states_flows(*context.get<names::SyntaxOfItem>(function.item));
  if (function.places.size() != 0 || is_stated) {
    const PlaceProblem problem(function, context.service<types::TypeStore>(),
                               port_facts(context, function), Followed::Suspects);
    if (!problem.followed().empty() || is_stated) {
      const hir::BlockFacts<PlaceFact> facts = hir::solve(function, problem);
      const PlaceMistakes mistakes = check_places(context, problem, facts, report, leftovers);
      findings.are_values_unclear = mistakes.has_empty_reads;
      findings.are_events_unclear = mistakes.has_used_up_handles;
      // A node for what is empty, or two nodes for one thing, would be contradicted once more.
      if (is_stated && !check_stated(context, problem, facts, body, report)) {
        findings.are_values_unclear = true;
      }
    }
  }
  findings.diagnostics = report.take();
  findings.leftovers = leftovers.take();
  return findings;
}

auto diagnose_broken(query::Context& context, const hir::Function& function)
    -> check::ItemDiagnostics {
  const PlaceProblem problem(function, context.service<types::TypeStore>(),
                             port_facts(context, function), Followed::Suspects, Sense::Broken);
  if (problem.followed().empty()) {
    return {};
  }
  names::Report report(function.item);
  names::Report leftovers(function.item);
  check_places(context, problem, hir::solve(function, problem), report, leftovers);
  check::ItemDiagnostics diagnostics = report.take();
  std::erase_if(diagnostics, [](const names::ItemDiagnostic& finding) {
    return finding.diagnostic.code != DiagnosticCode::T1010;
  });
  return diagnostics;
}

}  // namespace tacet::flow
