#include "compiler/he/lower/stage_errors.h"

#include <algorithm>
#include <cmath>

namespace tacet::he_lower {

StageErrors::StageErrors(const Trace& trace, double most_in_slot) : most_in_slot_(most_in_slot) {
  if (trace.stages == nullptr) {
    return;
  }
  stages_ = trace.stages.get();
  statement_register_ = &trace.statement_register;
  register_group_ = &trace.register_group;
  stages_of_.resize(trace.n_registers);
  result_of_.resize(trace.n_registers);
  is_base_.resize(trace.n_registers);
  counts_.resize(trace.n_registers);
  for (uint32_t stage = 0; stage < stages_->size(); ++stage) {
    const NoiseStage& known = (*stages_)[stage];
    has_continuity_ = has_continuity_ || !known.continuity.empty();
    for (const uint32_t reg : known.results) {
      result_of_[reg] = stage;
    }
    for (const auto& [reg, slope] : known.bases) {
      is_base_[reg] = true;
    }
    for (const auto& [reg, gain] : known.gains) {
      counts_[reg] = true;
      if (!known.is_linear) {
        stages_of_[reg].push_back({stage, gain});
      }
    }
  }
}

void StageErrors::begin(Track track) {
  track_ = track;
  if (is_known()) {
    made_.assign(statement_register_->size(), 0);
    made_in_.assign(is_base_.size(), {});
    sums_.assign(stages_->size(), 0);
    errors_made_.assign(stages_->size(), 0);
    bases_.assign(is_base_.size(), 0);
    errors_.assign(result_of_.size(), 0);
  }
}

void StageErrors::note_input(uint32_t group, double deviation) {
  for (uint32_t reg = 0; reg < is_base_.size(); ++reg) {
    if ((*register_group_)[reg] == group) {
      bases_[reg] = std::max(bases_[reg], deviation);
      made_in_[reg].independent = std::max(made_in_[reg].independent, deviation);
    }
  }
}

void StageErrors::note_made(uint32_t statement, double deviation, Kind kind) {
  const uint32_t reg = register_of(statement);
  double& in_register =
      kind == Kind::Independent ? made_in_[reg].independent : made_in_[reg].systematic;
  in_register = std::max(in_register, deviation);
  double& known = made_[statement];
  if (deviation > known) {
    for (const Use& use : stages_of_[reg]) {
      sums_[use.stage] += use.gain * (deviation - known);
      errors_made_[use.stage] += deviation - known;
    }
    known = deviation;
  }
}

void StageErrors::note_base(uint32_t statement, double deviation) {
  double& known = bases_[register_of(statement)];
  known = std::max(known, deviation);
}

auto StageErrors::of_sum(const NoiseStage& stage) const -> double {
  double squares = 0;
  double sum = 0;
  for (const auto& [reg, gain] : stage.gains) {
    squares += std::pow(gain * made_in_[reg].independent, 2);
  }
  for (const auto& [reg, gain] : stage.systematic_gains) {
    sum += gain * made_in_[reg].systematic;
  }
  for (const auto& [reg, slope] : stage.bases) {
    sum += slope * bases_[reg];
  }
  return sum + std::sqrt(squares);
}

auto StageErrors::of_polynomial(uint32_t stage) const -> double {
  const NoiseStage& known = (*stages_)[stage];
  double result = 0;
  double base = 0;
  for (const auto& [reg, slope] : known.bases) {
    result = std::max(result, slope * bases_[reg]);
    base = std::max(base, bases_[reg]);
  }
  const auto bent = [&](double error) { return std::min(1.0, known.bend * most_in_slot_ * error); };
  double least = (sums_[stage] + result) * (1 + bent(errors_made_[stage] + base));
  if (track_ == Track::Imaginary || known.continuity.empty()) {
    return least;
  }
  double imaginary = 0;
  for (const auto& [reg, slope] : known.bases) {
    imaginary = std::max(imaginary, imaginary_[reg]);
  }
  // Products with real parts of errors make some of it, too.
  constexpr double kSlack = 2;
  for (const Continuity& continuity : known.continuity) {
    const double of_base =
        continuity.of_error(most_in_slot_ * base, kSlack * most_in_slot_ * imaginary);
    least =
        std::min(least, of_base / most_in_slot_ + sums_[stage] * (1 + bent(errors_made_[stage])));
  }
  return least;
}

auto StageErrors::of_result(uint32_t statement) -> std::optional<double> {
  const uint32_t reg = register_of(statement);
  const std::optional<uint32_t> stage = result_of_[reg];
  if (!stage) {
    return std::nullopt;
  }
  const NoiseStage& known = (*stages_)[*stage];
  const double error = known.is_linear ? of_sum(known) : of_polynomial(*stage);
  errors_[reg] = std::max(errors_[reg], error);
  return error;
}

}  // namespace tacet::he_lower
