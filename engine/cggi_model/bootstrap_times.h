#pragma once

#include <string>
#include <string_view>

#include "engine/cggi_model/parameters.h"

namespace tacet::cggi {

/// How long bootstraps take on a machine: measured with some parameters, for others in proportion
/// to `bootstrap_cost`.
struct BootstrapTimes {
  /// Independent bootstraps that are measured together.
  static constexpr unsigned kTogether = 8;

  Parameters parameters{};        ///< their sizes
  unsigned n_threads = 1;         ///< that share those together, in lock step
  double milliseconds_alone = 0;  ///< of one, on one thread
  double milliseconds_together = 0;

  /// Of `n_bootstraps` that need nothing of each other.
  [[nodiscard]] auto level_milliseconds(const Parameters& p, size_t n_bootstraps) const -> double;

  /// A line that `parse_bootstrap_times` reads back: `cggi`, the LWE dimension, the GLWE dimension,
  /// the polynomial size, the base and digits of rotation and key switch, the threads, and both
  /// times.
  [[nodiscard]] auto text() const -> std::string;

  friend auto operator==(const BootstrapTimes&, const BootstrapTimes&) -> bool = default;
};

/// An error if it is none of `BootstrapTimes::text`.
auto parse_bootstrap_times(std::string_view line) -> Result<BootstrapTimes>;

/// What counts where nothing was measured: two threads of a server's processor with AVX-512, as they
/// were measured on several.
auto default_bootstrap_times() -> BootstrapTimes;

}  // namespace tacet::cggi
