#pragma once

#include "base/cpu.h"
#include "base/executor.h"
#include "engine/cggi/objects.h"
#include "engine/cggi_model/bootstrap_times.h"

namespace tacet::cggi {

struct BootstrapMeasurement {
  Executor& executor;
  unsigned n_threads = 1;  ///< of the executor
  /// What each of both times is measured for, and at least five times.
  double milliseconds = 500;
};

/// The times of majorities on this machine, medians, with the parameters that keep a program of one
/// decision at a failure probability of 2^-64. A second or two; the keys are thrown away.
auto measure_bootstraps(const BootstrapMeasurement& options, SecureRandom& random, Isa isa)
    -> Result<BootstrapTimes>;

}  // namespace tacet::cggi
