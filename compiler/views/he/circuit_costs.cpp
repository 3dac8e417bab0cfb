#include "compiler/views/he/circuit_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/oblivious/ranges.h"
#include "compiler/he/gates/compile.h"
#include "compiler/he/gates/estimate.h"

namespace tacet::he_views {

namespace {

constexpr size_t kMostGatesShown = 50'000;

auto time_text(double milliseconds) -> std::string {
  return milliseconds < 1000 ? fmt::format("~{:.0f} ms", milliseconds)
                             : fmt::format("~{:.1f} s", milliseconds / 1000);
}

/// What was measured deserves another digit.
auto measured_time_text(double milliseconds) -> std::string {
  return milliseconds < 100     ? fmt::format("~{:.0f} ms here", milliseconds)
         : milliseconds < 10000 ? fmt::format("~{:.2f} s here", milliseconds / 1000)
                                : fmt::format("~{:.0f} s here", milliseconds / 1000);
}

/// How many bootstraps that `counts` wait for each other at most.
template <class Counts>
auto depth_where(const gates::Graph& graph, const Counts& counts) -> uint32_t {
  std::vector<uint32_t> levels(graph.gates.size(), 0);
  uint32_t most = 0;
  for (size_t i = 0; i < graph.gates.size(); ++i) {
    const gates::Gate& gate = graph.gates[i];
    if (gates::is_gate(gate.kind)) {
      for (const gates::Signal operand : gate.operands) {
        levels[i] = std::max(levels[i], levels[operand.gate()]);
      }
      levels[i] += gates::is_bootstrapped(gate.kind) && counts(gate) ? 1 : 0;
      most = std::max(most, levels[i]);
    }
  }
  return most;
}

/// The costs of a circuit by places of the text.
class OperationList {
 public:
  explicit OperationList(const gates::Circuit& circuit) : circuit_(circuit) {}

  auto make() -> std::vector<OperationCosts> {
    number_places();
    for (const gates::Gate& gate : circuit_.graph.gates) {
      made_[numbers_[gate.origin]].n_bootstraps += gates::is_bootstrapped(gate.kind) ? 1 : 0;
    }
    for (uint32_t number = 1; number < made_.size(); ++number) {
      if (made_[number].n_bootstraps > 0) {
        made_[number].depth = depth_where(circuit_.graph, [&](const gates::Gate& gate) {
          return numbers_[gate.origin] == number;
        });
      }
    }
    for (uint32_t i = 0; i < circuit_.kernel.exprs.size(); ++i) {
      add_width(kernel::ExprId{i});
    }
    made_.erase(made_.begin());
    std::sort(made_.begin(), made_.end(), [](const OperationCosts& a, const OperationCosts& b) {
      return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
    });
    return std::move(made_);
  }

 private:
  /// 0 is for what is of no place.
  void number_places() {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
    made_.resize(1);
    numbers_.resize(circuit_.origins.size(), 0);
    for (size_t i = 1; i < circuit_.origins.size(); ++i) {
      const gates::Origin& origin = circuit_.origins[i];
      const TextRange range = origin.place.range;
      if (origin.n_iterations == 0) {
        continue;
      }
      const auto [place, is_new] =
          known.try_emplace({range.begin, range.end}, static_cast<uint32_t>(made_.size()));
      if (is_new) {
        made_.push_back({.range = range, .n_iterations = 0});
      }
      OperationCosts& costs = made_[place->second];
      costs.n_iterations = std::max<size_t>(costs.n_iterations, origin.n_iterations);
      numbers_[i] = place->second;
    }
  }

  [[nodiscard]] auto bits_of(kernel::ExprId id) const -> size_t {
    return circuit_.origins[gates::origin_of(id)].n_bits;
  }

  /// Of operators; what is inlined at a place is several operations, of which the widest counts.
  void add_width(kernel::ExprId id) {
    const kernel::Expr& expr = circuit_.kernel.exprs[id];
    OperationCosts& costs = made_[numbers_[gates::origin_of(id)]];
    std::optional<kernel::ExprId> operand;
    size_t n_bits = 0;
    if (const auto* binary = std::get_if<kernel::Binary>(&expr.node)) {
      operand = binary->left;
      n_bits = std::max(bits_of(binary->left), bits_of(binary->right));
    } else if (const auto* unary = std::get_if<kernel::Unary>(&expr.node)) {
      operand = unary->operand;
      n_bits = bits_of(unary->operand);
    }
    if (!operand || numbers_[gates::origin_of(id)] == 0) {
      return;
    }
    const engine::ElementType type = circuit_.kernel.exprs[*operand].type.element;
    const bool is_comparison = expr.type.element != type;
    n_bits = std::max(n_bits, is_comparison ? 0 : bits_of(id));
    if (type.kind == engine::ElementKind::Bool || n_bits <= costs.n_bits) {
      return;
    }
    costs.n_bits = n_bits;
    costs.width = engine::bit_width(type.kind);
    oblivious::Range range = ranges_.of(is_comparison ? *operand : id);
    if (const auto* binary = std::get_if<kernel::Binary>(&expr.node);
        binary != nullptr && is_comparison) {
      const oblivious::Range right = ranges_.of(binary->right);
      range = {std::min(range.lower, right.lower), std::max(range.upper, right.upper)};
    }
    costs.range_of_numbers.reset();
    if (range != oblivious::range_of_type(type) && engine::is_integer(type.kind)) {
      costs.range_of_numbers = types::ValueBound{range.lower, range.upper + 1};
    }
  }

  const gates::Circuit& circuit_;
  oblivious::Ranges ranges_{circuit_.kernel, oblivious::Ranges::Loops::Counted};
  std::vector<OperationCosts> made_;
  std::vector<uint32_t> numbers_;  ///< by origin, of its place in `made_`
};

auto plural(size_t n, std::string_view what) -> std::string {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

auto BootstrapTimesOfMachine::absent(const Key& /*key*/) -> Value {
  return cggi::default_bootstrap_times();
}

auto CircuitOfItem::compute(query::Context& context, const Key& item) -> Value {
  const program::FrontendSnapshot view(context, item);
  gates::CircuitLowering lowering = gates::circuit_of(
      view, item,
      {.most_gates = kMostGatesShown, .times = context.get<BootstrapTimesOfMachine>({})});
  const bool is_large = lowering.diagnostics.size() == 1 &&
                        lowering.diagnostics.front().code == DiagnosticCode::T6003;
  return std::make_shared<const Made>(Made{std::move(lowering.circuit), is_large});
}

auto CircuitCostsOfItem::compute(query::Context& context, const Key& item) -> Value {
  const auto found = context.get<CircuitOfItem>(item);
  CircuitCosts costs;
  if (found->is_large) {
    return std::make_shared<const CircuitCosts>(costs);
  }
  if (!found->circuit) {
    return nullptr;
  }
  const gates::Compilation made = gates::compile(*found->circuit, {});
  if (!made.compiled) {
    return nullptr;
  }
  costs.is_known = true;
  costs.n_bootstraps = gates::n_bootstraps(made.compiled->circuit.graph);
  costs.depth = gates::depth(made.compiled->circuit.graph);
  costs.log2_failure = made.compiled->chosen.log2_failure;
  costs.key_megabytes = made.compiled->chosen.cost.stored_key_bytes / 1e6;
  costs.parameters = made.compiled->chosen.parameters;
  costs.levels = gates::level_sizes(made.compiled->circuit.graph);
  return std::make_shared<const CircuitCosts>(costs);
}

auto OperationsOfItem::compute(query::Context& context, const Key& item) -> Value {
  const auto found = context.get<CircuitOfItem>(item);
  return std::make_shared<const std::vector<OperationCosts>>(
      found->circuit ? OperationList(*found->circuit).make() : std::vector<OperationCosts>());
}

auto milliseconds_of(const CircuitCosts& costs, const std::optional<cggi::BootstrapTimes>& measured)
    -> double {
  return gates::estimated_milliseconds(costs.levels, costs.parameters,
                                       measured ? *measured : cggi::default_bootstrap_times());
}

auto summary(const CircuitCosts& costs, const std::optional<cggi::BootstrapTimes>& measured)
    -> std::string {
  if (!costs.is_known) {
    return fmt::format("CGGI: more than {} gates before optimisation", kMostGatesShown);
  }
  return fmt::format("CGGI: {} · depth {} · {:.1f} MB key · {}",
                     plural(costs.n_bootstraps, "bootstrap"), costs.depth, costs.key_megabytes,
                     measured ? measured_time_text(milliseconds_of(costs, measured))
                              : time_text(milliseconds_of(costs, measured)));
}

auto summary(const OperationCosts& costs) -> std::string {
  if (costs.n_bootstraps == 0) {
    return "no bootstraps";
  }
  std::string text =
      fmt::format("{} · depth {}", plural(costs.n_bootstraps, "bootstrap"), costs.depth);
  if (costs.n_iterations > 1) {
    text += fmt::format(" · in {} iterations", costs.n_iterations);
  }
  return text;
}

auto width_text(const OperationCosts& costs) -> std::string {
  if (costs.n_bits == 0 || costs.n_bits >= costs.width) {
    return {};
  }
  std::string text = fmt::format("on {} of {} bits", costs.n_bits, costs.width);
  if (costs.range_of_numbers) {
    text += fmt::format(" ({})", types::bound_text(*costs.range_of_numbers));
  }
  return text;
}

}  // namespace tacet::he_views
