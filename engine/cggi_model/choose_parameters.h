#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/cggi_model/noise_model.h"

namespace tacet::cggi {

/// What a program asks of parameters.
struct ParameterNeeds {
  /// All decisions of the program, by kinds.
  std::span<const DecisionCount> decisions;
  /// log2 of the probability that the whole program may fail with.
  double log2_failure = -64;
  Security security = Security::Bits128;
  /// Ciphertexts that share a pass over the key, on average: keys are larger than caches.
  double lock_step = 4;
  /// Tables need positions: twice as many as cases, times the tables of a rotation.
  unsigned least_polynomial_size = 256;
};

/// What a bootstrap costs, by counting operations of 512-bit vectors and bytes of key.
struct BootstrapCost {
  double cycles = 0;
  double rotation_key_bytes = 0;  ///< in memory
  double switch_key_bytes = 0;
  double stored_key_bytes = 0;  ///< on disk, compressed
};

auto bootstrap_cost(const Parameters& parameters, double lock_step) -> BootstrapCost;

struct ChosenParameters {
  Parameters parameters{};
  double log2_failure = 0;
  BootstrapCost cost{};
};

/// The cheapest parameters that keep the program's failure probability. Deterministic, in less than
/// 0.2 s. An error if there are none, or none are known for the requested security.
auto choose_parameters(const ParameterNeeds& needs) -> Result<ChosenParameters>;

}  // namespace tacet::cggi
