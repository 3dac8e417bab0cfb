#include "cli/run/emit_gates.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/certain_faults.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/device/oblivious/ranges.h"
#include "compiler/he/gates/lower.h"
#include "compiler/he/gates/optimise.h"
#include "compiler/he/gates/print.h"

namespace tacet::cli {

auto is_gates_stage(const std::string& stage) -> bool {
  return stage == "gates" || stage == "blif" || stage == "gates-dot";
}

/// One circuit, with its size in front where the form has comments of that kind.
static auto circuit_text(const std::string& stage, const std::string& name,
                         const gates::Graph& made) -> std::string {
  const gates::Graph graph = gates::optimise(made);
  if (stage == "blif") {
    return gates::print_blif(graph, name);
  }
  if (stage == "gates-dot") {
    return gates::print_graphviz(graph, name);
  }
  return fmt::format("# {}: {} bootstrap{} at depth {}; {} before optimisation\n{}", name,
                     gates::n_bootstraps(graph), gates::n_bootstraps(graph) == 1 ? "" : "s",
                     gates::depth(graph), gates::n_bootstraps(made), gates::print(graph));
}

auto emit_gates(const std::string& stage, const program::FrontendSnapshot& snapshot, FileId file,
                const RunTarget& target, SourceSet& sources, Invocation& invocation) -> ExitCode {
  Result<std::vector<names::ItemId>> items = find_device_targets(snapshot, file, target);
  if (!items) {
    invocation.error(items.error().message);
    return ExitCode::Usage;
  }
  if (items->empty()) {
    invocation.error("the file has no device function, of which circuits are made");
    return ExitCode::Failed;
  }
  std::vector<Diagnostic> found;
  bool is_whole = true;
  for (const names::ItemId item : *items) {
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    const auto report = [&](std::string_view problem) {
      invocation.error(fmt::format("`{}` has no circuit of bits: {}", name, problem));
      is_whole = false;
    };
    if (snapshot.item_key(item).kind != names::ItemKind::Fn) {
      report("circuits are made of device functions");
      continue;
    }
    kernel::Lowering lowering = kernel::lower(snapshot, item);
    if (!lowering.kernel) {
      report(fmt::format("{} is not supported", lowering.problem));
      continue;
    }
    oblivious::Ranges ranges(*lowering.kernel);
    std::vector<Diagnostic> problems = oblivious::certain_faults(*lowering.kernel, ranges);
    const oblivious::ObliviousForm form = oblivious::make_oblivious(*lowering.kernel);
    problems.insert(problems.end(), form.diagnostics.begin(), form.diagnostics.end());
    if (!problems.empty()) {
      found.insert(found.end(), problems.begin(), problems.end());
      continue;
    }
    gates::Lowering circuit = gates::lower(form.kernel);
    found.insert(found.end(), circuit.diagnostics.begin(), circuit.diagnostics.end());
    if (circuit.graph) {
      invocation.out.write(circuit_text(stage, name, *circuit.graph));
    }
  }
  invocation.out.flush();
  print_diagnostics(found, sources, Format::Human, invocation.err, invocation.err_terminal);
  return is_whole && found.empty() ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace tacet::cli
