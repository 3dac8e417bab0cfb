#pragma once

#include <cstdint>
#include <span>

#include "engine/cggi_model/bootstrap_times.h"

/// How long circuits take.
namespace tacet::gates {

/// What keys for a circuit take at least to make and prepare. An arithmetic scheme that takes less
/// is faster than any circuit.
constexpr double kPreparationMilliseconds = 400;

/// What evaluating takes, without keys and encryption: levels in sequence.
auto estimated_milliseconds(std::span<const uint32_t> level_sizes, const cggi::Parameters& p,
                            const cggi::BootstrapTimes& times) -> double;

}  // namespace tacet::gates
