#pragma once

#include <complex>
#include <cstddef>
#include <map>
#include <vector>

/// The transforms between the slots of CKKS and the coefficients of its polynomials, as products of
/// sparse matrices: what bootstrapping computes on ciphertexts. Numbers alone, no ciphertexts.
namespace tacet::he {

/// A square matrix of complex numbers by its diagonals: row i has `diagonals[d][i]` in column
/// (i + d) modulo its size. Diagonals that are missing are zero.
struct DiagonalMatrix {
  std::map<size_t, std::vector<std::complex<double>>> diagonals;
};

/// Applies a matrix: for tests and for precomputation. O(diagonals × size).
auto times(const DiagonalMatrix& matrix, const std::vector<std::complex<double>>& vector)
    -> std::vector<std::complex<double>>;

/// The product of these, first to last, is the linear map from a vector w of `n_slots` numbers to
/// the slots of the polynomial whose coefficient k is the real part, and k + n_slots the imaginary
/// part, of w at the bit reversal of k. With `n_factors` factors, at least one, at most log2 of
/// `n_slots`, each with about 2^(1 + log2(n_slots) / n_factors) diagonals (Chen, Chillotti and
/// Song, "Improved Bootstrapping for Approximate Homomorphic Encryption", section 4: the stages of
/// a fast Fourier transform, several together).
auto slots_of_coefficients(size_t n_slots, size_t n_factors) -> std::vector<DiagonalMatrix>;

/// The inverse map. No number is larger than 1.
auto coefficients_of_slots(size_t n_slots, size_t n_factors) -> std::vector<DiagonalMatrix>;

/// The diagonals that each factor has, rising, without their numbers.
auto diagonals_to_slots(size_t n_slots, size_t n_factors) -> std::vector<std::vector<size_t>>;
auto diagonals_to_coefficients(size_t n_slots, size_t n_factors)
    -> std::vector<std::vector<size_t>>;

}  // namespace tacet::he
