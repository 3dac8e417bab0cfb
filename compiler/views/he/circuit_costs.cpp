#include "compiler/views/he/circuit_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/he/gates/estimate.h"

namespace tacet::he_views {

namespace {

constexpr size_t kMostGatesShown = 50'000;

auto time_text(double milliseconds) -> std::string {
  return milliseconds < 1000 ? fmt::format("~{:.0f} ms", milliseconds)
                             : fmt::format("~{:.1f} s", milliseconds / 1000);
}

}  // namespace

auto CircuitCostsOfItem::compute(query::Context& context, const Key& item) -> Value {
  const program::FrontendSnapshot view(context, item);
  const gates::Compilation made = gates::compile(view, item, {.most_gates = kMostGatesShown});
  CircuitCosts costs;
  if (!made.compiled) {
    const bool is_large =
        made.diagnostics.size() == 1 && made.diagnostics.front().code == DiagnosticCode::T6003;
    return is_large ? std::make_shared<const CircuitCosts>(costs) : nullptr;
  }
  costs.is_known = true;
  costs.n_bootstraps = gates::n_bootstraps(made.compiled->circuit.graph);
  costs.depth = gates::depth(made.compiled->circuit.graph);
  costs.log2_failure = made.compiled->chosen.log2_failure;
  costs.key_megabytes = made.compiled->chosen.cost.stored_key_bytes / 1e6;
  costs.milliseconds = gates::estimated_milliseconds(*made.compiled, 2);
  return std::make_shared<const CircuitCosts>(costs);
}

auto summary(const CircuitCosts& costs) -> std::string {
  if (!costs.is_known) {
    return fmt::format("CGGI: more than {} gates before optimisation", kMostGatesShown);
  }
  return fmt::format("CGGI: {} bootstrap{} · depth {} · {:.1f} MB key · {}", costs.n_bootstraps,
                     costs.n_bootstraps == 1 ? "" : "s", costs.depth, costs.key_megabytes,
                     time_text(costs.milliseconds));
}

}  // namespace tacet::he_views
