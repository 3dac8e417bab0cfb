#include "compiler/he/lower/stage_errors.h"

#include <algorithm>

namespace tacet::he_lower {

StageErrors::StageErrors(const Trace& trace) {
  if (trace.stages == nullptr) {
    return;
  }
  stages_ = trace.stages.get();
  statement_register_ = &trace.statement_register;
  register_group_ = &trace.register_group;
  stages_of_.resize(trace.n_registers);
  result_of_.resize(trace.n_registers);
  base_of_.resize(trace.n_registers);
  for (uint32_t stage = 0; stage < stages_->size(); ++stage) {
    const NoiseStage& known = (*stages_)[stage];
    for (const uint32_t reg : known.results) {
      result_of_[reg] = stage;
    }
    for (const uint32_t reg : known.bases) {
      base_of_[reg].push_back(stage);
    }
    for (const auto& [reg, gain] : known.gains) {
      stages_of_[reg].push_back({stage, gain});
    }
  }
}

void StageErrors::begin() {
  if (is_known()) {
    made_.assign(statement_register_->size(), 0);
    sums_.assign(stages_->size(), 0);
    bases_.assign(stages_->size(), 0);
    errors_.assign(result_of_.size(), 0);
  }
}

void StageErrors::note_input(uint32_t group, double deviation) {
  for (uint32_t reg = 0; reg < base_of_.size(); ++reg) {
    if (!base_of_[reg].empty() && (*register_group_)[reg] == group) {
      note_base_register(reg, deviation);
    }
  }
}

void StageErrors::note_made(uint32_t statement, double deviation) {
  double& known = made_[statement];
  if (deviation > known) {
    for (const Use& use : stages_of_[register_of(statement)]) {
      sums_[use.stage] += use.gain * (deviation - known);
    }
    known = deviation;
  }
}

void StageErrors::note_base(uint32_t statement, double deviation) {
  note_base_register(register_of(statement), deviation);
}

void StageErrors::note_base_register(uint32_t reg, double deviation) {
  for (const uint32_t stage : base_of_[reg]) {
    bases_[stage] = std::max(bases_[stage], deviation);
  }
}

auto StageErrors::of_result(uint32_t statement) -> std::optional<double> {
  const uint32_t reg = register_of(statement);
  const std::optional<uint32_t> stage = result_of_[reg];
  if (!stage) {
    return std::nullopt;
  }
  const double error = 2 * (sums_[*stage] + (*stages_)[*stage].slope * bases_[*stage]);
  errors_[reg] = std::max(errors_[reg], error);
  return error;
}

}  // namespace tacet::he_lower
