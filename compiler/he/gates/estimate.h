#pragma once

#include <cstdint>
#include <span>

#include "engine/cggi_model/bootstrap_times.h"

/// How long circuits take.
namespace tacet::gates {

/// What keys for a circuit take to make and prepare: measured on two threads of a server's
/// processor. An arithmetic scheme that takes less is faster than any circuit.
constexpr double kPreparationMilliseconds = 130;

/// What evaluating takes, without keys and encryption: levels in sequence.
auto estimated_milliseconds(std::span<const uint32_t> level_sizes, const cggi::Parameters& p,
                            const cggi::BootstrapTimes& times) -> double;

}  // namespace tacet::gates
