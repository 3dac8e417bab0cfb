#pragma once

#include <span>

#include "engine/mpc/protocol.h"

namespace tacet::mpc {

/// Functions that are approximated around one; which, over what interval, and how well is in
/// polynomials.def.
enum class Polynomial : uint8_t { Reciprocal, Rsqrt, Sqrt, Log, Exp2, Sine, Erf, WideErf };

/// Coefficients as multiples of 2^-60, that of the lowest power first: the least exact ones whose
/// error is below that of numbers with `inner_bits` bits behind the point.
auto coefficients_of(Polynomial polynomial, unsigned inner_bits) -> std::span<const int64_t>;

/// The polynomial at t, |t| <= 1, a number with `inner_bits` bits behind the point, as is the
/// result. `scale` multiplies all coefficients: a multiple of 2^-60 below 2.
///
/// All powers of t, in as many sequential products as its degree has doublings; then a public
/// combination of them and one truncation. The error of the powers is below one unit for each,
/// times the coefficients.
auto evaluate_polynomial(Party& party, Polynomial polynomial, Share t, unsigned inner_bits,
                         Truncation how, int64_t scale = int64_t{1} << 60) -> Task<Share>;

}  // namespace tacet::mpc
