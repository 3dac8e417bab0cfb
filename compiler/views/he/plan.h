#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "base/executor.h"
#include "compiler/device/array/program.h"
#include "compiler/he/circuit/counts.h"
#include "compiler/he/lower/approximate_functions.h"
#include "compiler/he/lower/choose_encryption.h"
#include "compiler/he/schedule/schedule.h"
#include "compiler/views/he/levels.h"
#include "engine/he_model/operation_times.h"

namespace tacet::he_views {

/// How a program would be encrypted, and what that costs.
struct Plan {
  array::Program program;  ///< of those that compute the same, the one that was chosen
  std::optional<schedule::Schedule> schedule;  ///< none of networks, or if there is a problem
  std::string clause;        ///< `schedule { … }`; empty if it cannot be written down
  circuit::Circuit circuit;  ///< optimised
  /// What functions of reals are computed as.
  std::vector<he_lower::ApproximatedFunction> functions;
  /// The program modulo each of several primes; empty if inputs are not bounded.
  std::vector<he_lower::Encryption> parts;
  array::Interval result;                     ///< what the elements of the result are in
  circuit::Counts counts;                     ///< of all parts together
  std::map<std::string, ArrayLevels> levels;  ///< of reals, by array
  double milliseconds = 0;                    ///< estimated, on one thread, keys not included
  double error = 0;           ///< of fixed-point numbers: how far results may be from `ref`'s
  double within = 0;          ///< of these: how far they may be from exact ones
  size_t ring_dimension = 0;  ///< 0 if inputs are not bounded: then none could be chosen
  /// Why it cannot be encrypted: a sentence, without a final period.
  std::string problem;
};

struct PlanOptions {
  /// The schedule to obey; none: one is searched for.
  std::optional<schedule::Schedule> pinned;
  /// Of reals: how far results may be from those of exact arithmetic.
  std::optional<double> tolerance{};
  const he::OperationTimes* times = &he::default_operation_times();
  Executor* executor = nullptr;  ///< none: the calling thread
  CancellationToken cancellation = cancellation_of_thread();
  /// Called when a phase starts, with its name.
  std::function<void(std::string_view)> progress;
};

/// Compiles programs that compute the same (`he_lower::alternatives_of`) as `he_lower::compile`
/// does, up to the parameters if all inputs are bounded, else up to the circuit. Nothing if it was
/// cancelled. Takes seconds for large programs.
auto make_plan(std::vector<array::Program> programs, const PlanOptions& options)
    -> std::optional<Plan>;

/// `5 rotations · 1 ct×ct · 0 ct×pt · depth 1 · 1 ciphertext · ~3.1 ms`; of fixed-point numbers
/// also how far results may be off, ` · within 6e-05`
auto summary(const Plan& plan) -> std::string;

}  // namespace tacet::he_views
