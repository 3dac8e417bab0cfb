#include "cli/run/emit_gates.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "cli/run/operation_times_file.h"
#include "compiler/he/gates/compile.h"
#include "compiler/he/gates/print.h"

namespace tacet::cli {

auto is_gates_stage(const std::string& stage) -> bool {
  return stage == "gates" || stage == "blif" || stage == "gates-dot";
}

/// One circuit, with its size in front where the form has comments of that kind.
static auto circuit_text(const std::string& stage, const std::string& name,
                         const gates::Circuit& made) -> std::string {
  if (stage == "blif") {
    return gates::print_blif(made.graph, name);
  }
  if (stage == "gates-dot") {
    return gates::print_graphviz(made.graph, name);
  }
  const size_t n = gates::n_bootstraps(made.graph);
  return fmt::format("# {}: {} bootstrap{} at depth {}; {} before optimisation\n{}", name, n,
                     n == 1 ? "" : "s", gates::depth(made.graph), made.n_before,
                     gates::print(made.graph));
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
    gates::CircuitLowering lowering = gates::circuit_of(
        snapshot, item,
        {.times = machine_times().bootstraps.value_or(cggi::default_bootstrap_times())});
    found.insert(found.end(), lowering.diagnostics.begin(), lowering.diagnostics.end());
    if (lowering.circuit) {
      invocation.out.write(circuit_text(stage, name, *lowering.circuit));
    } else if (!lowering.problem.empty()) {
      invocation.error(fmt::format("`{}` has no circuit of bits: {}", name, lowering.problem));
      is_whole = false;
    }
  }
  invocation.out.flush();
  print_diagnostics(found, sources, Format::Human, invocation.err, invocation.err_terminal);
  return is_whole && found.empty() ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace tacet::cli
