#pragma once

#include <cstdint>

namespace tacet::mpc {

/// A number of the standard normal distribution from 64 uniform bits, without a branch or an
/// address that depends on them: its sign is the lowest bit, its magnitude the quantile of the
/// others, at most 9.2. Off by less than 2^-50 of the quantile, which is the quantile of a number
/// that is uniform in steps of 2^-64.
///
/// Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", PPND16; all of
/// its three regions are computed, and one is chosen. The logarithm is a series of ours, so that
/// numbers do not differ from system to system.
auto normal_of_bits(uint64_t bits) -> double;

}  // namespace tacet::mpc
