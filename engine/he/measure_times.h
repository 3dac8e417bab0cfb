#pragma once

#include <functional>

#include "engine/he/parameters.h"
#include "engine/he_model/operation_times.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::he {

struct TimeMeasurement {
  size_t least_dimension = 2048;
  size_t most_dimension = 32768;
  /// What each operation is repeated for, and at least three times.
  double milliseconds = 3;
  /// Called before each ring dimension and number of special primes; false ends the measurement.
  std::function<bool(Scheme scheme, size_t ring_dimension, size_t n_special)> progress;
};

/// The times of all operations of BFV and BGV on this machine, on one thread: medians. Half a
/// minute or so. The keys are of parameters for tests and are thrown away.
auto measure_operation_times(const TimeMeasurement& options, secure_random::SecureRandom& random)
    -> Result<OperationTimes>;

}  // namespace tacet::he
