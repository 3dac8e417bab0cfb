#pragma once

#include <cstddef>
#include <vector>

#include "engine/ring/aligned.h"

namespace tacet::cggi {

using AlignedReals = std::vector<double, ring::AlignedAllocator<double>>;

/// Constants of the transform of real polynomials modulo X^N + 1 in vectors of `lanes` doubles.
///
/// Coefficients j and j + M, for M = N/2, are the real and imaginary part of coefficient j of a
/// polynomial modulo X^M - i. That ring is split as a number-theoretic transform splits its own:
/// X^L - t^2 into X^(L/2) - t and X^(L/2) + t, so that a block of coefficients has one constant,
/// and nothing is twisted before or after. Blocks of at least `lanes` coefficients are split by
/// passes over whole vectors, smaller ones after a transposition of `lanes` vectors, in their
/// lanes.
///
/// The order of the values is what comes of it; data and keys share it.
struct FourierTables {
  FourierTables(size_t polynomial_size, size_t lanes);

  size_t polynomial_size;
  size_t lanes;
  /// In the order of use. If M / `lanes` is not a power of four, first the constant of one pass of
  /// radix 2; then for each pass of radix 4 and each of its blocks u, u^2, u^3. Real parts before
  /// imaginary ones.
  AlignedReals passes;
  /// For each group of `lanes` vectors, vectors of constants, a lane for each block. Eight lanes:
  /// of a pass of radix 2 and two blocks of radix 4. Four lanes: of one block of radix 4.
  AlignedReals leaves;
};

}  // namespace tacet::cggi
