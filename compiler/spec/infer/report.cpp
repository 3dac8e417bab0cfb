#include "compiler/spec/infer/report.h"

#include "compiler/front/flow/diagnose.h"
#include "compiler/front/hir/ssa.h"
#include "compiler/spec/infer/timeline_report.h"
#include "compiler/spec/infer/value_report.h"
#include "compiler/spec/infer/wildcards.h"

namespace tacet::infer {

namespace {

/// How the function fails to do what its value specification says.
auto value_conformance(query::Context& context, const check::Body& body,
                       const hir::Function& function) -> check::ItemDiagnostics {
  const auto& interface = context.get<InterfaceOf>(function.item);
  if (!interface || !interface->spec.has_value()) {
    return {};
  }
  const auto& specification = context.get<SpecificationOf>(interface->spec);
  if (!specification || !specification->graph) {
    return {};
  }
  const Quotients quotients = deduce(context, function, *specification->graph);
  const names::ItemTree& syntax = context.get<names::SyntaxOfItem>(function.item);
  if (quotients.problems.empty() && !quotients.has_holes && !has_wildcards(*syntax)) {
    return {};
  }
  ValueReport reporter(context, function, *specification->graph);
  for (const Problem& problem : quotients.problems) {
    reporter.add(problem);
  }
  if (!quotients.has_mistakes()) {
    const FunctionFacts facts{function, quotients, *specification->graph,
                              *syntax,  body,      *interface};
    std::vector<Hole> holes = quotients.has_holes ? holes_of(context, facts) : std::vector<Hole>();
    for (Hole& wildcard : wildcards_of(context, facts)) {
      holes.push_back(std::move(wildcard));
    }
    for (const Hole& hole : holes) {
      reporter.add(hole);
    }
  }
  return reporter.take();
}

/// True if the function does what its timeline says.
auto add_timeline(query::Context& context, const hir::Function& function,
                  check::ItemDiagnostics& diagnostics) -> bool {
  check::ItemDiagnostics of_timeline = timeline_conformance(context, function);
  diagnostics.insert(diagnostics.end(), of_timeline.begin(), of_timeline.end());
  return !check::has_errors(&of_timeline);
}

/// What is wrong with the body beyond its types. One error is reported once: where it is open what
/// a variable holds, its quotient is, too.
auto body_diagnostics(query::Context& context, names::ItemId item, const check::Findings& found)
    -> check::ItemDiagnostics {
  if (!context.get<names::SyntaxOfItem>(item)->errors.empty()) {
    return {};
  }
  const hir::FunctionPtr built = hir::build_function(context, item, found.body);
  if (!built) {
    return {};
  }
  if (found.has_errors()) {
    return flow::diagnose_broken(context, *built);
  }
  flow::Findings flows = flow::diagnose(context, found.body, *built);
  const hir::Function function = hir::to_ssa(*built);
  if (!flows.are_values_unclear) {
    check::ItemDiagnostics differences = value_conformance(context, found.body, function);
    flows.diagnostics.insert(flows.diagnostics.end(), differences.begin(), differences.end());
  }
  // Where the timeline misses a wait, a future that is never awaited is no second mistake.
  const bool keeps_time =
      flows.are_events_unclear || add_timeline(context, function, flows.diagnostics);
  if (keeps_time) {
    flows.diagnostics.insert(flows.diagnostics.end(), flows.leftovers.begin(),
                             flows.leftovers.end());
  }
  return std::move(flows.diagnostics);
}

}  // namespace

auto DiagnosticsOfFunction::compute(query::Context& context, const Key& item) -> Value {
  // Nothing of this is kept: most functions are checked and never shown.
  const check::Findings found = check::find_out(context, item);
  check::ItemDiagnostics problems = body_diagnostics(context, item, found);
  if (problems.empty()) {
    return found.diagnostics;
  }
  if (found.diagnostics) {
    problems.insert(problems.begin(), found.diagnostics->begin(), found.diagnostics->end());
  }
  return std::make_shared<const check::ItemDiagnostics>(std::move(problems));
}

}  // namespace tacet::infer
