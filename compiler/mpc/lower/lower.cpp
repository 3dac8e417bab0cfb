#include "compiler/mpc/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/reasons.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/combine_iterations.h"
#include "compiler/device/oblivious/secret_regions.h"
#include "compiler/mpc/lower/forward_values.h"
#include "compiler/mpc/lower/lowerer.h"
#include "compiler/mpc/lower/spread_reductions.h"
#include "engine/mpc_model/programs/program_costs.h"

/// Whole functions: what they may hold, parameters, results, and the places of instructions.
namespace tacet::mpc_lower {

/// May the function end anywhere but at the end of its body?
static auto returns_early(const kernel::Kernel& kernel) -> bool {
  size_t n = 0;
  kernel::walk_statements(kernel, kernel.body, [&](kernel::StatementId id) {
    n += std::holds_alternative<kernel::Return>(kernel.statements[id].node) ? 1 : 0;
  });
  const bool ends = !kernel.body.empty() && std::holds_alternative<kernel::Return>(
                                                kernel.statements[kernel.body.back()].node);
  return n != 1 || !ends;
}

/// There are no shares of floating-point numbers, nor of nothing.
static void refuse_types(Lowerer& lowerer) {
  constexpr std::string_view kMessage = "a floating-point number";
  constexpr std::string_view kNote = "use fixed point: `fxp<n>` has `n` fraction bits";
  for (const kernel::Variable& variable : lowerer.kernel.variables.values()) {
    if (engine::is_float(variable.type.element.kind)) {
      stick(lowerer, variable.place, kMessage, kNote);
    }
    const Extents& extents = variable.type.extents;
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
      stick(lowerer, variable.place, "an empty array");
    }
  }
  // An unused value may be a constant before it became what it meets.
  std::set<kernel::ExprId> seen;
  const std::function<void(kernel::ExprId)> visit = [&](kernel::ExprId id) {
    if (!seen.insert(id).second) {
      return;
    }
    const kernel::Expr& expr = lowerer.kernel.exprs[id];
    if (engine::is_float(expr.type.element.kind)) {
      stick(lowerer, expr.place, kMessage, kNote);
    }
    kernel::visit_exprs(expr, visit);
  };
  kernel::walk_statements(lowerer.kernel, lowerer.kernel.body, [&](kernel::StatementId id) {
    kernel::visit_exprs(lowerer.kernel.statements[id], visit);
  });
}

/// Products of numbers with more bits behind the point do not fit into 64 bits.
static constexpr unsigned kMostOfNarrow = 20;

static auto needs_wide_ring(const kernel::Kernel& kernel) -> bool {
  const auto has_wide = [](const auto& store) {
    return std::any_of(store.values().begin(), store.values().end(), [](const auto& value) {
      return value.type.element.kind == engine::ElementKind::Fxp &&
             value.type.element.fraction_bits > kMostOfNarrow;
    });
  };
  return has_wide(kernel.variables) || has_wide(kernel.exprs);
}

void set_place(Lowerer& lowerer, FileRange place) {
  if (lowerer.places.empty() || lowerer.places.back() != place) {
    lowerer.places.push_back(place);
  }
  lowerer.emitter.set_line(static_cast<uint32_t>(lowerer.places.size()));
}

/// From numbers of places to lines.
static void finish_places(Lowerer& lowerer) {
  for (MpcInstruction& instruction : lowerer.program.code) {
    if (instruction.line > 0) {
      instruction.line = lowerer.options.line_of
                             ? lowerer.options.line_of(lowerer.places[instruction.line - 1])
                             : 0;
    }
  }
}

static auto diagnostic_of(const Lowerer& lowerer, const FixedFinding& finding) -> Diagnostic {
  const FileRange place = finding.line > 0         ? lowerer.places[finding.line - 1]
                          : lowerer.places.empty() ? lowerer.place
                                                   : lowerer.places.front();
  Diagnostic diagnostic = make_diagnostic(finding.code, place, finding.message);
  diagnostic.severity = finding.severity;
  diagnostic.notes.push_back(finding.note);
  for (const FixedFinding::Part& part : finding.reasons) {
    diagnostic.reasons.push_back(
        {part.depth, part.text, part.line > 0 ? lowerer.places[part.line - 1] : FileRange()});
  }
  limit_reasons(diagnostic.reasons);
  return diagnostic;
}

/// What a parameter may hold.
static auto cells_of(const kernel::Variable& parameter) -> CellRange {
  const CellRange all = oblivious::range_of_type(parameter.type.element);
  if (!parameter.bound || parameter.bound->lower >= parameter.bound->upper) {
    return all;
  }
  return {std::max(all.lower, WideInteger{parameter.bound->lower}),
          std::min(all.upper, WideInteger{parameter.bound->upper} - 1)};
}

namespace {

auto type_of(const kernel::Type& type, types::Visibility visibility) -> MpcType {
  const bool is_secret = visibility == types::Visibility::Secret;
  return {is_secret ? MpcVisibility::Secret : MpcVisibility::Public, type.element, type.extents};
}

/// The bounds of the parameters.
auto add_parameters(Lowerer& lowerer) -> FixedRanges::Bounds {
  FixedRanges::Bounds bounds;
  for (const kernel::VariableId id : lowerer.kernel.parameters) {
    const kernel::Variable& parameter = lowerer.kernel.variables[id];
    Value value{.element = parameter.type.element, .extents = parameter.type.extents};
    value.reg =
        lowerer.emitter.new_input(parameter.name, type_of(parameter.type, parameter.visibility));
    lowerer.program.inputs.push_back({value.reg, party_named(lowerer, parameter.owner)});
    bounds.emplace(value.reg, cells_of(parameter));
    lowerer.env[id.index] = std::move(value);
  }
  return bounds;
}

void add_early_results(Lowerer& lowerer) {
  for (const kernel::Result& result : lowerer.kernel.results) {
    lowerer.early_results.push_back(
        lowerer.emitter.new_register("result", type_of(result.type, result.visibility)));
    lowerer.emitter.assign(lowerer.early_results.back(), MpcOpcode::Constant, {}, {0});
  }
}

auto output_name(const kernel::Kernel& kernel, size_t i) -> std::string {
  if (!kernel.results[i].name.empty()) {
    return kernel.results[i].name;
  }
  return kernel.results.size() == 1 ? "out" : fmt::format("out{}", i);
}

void add_output(Lowerer& lowerer, size_t i) {
  const kernel::Result& result = lowerer.kernel.results[i];
  engine::MpcOutput output{.name = output_name(lowerer.kernel, i), .reg = {}};
  output.receiver = party_named(lowerer, result.receiver);
  if (!lowerer.early_results.empty()) {
    output.reg = lowerer.early_results[i];
  } else if (i < lowerer.results.size()) {
    const Value& value = lowerer.results[i];
    output.reg = in_register(lowerer, value, {}, value.extents);
    const bool is_shown = result.visibility == types::Visibility::Public;
    if (is_shown && is_secret_in(lowerer, value) && !output.receiver.has_value()) {
      output.receiver = value.receiver;
      if (!output.receiver.has_value()) {
        stick(lowerer, lowerer.place, "a result computed from a value revealed to only one party",
              "reveal the value to all parties with `reveal(e)`");
      }
    }
  }
  lowerer.program.outputs.push_back(std::move(output));
}

auto diagnostic_of(const Stuck& stuck) -> Diagnostic {
  Diagnostic diagnostic =
      make_diagnostic(DiagnosticCode::T6030, stuck.place,
                      fmt::format("this does not run on secret shares: {}", stuck.message));
  if (!stuck.note.empty()) {
    diagnostic.notes.push_back(stuck.note);
  }
  return diagnostic;
}

}  // namespace

static auto lowered(Lowerer& lowerer) -> Lowering {
  lowerer.program.fixed_ring_bits = needs_wide_ring(lowerer.kernel) ? 128 : 64;
  refuse_types(lowerer);
  const FixedRanges::Bounds bounds = add_parameters(lowerer);
  if (returns_early(lowerer.kernel)) {
    add_early_results(lowerer);
  }
  run(lowerer, lowerer.kernel.body);
  for (size_t i = 0; i < lowerer.kernel.results.size() && !lowerer.stuck; ++i) {
    add_output(lowerer, i);
  }
  Lowering lowering;
  if (lowerer.stuck) {
    lowering.diagnostics.push_back(diagnostic_of(*lowerer.stuck));
    return lowering;
  }
  lowerer.emitter.finish(lowerer.program);
  bool is_right = true;
  for (const FixedFinding& finding : fit_fixed_point(lowerer.program, bounds, lowerer.options)) {
    lowering.diagnostics.push_back(diagnostic_of(lowerer, finding));
    is_right = is_right && lowering.diagnostics.back().severity != Severity::Error;
  }
  if (is_right) {
    finish_places(lowerer);
    lowering.program = std::move(lowerer.program);
    lowering.sequential_loops = std::move(lowerer.sequential_loops);
  }
  return lowering;
}

/// Loops whose iterations depend on each other in other ways than the lowering knows.
static auto combined_iterations(const kernel::Kernel& kernel) -> loops::Combined {
  const IterationAnalysis analysis(kernel);
  const auto leave = [&](const kernel::Kernel& in, kernel::StatementId id) {
    const auto* loop = std::get_if<kernel::For>(&in.statements[id].node);
    return loop == nullptr || analysis.of(*loop, 1).has_value();
  };
  return loops::combine_iterations(kernel, leave);
}

static auto lowered_as_is(kernel::Kernel kernel, const LowerOptions& options) -> Lowering {
  Lowerer lowerer(spread_reductions(oblivious::with_secret_regions(std::move(kernel))), options);
  return lowered(lowerer);
}

/// Rounds first, then bytes; as far as they can be known.
static auto is_cheaper(const engine::MpcProgram& one, const engine::MpcProgram& other) -> bool {
  constexpr uint64_t kMostInstructions = 50'000;
  const auto protocol = mpc_model::aby3_costs();
  mpc_model::ProgramCostOptions options;
  options.most_instructions = kMostInstructions;
  const mpc_model::LineCost a = cost_of_program(*protocol, one, options).total;
  const mpc_model::LineCost b = cost_of_program(*protocol, other, options).total;
  if (a.certainty.is_cut != b.certainty.is_cut) {
    return b.certainty.is_cut;
  }
  return a.cost.rounds != b.cost.rounds ? a.cost.rounds < b.cost.rounds
                                        : a.cost.bytes < b.cost.bytes;
}

auto lower(const kernel::Kernel& kernel, const LowerOptions& options) -> Lowering {
  const kernel::Kernel forwarded = forward_values(kernel);
  loops::Combined combined;
  if (options.iterations == LowerIterations::Combined) {
    combined = combined_iterations(forwarded);
  }
  Lowering as_written = lowered_as_is(forwarded, options);
  if (combined.loops.empty() || !as_written.program) {
    return as_written;
  }
  // Where something else is waited for anyway, a tree gains nothing.
  Lowering with_trees = lowered_as_is(std::move(combined.kernel), options);
  const bool is_better = with_trees.program && is_cheaper(*with_trees.program, *as_written.program);
  return is_better ? with_trees : as_written;
}

}  // namespace tacet::mpc_lower
