#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/he/lower/place_jointly.h"

/// The state of `placed_jointly`, and the search over numbers of primes that integers and reals
/// share.
namespace tacet::he_lower {

struct JointSearch {
  const Setting& setting;
  const he::OperationTimes& times;
  const JointOptions& options;
  uint32_t n_primes = static_cast<uint32_t>(setting.data_sizes.size());
  size_t n_steps = 0;  ///< simulated so far

  [[nodiscard]] auto is_cheap() const -> bool { return n_steps < options.most_steps; }
};

inline constexpr double kImpossible = std::numeric_limits<double>::infinity();

inline auto is_possible(const Outcome& outcome) -> bool {
  return outcome.microseconds < kImpossible;
}

/// Takes an outcome that keeps margin and precision and is faster than the best. Whether it is.
inline auto take_if_better(const JointSearch& search, Outcome outcome, Outcome& best) -> bool {
  if (outcome.budget < search.options.margin || outcome.error > search.options.precision ||
      outcome.microseconds >= best.microseconds) {
    return false;
  }
  best = std::move(outcome);
  return true;
}

/// Tries each group with each number of primes, and each two groups if there are few, until nothing
/// is faster. `outcome_with(caps)` is the optional outcome where no group has more primes than its
/// cap; `n_simulated()` the number of steps that took so far.
template <class OutcomeWith, class Simulated>
void move_groups(const JointSearch& search, uint32_t n_groups, Outcome& best,
                 const OutcomeWith& outcome_with, const Simulated& n_simulated) {
  constexpr size_t kMostPairs = 2'000;
  using Move = std::pair<uint32_t, uint32_t>;  // a group, and its number of primes
  const uint32_t n_primes = search.n_primes;
  const bool tries_pairs = size_t{n_groups} * n_groups * n_primes * n_primes < kMostPairs;
  const auto is_better_with = [&](std::initializer_list<Move> moves) {
    std::vector<uint32_t> caps = best.levels.of_group;
    for (uint32_t& cap : caps) {
      cap = std::min(cap, n_primes);
    }
    for (const auto& [group, n] : moves) {
      caps[group] = n;
    }
    std::optional<Outcome> outcome = outcome_with(std::move(caps));
    return outcome && take_if_better(search, std::move(*outcome), best);
  };
  for (bool is_better = true;
       is_better && search.n_steps + n_simulated() < search.options.most_steps;) {
    is_better = false;
    for (uint32_t group = n_groups; group-- > 0;) {
      for (uint32_t n = 1; n <= n_primes; ++n) {
        is_better |= is_better_with({{group, n}});
        for (uint32_t other = tries_pairs ? group : 0; other-- > 0;) {
          for (uint32_t m = 1; m <= n_primes; ++m) {
            is_better |= is_better_with({{group, n}, {other, m}});
          }
        }
      }
    }
  }
}

}  // namespace tacet::he_lower
