#include "compiler/he/lower/level_pass.h"
#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {
namespace {

/// Goes through the steps in order, and back.
class ChoiceFinder {
 public:
  ChoiceFinder(const Trace& trace, size_t most)
      : trace_(trace),
        most_(most),
        is_rescaled_(trace.n_groups),
        is_decided_(trace.n_groups),
        powers_(trace.n_groups),
        values_(trace.n_inputs() + trace.steps.size(), 1) {
    for (const uint32_t group : trace.input_groups) {
      powers_[group] = 1;
    }
  }

  auto run() -> std::vector<std::vector<bool>> {
    if (trace_.steps.size() > kMostVisits) {
      return {};
    }
    go_on(0);
    return choices_.size() > most_ || n_visits_ > kMostVisits ? std::vector<std::vector<bool>>()
                                                              : std::move(choices_);
  }

 private:
  static constexpr size_t kMostVisits = 4'000;

  void go_on(size_t at) {
    if (++n_visits_ > kMostVisits || choices_.size() > most_) {
      return;
    }
    if (at == trace_.steps.size()) {
      choices_.push_back(is_rescaled_);
      return;
    }
    const Step& step = trace_.steps[at];
    const uint32_t power = values_[step.a];
    if (power != values_[step.b] || (is_real_product(step.kind) && power > 1)) {
      return;
    }
    if (!is_real_product(step.kind) && power == 1) {
      make(at, 1);
      return;
    }
    const uint32_t group = trace_.statement_group[step.statement];
    if (is_decided_[group]) {
      make(at, is_rescaled_[group] ? 1 : 2);
      return;
    }
    is_decided_[group] = true;
    make(at, 2);
    is_rescaled_[group] = true;
    make(at, 1);
    is_rescaled_[group] = false;
    is_decided_[group] = false;
  }

  void make(size_t at, uint32_t power) {
    uint32_t& known = powers_[trace_.statement_group[trace_.steps[at].statement]];
    const uint32_t before = known;
    if (before == 0 || before == power) {
      known = values_[trace_.n_inputs() + at] = power;
      go_on(at + 1);
      known = before;
    }
  }

  const Trace& trace_;
  size_t most_;
  std::vector<bool> is_rescaled_, is_decided_;  ///< by group
  std::vector<uint32_t> powers_;                ///< by group, 0 if unknown
  std::vector<uint32_t> values_;                ///< powers
  std::vector<std::vector<bool>> choices_;
  size_t n_visits_ = 0;
};

}  // namespace

auto rescale_choices(const Trace& trace, size_t most) -> std::vector<std::vector<bool>> {
  return ChoiceFinder(trace, most).run();
}

}  // namespace tacet::he_lower
