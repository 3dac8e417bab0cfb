#pragma once

#include <utility>
#include <vector>

#include "compiler/device/oblivious/secrecy.h"

namespace tacet::oblivious {

/// What some variables hold at the end of a path, where it differs from its start. By variable.
using Changes = std::vector<std::pair<kernel::VariableId, CauseId>>;

/// Which variables are secret at one point of the analysis. Paths are taken in sequence: one
/// remembers the `mark` where they part, takes the changes of each, which brings the state back,
/// joins them and applies the outcome. Costs are those of what changed, not of all variables.
class SecrecyState {
 public:
  SecrecyState(size_t n_variables, const Store<CauseId, Cause>& causes)
      : causes_(causes), now_(n_variables), stamps_(n_variables, 0) {}

  [[nodiscard]] auto operator[](kernel::VariableId variable) const -> CauseId {
    return now_[variable.index];
  }

  void set(kernel::VariableId variable, CauseId cause) {
    if (now_[variable.index] != cause) {
      journal_.emplace_back(variable, now_[variable.index]);
      now_[variable.index] = cause;
    }
  }

  [[nodiscard]] auto mark() const -> size_t { return journal_.size(); }
  /// What changed since `mark`.
  [[nodiscard]] auto changes_since(size_t mark) -> Changes;
  /// The same, and takes it back.
  auto take_back(size_t mark) -> Changes;
  void apply(const Changes& changes) {
    for (const auto& [variable, cause] : changes) {
      set(variable, cause);
    }
  }
  /// The join of two paths from the present state.
  [[nodiscard]] auto join(const Changes& a, const Changes& b) const -> Changes;
  /// The same for two paths from `mark`, one of which led to the present state.
  [[nodiscard]] auto join_from(size_t mark, const Changes& a, const Changes& b) const -> Changes;
  /// The shorter of two paths of a secret; `a` if they are equally long.
  [[nodiscard]] auto shorter(CauseId a, CauseId b) const -> CauseId {
    if (!a.has_value() || !b.has_value()) {
      return a.has_value() ? a : b;
    }
    return causes_[b].length < causes_[a].length ? b : a;
  }

 private:
  template <class Before>
  [[nodiscard]] auto join(const Changes& a, const Changes& b, Before before) const -> Changes;

  const Store<CauseId, Cause>& causes_;
  std::vector<CauseId> now_;
  std::vector<std::pair<kernel::VariableId, CauseId>> journal_;  ///< what was there before
  std::vector<uint32_t> stamps_;
  uint32_t stamp_ = 0;
};

/// Are the same variables secret? Paths of secrets do not count.
auto same_secrets(const Changes& a, const Changes& b) -> bool;

}  // namespace tacet::oblivious
