#pragma once

#include "base/result.h"
#include "engine/he/evaluation.h"

namespace tacet::he {

/// sin(2 pi K u), K = `kSineRange`, of a ciphertext with numbers u of -1 to 1: a polynomial in
/// Chebyshev's basis near cos((2 pi K u - pi/2) / 2^r), then r times cos 2a = 2 cos^2 a - 1 (Han
/// and Ki, "Better Bootstrapping for Approximate Homomorphic Encryption"; we keep the polynomial
/// good on the whole interval, not only near integers). Takes `kCosineLevels` + `kDoublings`
/// levels. The result has this scale, which may be any near the primes' sizes. Noise is not
/// estimated.
///
/// 14 products and relinearisations: O(k n) each of the former.
auto sine(const Context& context, const Ciphertext& u, double scale, const RelinearisationKey& key)
    -> Result<Ciphertext>;

/// The coefficients of the polynomial, in Chebyshev's basis.
auto cosine_coefficients() -> std::vector<double>;

}  // namespace tacet::he
