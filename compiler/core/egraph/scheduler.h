#pragma once

#include <cstddef>
#include <vector>

namespace tacet::egraph {

/// Decides which rewrites may run. Some rewrites (commutativity, distributivity) match so often
/// that they starve the others; back-off bans such a rewrite for a while, for longer each time
/// (egg's scheduler of the same name).
struct SchedulerOptions {
  enum class Kind : unsigned char { Simple, BackOff };

  Kind kind = Kind::BackOff;
  size_t match_limit = 1000;  ///< a rewrite with more matches is banned; doubles with each ban
  size_t ban_length = 5;      ///< in iterations; doubles with each ban
  /// For single rewrites: those named here by their index are never banned.
  std::vector<size_t> never_banned = {};
};

/// The state of scheduling over one run.
class Scheduler {
 public:
  Scheduler(SchedulerOptions options, size_t n_rewrites);

  /// The most matches that the rewrite may have now; none at all if it is banned.
  [[nodiscard]] auto limit(size_t rewrite, size_t iteration) const -> size_t;

  /// Whether matches found with `limit() + 1` may be applied; bans the rewrite if there are more.
  auto admit(size_t rewrite, size_t iteration, size_t n_matches) -> bool;

  /// Called when nothing changed: true if that is because nothing can. Otherwise lifts the bans
  /// that end first.
  auto can_stop(size_t iteration) -> bool;

 private:
  struct State {
    size_t n_bans = 0;
    size_t banned_until = 0;
    bool is_exempt = false;
  };

  SchedulerOptions options_;
  std::vector<State> states_;
};

}  // namespace tacet::egraph
