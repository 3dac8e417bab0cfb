#include "compiler/he/gates/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/certain_faults.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/he/gates/builder.h"
#include "compiler/he/gates/estimate.h"
#include "compiler/he/gates/lowering.h"
#include "compiler/he/gates/optimise.h"

namespace tacet::gates {

namespace {

/// What belongs to whom: the same as for the other schemes.
auto owner_of(const kernel::Variable& parameter) -> engine::CggiOwner {
  const bool is_client = parameter.owner.empty() ? parameter.visibility == types::Visibility::Secret
                                                 : parameter.owner == "client";
  return is_client ? engine::CggiOwner::Client : engine::CggiOwner::Server;
}

auto extents_of(const kernel::Type& type) -> std::vector<uint64_t> {
  return {type.extents.begin(), type.extents.end()};
}

/// Fields for the buses of a graph: as many elements of each as its type says.
void add_fields(const Circuit& circuit, engine::CggiProgram& program) {
  size_t bus = 0;
  for (const kernel::VariableId id : circuit.kernel.parameters) {
    const kernel::Variable& parameter = circuit.kernel.variables[id];
    const size_t n = n_cells(parameter.type);
    engine::CggiField field{.name = parameter.name,
                            .type = parameter.type.element,
                            .extents = extents_of(parameter.type),
                            .owner = owner_of(parameter)};
    field.width = n == 0 ? engine::bit_width(field.type.kind)
                         : static_cast<unsigned>(circuit.graph.inputs[bus].bits.size());
    if (parameter.bound) {
      field.bound = engine::CggiBound{parameter.bound->lower, parameter.bound->upper - 1};
    }
    program.inputs.push_back(std::move(field));
    bus += n;
  }
  for (size_t i = 0; i < circuit.kernel.results.size(); ++i) {
    const kernel::Result& result = circuit.kernel.results[i];
    program.results.push_back({.name = !result.name.empty() ? result.name
                                       : circuit.kernel.results.size() == 1
                                           ? "out"
                                           : fmt::format("out{}", i),
                               .type = result.type.element,
                               .extents = extents_of(result.type),
                               .width = engine::bit_width(result.type.element.kind)});
  }
}

static_assert(GraphBuilder::kMostTerms == engine::kMostSumTerms);

auto kind_of(GateKind kind) -> engine::CggiGateKind {
  switch (kind) {
    case GateKind::Majority:
      return engine::CggiGateKind::Majority;
    case GateKind::Parity:
      return engine::CggiGateKind::Parity;
    case GateKind::XorAnd:
      return engine::CggiGateKind::XorAnd;
    case GateKind::Sum:
      return engine::CggiGateKind::Sum;
    case GateKind::Constant:
    case GateKind::Input:
      break;
  }
  TACET_CHECK(false, "no gate");
}

/// The gates of a graph, whose inputs come first in a program.
void add_gates(const Graph& graph, engine::CggiProgram& program) {
  std::vector<uint32_t> wires(graph.gates.size(), 0);
  uint32_t n_wires = 1;
  for (const Bus& bus : graph.inputs) {
    for (const Signal bit : bus.bits) {
      wires[bit.gate()] = n_wires++;
    }
  }
  const auto signal = [&](Signal bit) {
    return 2 * wires[bit.gate()] + (bit.is_inverted() ? 1U : 0U);
  };
  for (size_t i = 0; i < graph.gates.size(); ++i) {
    const Gate& gate = graph.gates[i];
    if (!is_gate(gate.kind)) {
      continue;
    }
    wires[i] = n_wires++;
    program.gates.push_back(
        {kind_of(gate.kind),
         {signal(gate.operands[0]), signal(gate.operands[1]), signal(gate.operands[2])}});
  }
  for (const Bus& bus : graph.outputs) {
    for (const Signal bit : bus.bits) {
      program.outputs.push_back(signal(bit));
    }
  }
}

/// Ciphertexts that share a pass over the key, on average: two threads divide a level.
auto lock_step_of(const Graph& graph) -> double {
  constexpr double kMost = 8;
  const double n_levels = std::max(1U, depth(graph));
  return std::clamp(static_cast<double>(n_bootstraps(graph)) / n_levels / 2, 1.0, kMost);
}

/// A circuit, and what it was before optimisation.
struct Attempt {
  Lowering lowering;
  size_t n_before = 0;
};

auto attempt(const kernel::Kernel& kernel, Carries carries, const CompileOptions& options)
    -> Attempt {
  Attempt made{.lowering = lower(kernel, {.key = options.random_key,
                                          .carries = carries,
                                          .most_gates = options.most_gates})};
  if (std::optional<Graph>& graph = made.lowering.graph) {
    made.n_before = n_bootstraps(*graph);
    if (options.optimisation == Optimisation::Full) {
      graph = optimise(std::move(*graph));
    }
  }
  return made;
}

auto milliseconds_of(const Graph& graph, const cggi::BootstrapTimes& times) -> double {
  return estimated_milliseconds(level_sizes(graph), times.parameters, times);
}

/// The given attempt with ripples, or one with blocks that is worth its additional bootstraps.
auto fastest(const kernel::Kernel& kernel, Attempt ripples, const CompileOptions& options)
    -> Attempt {
  constexpr size_t kMostGates = 20'000;
  constexpr size_t kBlocks[] = {4, 8, 16};
  constexpr double kWorthwhile = 0.9;
  const Graph& graph = *ripples.lowering.graph;
  const size_t n_at_once =
      size_t{options.times.n_threads} * size_t{cggi::BootstrapTimes::kTogether};
  if (n_bootstraps(graph) > kMostGates || n_bootstraps(graph) >= n_at_once * depth(graph)) {
    return ripples;
  }
  double least = kWorthwhile * milliseconds_of(graph, options.times);
  Attempt best = std::move(ripples);
  for (const size_t block : kBlocks) {
    Attempt other = attempt(kernel, {block}, options);
    if (!other.lowering.graph) {
      continue;
    }
    const double milliseconds = milliseconds_of(*other.lowering.graph, options.times);
    if (milliseconds < least) {
      least = milliseconds;
      best = std::move(other);
    }
  }
  return best;
}

}  // namespace

auto circuit_of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                const CompileOptions& options) -> CircuitLowering {
  if (snapshot.item_key(item).kind != names::ItemKind::Fn) {
    return {.circuit = {}, .problem = "circuits are made of device functions"};
  }
  kernel::Lowering lowering = kernel::lower(snapshot, item);
  if (!lowering.kernel) {
    return {.circuit = {}, .problem = fmt::format("{} is not supported", lowering.problem)};
  }
  kernel::move_to_calls(lowering);
  for (size_t i = 0; i < options.bounds.size(); ++i) {
    if (options.bounds[i]) {
      lowering.kernel->variables[lowering.kernel->parameters[i]].bound = options.bounds[i];
    }
  }
  oblivious::Ranges ranges(*lowering.kernel);
  CircuitLowering result;
  result.diagnostics = oblivious::certain_faults(*lowering.kernel, ranges);
  oblivious::ObliviousForm form =
      oblivious::make_oblivious(*lowering.kernel, oblivious::Accesses::Leave);
  result.diagnostics.insert(result.diagnostics.end(), form.diagnostics.begin(),
                            form.diagnostics.end());
  if (!result.diagnostics.empty()) {
    return result;
  }
  Attempt made = attempt(form.kernel, {}, options);
  result.diagnostics = std::move(made.lowering.diagnostics);
  if (!made.lowering.graph) {
    return result;
  }
  if (options.optimisation == Optimisation::Full) {
    made = fastest(form.kernel, std::move(made), options);
  }
  result.circuit = Circuit{.kernel = std::move(form.kernel),
                           .graph = std::move(*made.lowering.graph),
                           .origins = std::move(made.lowering.origins),
                           .tables = std::move(made.lowering.tables),
                           .n_before = made.n_before};
  return result;
}

auto compile(const program::FrontendSnapshot& snapshot, names::ItemId item,
             const CompileOptions& options) -> Compilation {
  CircuitLowering lowering = circuit_of(snapshot, item, options);
  if (!lowering.circuit) {
    return {.compiled = {},
            .diagnostics = std::move(lowering.diagnostics),
            .problem = std::move(lowering.problem)};
  }
  return compile(std::move(*lowering.circuit), options);
}

auto compile(Circuit circuit, const CompileOptions& options) -> Compilation {
  engine::CggiProgram program;
  program.name = circuit.kernel.name;
  program.log2_failure = options.log2_failure;
  program.is_unhidden = options.is_unhidden;
  add_fields(circuit, program);
  add_gates(circuit.graph, program);
  const std::vector<cggi::DecisionCount> decisions = engine::decisions_of(program);
  Result<cggi::ChosenParameters> chosen =
      cggi::choose_parameters({.decisions = decisions,
                               .log2_failure = options.log2_failure,
                               .lock_step = lock_step_of(circuit.graph)});
  if (!chosen) {
    return {.compiled = {}, .problem = chosen.error().message};
  }
  program.parameters = chosen->parameters;
  return {.compiled = Compiled{.circuit = std::move(circuit),
                               .chosen = std::move(*chosen),
                               .program = std::move(program)}};
}

}  // namespace tacet::gates
