#include "compiler/he/lower/weigh_relinearisations.h"

#include <algorithm>
#include <set>

#include "compiler/he/lower/level_times.h"
#include "compiler/he/relinearise/place_by_cut.h"

namespace tacet::he_lower {

using engine::HeKind;
using engine::HeOpcode;
using engine::HeProgram;
using engine::HeStatement;
using he::Operation;
using relinearise::Value;
using relinearise::ValueId;
using relinearise::ValueKind;

namespace {

/// A value for each statement, and one for all inputs.
class Weigher {
 public:
  Weigher(const HeProgram& program, const Trace& trace, const Setting& setting,
          const Levels& levels, const he::OperationTimes& times)
      : program_(program),
        trace_(trace),
        setting_(setting),
        levels_(levels),
        times_(setting, times),
        inputs_(static_cast<uint32_t>(program.body.size())) {
    for (size_t i = 0; i <= program.body.size(); ++i) {
      graph_.values.add(Value{.costs = {.relinearisation = 0}});
    }
  }

  auto run() -> HeProgram {
    for (const Step& step : trace_.steps) {
      add(step);
    }
    for (const uint32_t output : trace_.outputs) {
      Value& value = graph_.values[definition_of(output)];
      value.costs.keeping += times_.of(Operation::Decrypt, level_of(output)) / 2;
    }
    linearise_hidden();
    return rewritten(place_by_cut(graph_, {}));
  }

  /// As few as there can be; of those, the last.
  auto run_late() -> HeProgram {
    for (const Step& step : trace_.steps) {
      add(step);
    }
    linearise_hidden();
    const auto n = static_cast<double>(graph_.values.size());
    for (uint32_t at = 0; at < graph_.values.size(); ++at) {
      graph_.values[ValueId{at}].costs = {.relinearisation =
                                              1 + (n - static_cast<double>(at)) / (n * n)};
    }
    return rewritten(place_by_cut(graph_, {}));
  }

 private:
  /// What is hidden must have degree one.
  void linearise_hidden() {
    for (const uint32_t output : trace_.outputs) {
      graph_.values[definition_of(output)].is_used_linearly |= setting_.has_linear_results();
    }
  }

  auto definition_of(uint32_t value) const -> ValueId {
    return ValueId{value < trace_.n_inputs() ? inputs_
                                             : trace_.steps[value - trace_.n_inputs()].statement};
  }
  auto level_of(uint32_t value) const -> uint32_t {
    return levels_
        .of_group[value < trace_.n_inputs() ? trace_.input_groups[value]
                                            : trace_.statement_group[definition_of(value).index]];
  }
  /// What a third part of the operands adds to the time of an operation: half of that with two.
  auto time_of_third_part(const Step& step, uint32_t n_primes) -> double {
    switch (step.kind) {
      case StepKind::Add:
        return times_.of(Operation::Add, n_primes) / 2;
      case StepKind::MultiplyPlain:
        return times_.of(Operation::MultiplyPlain, n_primes) / 2;
      case StepKind::AddPlain:  // changes one part only
      case StepKind::Multiply:
      case StepKind::Rotate:
      case StepKind::Relinearise:
      case StepKind::Drop:
      case StepKind::Bootstrap:
      case StepKind::Rename:
        return 0;
    }
    return 0;
  }

  /// Of the result of a statement that works on `level` primes.
  auto dropping_time(uint32_t at, uint32_t level, uint32_t left) -> double {
    if (levels_.is_rescaled.empty() || !levels_.is_rescaled[at]) {
      return times_.of_lowering(level, left);
    }
    return times_.of(Operation::Drop, level) + times_.of_lowering(level - 1, left);
  }

  void add(const Step& step) {
    const uint32_t at = step.statement;
    const uint32_t level = levels_.of_statement[at];
    const uint32_t left = levels_.of_group[trace_.statement_group[at]];
    Value& value = graph_.values[ValueId{at}];
    value.costs.relinearisation += step.times * times_.of(Operation::Relinearise, left);
    value.costs.computing +=
        step.times * (time_of_third_part(step, level) + dropping_time(at, level, left) / 2);
    const HeOpcode opcode = program_.body[at].opcode;
    for (const uint32_t operand : {step.a, step.b}) {
      const ValueId definition = definition_of(operand);
      Value& source = graph_.values[definition];
      const uint32_t had = level_of(operand);
      source.costs.keeping += step.times * times_.of_lowering(had, level) / 2;
      const bool must_be_one =
          step.kind == StepKind::Multiply || opcode == HeOpcode::Rotate || opcode == HeOpcode::Swap;
      source.is_used_linearly |= must_be_one;
      if (!must_be_one && operands_.emplace(at, definition.index).second) {
        value.operands.push_back(definition);
      }
    }
    if (step.kind == StepKind::Multiply) {
      value.kind = ValueKind::Product;
      value.operands = {definition_of(step.a), definition_of(step.b)};
    } else if (!value.operands.empty()) {
      value.kind = ValueKind::Sum;
    }
  }

  auto rewritten(const relinearise::Plan& plan) const -> HeProgram {
    HeProgram result = program_;
    result.body.clear();
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      HeStatement statement = program_.body[at];
      const engine::HeAccess target = statement.result;
      const bool was_one = statement.opcode == HeOpcode::Relinearise;
      if (was_one && !plan.is_relinearised[at]) {
        if (target == statement.operands.front()) {
          continue;
        }
        statement.opcode = HeOpcode::Copy;
      }
      result.body.push_back(std::move(statement));
      if (!was_one && plan.is_relinearised[at]) {
        result.body.push_back(
            {.opcode = HeOpcode::Relinearise, .result = target, .operands = {target}});
      }
    }
    return result;
  }

  const HeProgram& program_;
  const Trace& trace_;
  const Setting& setting_;
  const Levels& levels_;
  LevelTimes times_;
  uint32_t inputs_;
  relinearise::Graph graph_;
  std::set<std::pair<uint32_t, uint32_t>> operands_;  ///< statements, and what they read
};

}  // namespace

auto with_weighed_relinearisations(const HeProgram& program, const Trace& trace,
                                   const Setting& setting, const Levels& levels,
                                   const he::OperationTimes& times) -> HeProgram {
  return Weigher(program, trace, setting, levels, times).run();
}

auto with_late_relinearisations(const HeProgram& program, const Trace& trace, bool is_hidden)
    -> HeProgram {
  const Levels levels{.of_group = std::vector<uint32_t>(trace.n_groups, 1),
                      .of_statement = std::vector<uint32_t>(program.body.size(), 1)};
  const Setting setting{.ring_dimension = program.ring_dimension(), .is_hidden = is_hidden};
  return Weigher(program, trace, setting, levels, he::default_operation_times()).run_late();
}

auto has_linear_results(const Trace& trace) -> bool {
  std::vector<bool> has_three(trace.n_inputs());
  for (const Step& step : trace.steps) {
    const bool is_one = has_three[step.a] || has_three[step.b];
    has_three.push_back(step.kind == StepKind::Multiply ||
                        (is_one && step.kind != StepKind::Relinearise));
  }
  return std::none_of(trace.outputs.begin(), trace.outputs.end(),
                      [&](uint32_t output) { return has_three[output]; });
}

}  // namespace tacet::he_lower
