#pragma once

#include <memory>

#include "engine/mpc/protocol.h"

namespace tacet::mpc {

/// The protocol `aby3`: three parties, of which no two conspire; each follows the protocol.
///
/// Replicated shares (Araki, Furukawa, Lindell, Nof, Ohara, "High-Throughput Semi-Honest Secure
/// Three-Party Computation with an Honest Majority"; Mohassel and Rindal, "ABY3"): a secret is
/// x0 + x1 + x2, or x0 ^ x1 ^ x2, and party i holds x_i and x_(i+1). Part i and key i are known to
/// parties i and i - 1. A product is a local sum, a mask from the common keys, and one element sent
/// to the previous party.
///
/// Where one party, the *leader*, knows the sum of its two parts and both others know the third,
/// most conversions become a choice between two numbers of the leader's by a bit of the others':
/// that is what halves, zero tests, bits and truncation use. The leader goes around from call to
/// call, so that each party sends about the same.
///
/// Deviations from the papers: shuffles as Asharov et al., "Efficient Secure Three-Party Sorting
/// with Applications to Data Analysis and Heavy Hitters", in two rounds of 4n elements in all;
/// exact truncation in one round by choosing the corrected one of two candidates (truncation.cpp).
auto make_aby3() -> std::unique_ptr<Protocol>;

}  // namespace tacet::mpc
