#include "compiler/core/egraph/scheduler.h"

#include <algorithm>
#include <limits>

namespace tacet::egraph {
namespace {

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max() - 1;

/// `value` doubled `times` times, or as large as can be.
auto doubled(size_t value, size_t times) -> size_t {
  return times >= 40 || value > (kUnlimited >> times) ? kUnlimited : value << times;
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, size_t n_rewrites)
    : options_(std::move(options)), states_(n_rewrites) {
  for (size_t rewrite = 0; rewrite < n_rewrites; ++rewrite) {
    const auto& exempt = options_.never_banned;
    states_[rewrite].is_exempt = options_.kind == SchedulerOptions::Kind::Simple ||
                                 std::find(exempt.begin(), exempt.end(), rewrite) != exempt.end();
  }
}

auto Scheduler::limit(size_t rewrite, size_t iteration) const -> size_t {
  const State& state = states_[rewrite];
  if (state.is_exempt) {
    return kUnlimited;
  }
  return iteration < state.banned_until ? 0 : doubled(options_.match_limit, state.n_bans);
}

auto Scheduler::admit(size_t rewrite, size_t iteration, size_t n_matches) -> bool {
  if (n_matches <= limit(rewrite, iteration)) {
    return true;
  }
  State& state = states_[rewrite];
  state.banned_until = iteration + doubled(options_.ban_length, state.n_bans);
  ++state.n_bans;
  return false;
}

auto Scheduler::can_stop(size_t iteration) -> bool {
  size_t first_end = std::numeric_limits<size_t>::max();
  for (const State& state : states_) {
    if (state.banned_until > iteration) {
      first_end = std::min(first_end, state.banned_until);
    }
  }
  if (first_end == std::numeric_limits<size_t>::max()) {
    return true;
  }
  for (State& state : states_) {
    if (state.banned_until > iteration) {
      state.banned_until -= first_end - iteration;
    }
  }
  return false;
}

}  // namespace tacet::egraph
