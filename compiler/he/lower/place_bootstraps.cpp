#include "compiler/he/lower/place_bootstraps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/he_model/bootstrapping.h"

namespace tacet::he_lower {
namespace {

using engine::HeOpcode;
using engine::HeProgram;
using engine::HeStatement;

constexpr uint32_t kNone = 0xffffffff;

/// Levels are counted from the inputs here: how many primes the operands of a step have consumed.
class BootstrapPlacer {
 public:
  BootstrapPlacer(const HeProgram& program, Rescaling rescaling, uint32_t n_levels)
      : program_(program),
        n_levels_(n_levels),
        n_last_(static_cast<uint32_t>(
            he::bootstrapping_shape(program.ring_dimension()).n_to_coefficients)),
        trace_(trace_of(program)),
        plan_(plan_rescaling(trace_, rescaling, RescaleResults::No)) {
    const size_t n_values = trace_.n_inputs() + trace_.steps.size();
    degree_.assign(n_values, 1);
    last_use_.assign(n_values, 0);
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      const Step& step = trace_.steps[i];
      const uint32_t value = trace_.n_inputs() + i;
      degree_[value] = step.kind == StepKind::Multiply ? 2
                       : step.kind == StepKind::Relinearise
                           ? 1
                           : std::max(degree_[step.a], degree_[step.b]);
      for (const uint32_t operand : {step.a, step.b}) {
        last_use_[operand] = std::max(last_use_[operand], level_of(step));
      }
    }
  }

  auto run() -> std::optional<HeProgram> {
    const std::optional<std::vector<uint32_t>> cuts = best_cuts();
    return cuts ? cut_at(*cuts) : std::nullopt;
  }

 private:
  [[nodiscard]] auto level_of(const Step& step) const -> uint32_t {
    return plan_.n_most - plan_.levels.of_statement[step.statement];
  }

  /// How many values are made by steps at or before each level, and used behind it; infinite if one
  /// of them cannot be bootstrapped.
  [[nodiscard]] auto costs() const -> std::vector<double> {
    std::vector<double> costs(plan_.n_most, 0);
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      const uint32_t value = trace_.n_inputs() + i;
      const double cost = degree_[value] == 1 ? 1 : std::numeric_limits<double>::infinity();
      for (uint32_t level = level_of(trace_.steps[i]); level < last_use_[value]; ++level) {
        costs[level] += cost;
      }
    }
    return costs;
  }

  /// A cut at a level is behind it: the next part begins one level further.
  [[nodiscard]] auto best_cuts() const -> std::optional<std::vector<uint32_t>> {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const std::vector<double> costs = this->costs();
    const uint32_t n = plan_.n_most;
    // The least cost of parts before a level, and where the last of them begins. What is behind the
    // last cut has the primes beside, too, that those before need for being bootstrapped.
    std::vector<double> best(n + 1, kNever);
    std::vector<uint32_t> begin(n + 1, 0);
    best[0] = 0;
    for (uint32_t end = 1; end <= n; ++end) {
      const uint32_t most = n_levels_ + (end == n ? n_last_ : 0);
      for (uint32_t start = end > most ? end - most : 0; start < end; ++start) {
        const double cost = best[start] + (end == n ? 0 : costs[end - 1]);
        if (cost < best[end]) {
          best[end] = cost;
          begin[end] = start;
        }
      }
    }
    if (best[n] == kNever) {
      return std::nullopt;
    }
    std::vector<uint32_t> cuts;
    for (uint32_t end = begin[n]; end > 0; end = begin[end]) {
      cuts.push_back(end - 1);
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  [[nodiscard]] auto cut_at(const std::vector<uint32_t>& cuts) const -> std::optional<HeProgram> {
    // By value, the first cut that it goes across.
    std::map<uint32_t, uint32_t> cut_of;
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      const uint32_t value = trace_.n_inputs() + i;
      for (const uint32_t cut : cuts) {
        if (level_of(trace_.steps[i]) <= cut && cut < last_use_[value]) {
          cut_of.emplace(value, cut);
        }
      }
    }
    std::vector<uint32_t> step_of(program_.body.size(), kNone);
    for (uint32_t i = 0; i < trace_.steps.size(); ++i) {
      step_of[trace_.steps[i].statement] = i;
    }
    HeProgram result = program_;
    result.body.clear();
    std::map<uint32_t, uint32_t> register_of;  // by value that was bootstrapped
    for (size_t at = 0; at < program_.body.size(); ++at) {
      HeStatement statement = program_.body[at];
      const uint32_t i = step_of[at];
      if (i == kNone) {
        result.body.push_back(std::move(statement));
        continue;
      }
      const Step& step = trace_.steps[i];
      size_t cipher = 0;
      for (engine::HeAccess& operand : statement.operands) {
        if (program_.registers[operand.reg].kind != engine::HeKind::Cipher) {
          continue;
        }
        const uint32_t value = cipher++ == 0 ? step.a : step.b;
        const auto cut = cut_of.find(value);
        if (cut != cut_of.end() && level_of(step) > cut->second) {
          operand = {.reg = register_of.at(value), .indices = {}};
        }
      }
      const engine::HeAccess target = statement.result;
      result.body.push_back(std::move(statement));
      const uint32_t value = trace_.n_inputs() + i;
      if (cut_of.count(value) != 0) {
        if (program_.registers[target.reg].bound == 0) {
          return std::nullopt;
        }
        engine::HeRegister reg;
        reg.name = fmt::format("bootstrapped{}", register_of.size());
        reg.bound = program_.registers[target.reg].bound;
        register_of[value] = static_cast<uint32_t>(result.registers.size());
        result.body.push_back({.opcode = HeOpcode::Bootstrap,
                               .result = {.reg = register_of[value], .indices = {}},
                               .operands = {target}});
        result.registers.push_back(std::move(reg));
      }
    }
    return result;
  }

  const HeProgram& program_;
  uint32_t n_levels_;
  uint32_t n_last_;  ///< levels that the last part has beyond the others
  Trace trace_;
  RealPlan plan_;
  std::vector<uint32_t> degree_;    ///< by value
  std::vector<uint32_t> last_use_;  ///< by value: the deepest level of a use
};

}  // namespace

auto with_bootstraps(const HeProgram& program, Rescaling rescaling, uint32_t n_levels)
    -> std::optional<HeProgram> {
  return BootstrapPlacer(program, rescaling, n_levels).run();
}

}  // namespace tacet::he_lower
