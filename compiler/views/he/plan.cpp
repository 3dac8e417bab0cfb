#include "compiler/views/he/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/he/lower/compile.h"
#include "compiler/he/schedule/text.h"

namespace tacet::he_views {

namespace {

using he_lower::Stage;

void add(const circuit::Counts& part, circuit::Counts& all) {
  all.input_ciphertexts += part.input_ciphertexts;
  all.input_plaintexts += part.input_plaintexts;
  all.output_ciphertexts += part.output_ciphertexts;
  all.rotations += part.rotations;
  all.hoisted_rotations += part.hoisted_rotations;
  all.rotation_keys += part.rotation_keys;
  all.ct_ct_products += part.ct_ct_products;
  all.ct_pt_products += part.ct_pt_products;
  all.relinearisations += part.relinearisations;
  all.ct_ct_additions += part.ct_ct_additions;
  all.ct_pt_additions += part.ct_pt_additions;
  all.bootstraps += part.bootstraps;
  all.depth = std::max(all.depth, part.depth);
}

void fill(const he_lower::Compiled& compiled, Plan& plan) {
  plan.program = compiled.program;
  plan.circuit = compiled.circuit;
  plan.functions = compiled.functions;
  plan.parts = compiled.parts;
  plan.result = compiled.result;
  if (!compiled.search.best.schedule.statements.empty()) {
    plan.schedule = compiled.search.best.schedule;
    Result<std::string> clause = schedule::to_text(compiled.program, *plan.schedule);
    plan.clause = clause ? std::move(*clause) : std::string();
  }
  if (compiled.parts.empty()) {
    plan.counts = circuit::counts_of(compiled.circuit);
    plan.milliseconds = compiled.search.best.time / 1000;
    return;
  }
  for (const he_lower::Encryption& part : compiled.parts) {
    add(circuit::counts_of(part.program), plan.counts);
    plan.levels = levels_of(plan.program, part.program);
    plan.milliseconds += part.microseconds / 1000;
  }
  plan.ring_dimension = compiled.parts.front().ring_dimension;
  plan.error = compiled.error;
  plan.within = compiled.within;
}

auto stage_text(Stage stage) -> std::string_view {
  switch (stage) {
    case Stage::Array:
      return "reading";
    case Stage::Schedule:
      return "searching for a schedule";
    case Stage::Circuit:
      return "optimising the circuit";
    case Stage::Program:
      return "choosing parameters";
  }
  return "";
}

auto amount(double milliseconds) -> std::string {
  return milliseconds < 10     ? fmt::format("{:.1f} ms", milliseconds)
         : milliseconds < 1000 ? fmt::format("{:.0f} ms", milliseconds)
                               : fmt::format("{:.1f} s", milliseconds / 1000);
}

auto counted(size_t n, std::string_view what) -> std::string {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

auto make_plan(std::vector<array::Program> programs, const PlanOptions& options)
    -> std::optional<Plan> {
  he_lower::CompileOptions compile;
  compile.choice.times = options.times;
  compile.executor = options.executor;
  compile.cancellation = options.cancellation;
  compile.tolerance = options.tolerance;
  compile.last =
      he_lower::unbounded_inputs(programs.front(), {}).empty() ? Stage::Program : Stage::Circuit;
  if (options.pinned) {
    compile.pinned = [&](const array::Program&, uint32_t n_columns) -> Result<schedule::Schedule> {
      schedule::Schedule pinned = *options.pinned;
      pinned.n_columns = n_columns;
      return pinned;
    };
  }
  if (options.progress) {
    compile.entered = [&](Stage stage) { options.progress(stage_text(stage)); };
  }
  const he_lower::Compilation compilation = he_lower::compile(std::move(programs), compile);
  if (options.cancellation.is_cancelled()) {
    return std::nullopt;
  }
  Plan plan;
  plan.problem = compilation.problem.empty() && !compilation.diagnostics.empty()
                     ? compilation.diagnostics.front().message
                     : compilation.problem;
  if (compilation.compiled) {
    fill(*compilation.compiled, plan);
  }
  return plan;
}

auto summary(const Plan& plan) -> std::string {
  if (plan.circuit.statements.empty()) {
    return fmt::format("cannot be encrypted: {}", plan.problem);
  }
  return fmt::format(
      "{} · {} ct×ct · {} ct×pt · depth {} · {}{} · ~{}{}",
      counted(plan.counts.rotations, "rotation"), plan.counts.ct_ct_products,
      plan.counts.ct_pt_products, plan.counts.depth,
      counted(plan.counts.input_ciphertexts, "ciphertext"),
      plan.counts.bootstraps == 0 ? std::string()
                                  : " · " + counted(plan.counts.bootstraps, "bootstrap"),
      amount(plan.milliseconds),
      plan.within == 0 ? std::string() : fmt::format(" · within {:.1g}", plan.within));
}

}  // namespace tacet::he_views
