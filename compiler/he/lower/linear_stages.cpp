#include "compiler/he/lower/linear_stages.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <utility>

namespace tacet::he_lower {
namespace {

using engine::HeOpcode;

/// Counts of slots that are added up.
constexpr double kMostSlotWork = 1e8;
/// For what floats round.
constexpr double kFloatSlack = 1 + 0x1p-10;
constexpr uint32_t kNoStep = 0xffffffff;

/// How much of what is in a slot counts in a result.
struct SlotCount {
  uint32_t slot = 0;
  float count = 0;
};

/// What is made of registers between products, and by what.
class LinearParts {
 public:
  LinearParts(const engine::HeProgram& program, const SlotSizes& sizes,
              const std::vector<NoiseStage>& polynomials, const std::vector<bool>& outputs)
      : program_(program),
        sizes_(sizes),
        steps_(sizes.cipher_steps()),
        n_(program.registers.size()),
        is_base_(n_),
        is_target_(n_),
        after_(n_) {
    find_bases(polynomials);
    find_edges();
    find_targets(polynomials, outputs);
  }

  [[nodiscard]] auto is_base(uint32_t reg) const -> bool { return is_base_[reg]; }
  [[nodiscard]] auto is_target(uint32_t reg) const -> bool { return is_target_[reg]; }

 private:
  [[nodiscard]] auto register_of(uint32_t vector) const -> uint32_t {
    return sizes_.register_of(vector);
  }

  void find_bases(const std::vector<NoiseStage>& polynomials) {
    for (size_t reg = 0; reg < n_; ++reg) {
      is_base_[reg] = !program_.registers[reg].gathers.empty();
    }
    for (const CipherStep& step : steps_) {
      is_base_[step.made_in] = is_base_[step.made_in] || step.is_product();
    }
    for (const NoiseStage& stage : polynomials) {
      for (const uint32_t reg : stage.results) {
        is_base_[reg] = true;
      }
    }
  }

  /// From registers to those that are made of them, bases excepted.
  void find_edges() {
    for (const CipherStep& step : steps_) {
      if (!is_base_[step.made_in]) {
        after_[register_of(step.a)].insert(step.made_in);
        if (step.is_of_two()) {
          after_[register_of(step.b)].insert(step.made_in);
        }
      }
    }
  }

  void spread(std::vector<bool>& reached) const {
    std::vector<uint32_t> open;
    for (uint32_t reg = 0; reg < n_; ++reg) {
      if (reached[reg]) {
        open.push_back(reg);
      }
    }
    while (!open.empty()) {
      const uint32_t reg = open.back();
      open.pop_back();
      for (const uint32_t next : after_[reg]) {
        if (!reached[next]) {
          reached[next] = true;
          open.push_back(next);
        }
      }
    }
  }

  /// What is behind a mask, where it is read by something that is not linear, or decrypted.
  void find_targets(const std::vector<NoiseStage>& polynomials, const std::vector<bool>& outputs) {
    std::vector<bool> is_masked(n_);
    for (const CipherStep& step : steps_) {
      if (!step.factor.is_uniform() && !is_base_[step.made_in]) {
        is_masked[step.made_in] = true;
      }
    }
    spread(is_masked);
    std::vector<bool> is_read = outputs;
    for (const CipherStep& step : steps_) {
      if (is_base_[step.made_in]) {
        is_read[register_of(step.a)] = true;
        if (step.is_of_two()) {
          is_read[register_of(step.b)] = true;
        }
      }
    }
    for (const NoiseStage& stage : polynomials) {
      for (const auto& [reg, slope] : stage.bases) {
        is_read[reg] = true;
      }
    }
    for (size_t reg = 0; reg < n_; ++reg) {
      is_target_[reg] = is_masked[reg] && is_read[reg] && !is_base_[reg];
    }
  }

  const engine::HeProgram& program_;
  const SlotSizes& sizes_;
  const std::vector<CipherStep>& steps_;
  size_t n_;
  std::vector<bool> is_base_, is_target_;  ///< by register
  std::vector<std::set<uint32_t>> after_;  ///< likewise
};

class LinearFinder {
 public:
  LinearFinder(const engine::HeProgram& program, const SlotSizes& sizes, LinearParts parts)
      : program_(program),
        sizes_(sizes),
        steps_(sizes.cipher_steps()),
        parts_(std::move(parts)),
        counts_(steps_.size()),
        of_inputs_(sizes.n_vectors()),
        sums_(program.n_slots()),
        totals_(program.registers.size()) {
    find_makers();
  }

  auto run() -> std::vector<NoiseStage> {
    find_samples();
    for (const auto& [alike, samples] : samples_) {
      for (const Sample& sample : samples.some) {
        follow(sample.step, sample.slot);
        if (work_ > kMostSlotWork) {
          return {};
        }
      }
    }
    std::vector<NoiseStage> found;
    for (auto& [target, stage] : stages_) {
      found.push_back(std::move(stage));
    }
    return found;
  }

 private:
  /// What made an operand.
  struct Makers {
    uint32_t a = kNoStep;
    uint32_t b = kNoStep;
  };

  /// Of a register, for one slot of a result.
  struct Total {
    double sum = 0;
    double squares = 0;
  };

  void find_makers() {
    std::vector<uint32_t> last(sizes_.n_vectors(), kNoStep);
    is_partial_.resize(steps_.size());
    is_made_.resize(program_.registers.size());
    for (uint32_t at = 0; at < steps_.size(); ++at) {
      const CipherStep& step = steps_[at];
      const bool is_of_two = step.is_of_two();
      makers_.push_back({last[step.a], is_of_two ? last[step.b] : kNoStep});
      // The sum that it becomes part of is off by no less.
      const bool is_continued = is_of_two && !step.is_product() && last[step.made] != kNoStep &&
                                (step.a == step.made) != (step.b == step.made);
      if (is_continued) {
        is_partial_[last[step.made]] = true;
      }
      last[step.made] = at;
      is_made_[step.made_in] = true;
    }
  }

  /// A slot of what a step made.
  struct Sample {
    uint32_t step = 0;
    uint32_t slot = 0;
  };

  struct Samples {
    size_t n_seen = 0;
    std::vector<Sample> some;
  };

  /// Slots of results that are made alike, so that some of each kind are enough: if errors in each
  /// register are some random number, what the slot is off by is the same.
  void find_samples() {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> any(1, 2);
    std::vector<SlotVector> weights;
    for (size_t reg = 0; reg < program_.registers.size(); ++reg) {
      weights.emplace_back(any(random));
    }
    std::vector<SlotVector> errors;
    for (uint32_t vector = 0; vector < sizes_.n_vectors(); ++vector) {
      errors.push_back(weights[sizes_.register_of(vector)]);
    }
    for (uint32_t at = 0; at < steps_.size(); ++at) {
      const CipherStep& step = steps_[at];
      errors[step.made] = parts_.is_base(step.made_in)
                              ? weights[step.made_in]
                              : applied(step, errors).plus(weights[step.made_in]);
      if (parts_.is_target(step.made_in) && !is_partial_[at]) {
        take_samples(at, errors[step.made], random);
      }
    }
  }

  static auto applied(const CipherStep& step, const std::vector<SlotVector>& errors) -> SlotVector {
    const SlotVector& first = errors[step.a];
    return step.is_of_two()                  ? first.plus(errors[step.b])
           : step.opcode == HeOpcode::Mul    ? first.times(step.factor)
           : step.opcode == HeOpcode::Rotate ? first.rotated(step.steps)
                                             : first;
  }

  void take_samples(uint32_t step, const SlotVector& errors, std::mt19937_64& random) {
    constexpr size_t kMostSamples = 4;
    constexpr double kAlike = 4096;  // of so many parts of an octave
    const size_t n = errors.is_uniform() ? 1 : program_.n_slots();
    for (uint32_t slot = 0; slot < n; ++slot) {
      const auto kind = static_cast<int64_t>(std::round(std::log2(errors.at(slot)) * kAlike));
      Samples& samples = samples_[{steps_[step].made_in, kind}];
      ++samples.n_seen;
      if (samples.some.size() < kMostSamples) {
        samples.some.push_back({step, slot});
      } else if (const size_t place = random() % samples.n_seen; place < kMostSamples) {
        samples.some[place] = {step, slot};
      }
    }
  }

  void add(uint32_t vector, uint32_t maker, SlotCount count) {
    if (maker == kNoStep) {
      if (of_inputs_[vector].empty()) {
        inputs_.push_back(vector);
      }
      of_inputs_[vector].push_back(count);
      return;
    }
    if (counts_[maker].empty()) {
      open_.push(maker);
    }
    counts_[maker].push_back(count);
  }

  /// How much each slot counts in all; what was given is empty then.
  auto summed(std::vector<SlotCount>& counts) -> const std::vector<SlotCount>& {
    work_ += static_cast<double>(counts.size());
    together_.clear();
    for (const SlotCount& count : counts) {
      if (sums_[count.slot] == 0) {
        together_.push_back({count.slot, 0});
      }
      sums_[count.slot] += count.count;
    }
    for (SlotCount& count : together_) {
      count.count = std::exchange(sums_[count.slot], 0.0F);
    }
    counts.clear();
    return together_;
  }

  void total(uint32_t reg, const std::vector<SlotCount>& counts) {
    Total& total = totals_[reg];
    if (total.sum == 0) {
      totalled_.push_back(reg);
    }
    for (const SlotCount& count : counts) {
      total.sum += count.count;
      total.squares += double{count.count} * count.count;
    }
  }

  void follow(uint32_t target, uint32_t slot) {
    counts_[target].push_back({slot, 1});
    open_.push(target);
    while (!open_.empty()) {
      const uint32_t at = open_.top();
      open_.pop();
      const CipherStep& step = steps_[at];
      const std::vector<SlotCount>& counts = summed(counts_[at]);
      total(step.made_in, counts);
      if (!parts_.is_base(step.made_in)) {
        go_back(step, makers_[at], counts);
      }
    }
    for (const uint32_t vector : inputs_) {
      total(sizes_.register_of(vector), summed(of_inputs_[vector]));
    }
    inputs_.clear();
    NoiseStage& stage = stages_[steps_[target].made_in];
    stage.is_linear = true;
    stage.results = {steps_[target].made_in};
    for (const uint32_t reg : totalled_) {
      const Total total = std::exchange(totals_[reg], {});
      const double root = std::sqrt(total.squares) * kFloatSlack;
      const double sum = total.sum * kFloatSlack;
      // Errors of what is encrypted are independent, too; of other bases they may not be.
      if (parts_.is_base(reg) && is_made_[reg]) {
        raise(stage.bases[reg], sum);
      } else {
        raise(stage.gains[reg], root);
        raise(stage.systematic_gains[reg], sum);
      }
    }
    totalled_.clear();
  }

  static void raise(double& known, double number) { known = std::max(known, number); }

  void go_back(const CipherStep& step, const Makers& makers, const std::vector<SlotCount>& counts) {
    const auto n = static_cast<uint32_t>(program_.n_slots());
    const bool is_of_two = step.is_of_two();
    const bool is_product = step.opcode == HeOpcode::Mul;
    for (SlotCount count : counts) {
      if (step.opcode == HeOpcode::Rotate) {
        count.slot = (count.slot + step.steps) % n;
      } else if (is_product) {
        count.count *= step.factor.at(count.slot);
        if (count.count == 0) {
          continue;
        }
      }
      add(step.a, makers.a, count);
      if (is_of_two) {
        add(step.b, makers.b, count);
      }
    }
  }

  const engine::HeProgram& program_;
  const SlotSizes& sizes_;
  const std::vector<CipherStep>& steps_;
  LinearParts parts_;
  std::vector<Makers> makers_;                     ///< by step
  std::vector<bool> is_partial_;                   ///< by step: a sum that becomes part of another
  std::vector<bool> is_made_;                      ///< by register: not only encrypted
  std::vector<std::vector<SlotCount>> counts_;     ///< by step, of what it made
  std::vector<std::vector<SlotCount>> of_inputs_;  ///< by vector, of what it began with
  std::vector<uint32_t> inputs_;                   ///< those with any
  std::priority_queue<uint32_t> open_;             ///< steps with counts, the last first
  std::vector<float> sums_;                        ///< by slot, zeros between uses
  std::vector<SlotCount> together_;
  std::vector<Total> totals_;  ///< by register
  std::vector<uint32_t> totalled_;
  /// By target, and what its errors are.
  std::map<std::pair<uint32_t, int64_t>, Samples> samples_;
  std::map<uint32_t, NoiseStage> stages_;  ///< by target
  double work_ = 0;
};

}  // namespace

auto find_linear_stages(const engine::HeProgram& program, const SlotSizes& sizes,
                        const std::vector<NoiseStage>& polynomials,
                        const std::vector<bool>& outputs) -> std::vector<NoiseStage> {
  return LinearFinder(program, sizes, LinearParts(program, sizes, polynomials, outputs)).run();
}

}  // namespace tacet::he_lower
