#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/kernel/kernel.h"
#include "compiler/front/types/value_bound.h"
#include "compiler/he/gates/graph.h"
#include "compiler/he/gates/lower.h"
#include "compiler/spec/program/frontend.h"
#include "engine/cggi_format/program.h"
#include "engine/cggi_model/bootstrap_times.h"
#include "engine/cggi_model/choose_parameters.h"
#include "engine/random/public_random.h"

/// The whole pipeline from a checked device function to what the engine runs under CGGI.
namespace tacet::gates {

enum class Optimisation : uint8_t { None, Full };

struct CompileOptions {
  /// What public random draws are functions of: they are constants of the circuit.
  engine::PublicRandomKey random_key{};
  /// By parameter: what its elements are in, within what the text declares.
  std::vector<std::optional<types::ValueBound>> bounds{};
  /// T6003 for circuits with more, before optimisation.
  size_t most_gates = size_t{1} << 24U;
  Optimisation optimisation = Optimisation::Full;
  /// Of the machine on which it is to be fast: how its sums carry depends on them.
  cggi::BootstrapTimes times = cggi::default_bootstrap_times();
  /// log2 of what the probability that any gate decides wrongly must be below.
  double log2_failure = -64;
  /// Results may show the server's numbers to the client.
  bool is_unhidden = false;
};

struct Circuit {
  kernel::Kernel kernel;  ///< in its oblivious form
  Graph graph;
  Origins origins;  ///< of the gates in the kernel
  std::vector<TableRead> tables;
  size_t n_before = 0;  ///< bootstraps before optimisation

  friend auto operator==(const Circuit&, const Circuit&) -> bool = default;
};

struct CircuitLowering {
  std::optional<Circuit> circuit;
  /// What is wrong with the text.
  std::vector<Diagnostic> diagnostics{};
  /// Or why there is no circuit: a part of a sentence.
  std::string problem{};
};

/// The circuit of a device function without errors. Where few of its gates can be evaluated at
/// once, its sums, comparisons and divisions carry in blocks, if that is estimated to be a tenth
/// faster. Throws `query::Cancelled`.
auto circuit_of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                const CompileOptions& options = {}) -> CircuitLowering;

struct Compiled {
  Circuit circuit;
  cggi::ChosenParameters chosen;
  engine::CggiProgram program;
};

struct Compilation {
  std::optional<Compiled> compiled;
  std::vector<Diagnostic> diagnostics{};
  std::string problem{};
};

/// A program for the engine of a circuit: the cheapest parameters are searched for, some tenths of
/// a second.
auto compile(Circuit circuit, const CompileOptions& options) -> Compilation;

/// A program for the engine, with the cheapest parameters that keep its failure probability. What
/// is `secret` belongs to the client, unless it names its owner; everything else to the server.
auto compile(const program::FrontendSnapshot& snapshot, names::ItemId item,
             const CompileOptions& options = {}) -> Compilation;

}  // namespace tacet::gates
