#pragma once

#include <functional>

#include "compiler/he/approximate/series.h"

namespace tacet::approximate {

/// Which coefficients a series has.
enum class Parity : uint8_t { None, Even, Odd };

/// The series up to a degree that is nearest to `f` on an interval, in the largest distance: by
/// Remez's exchange of points, on a grid. With a parity the interval is one of numbers that are not
/// negative. Nothing is promised of its error, which `certified_error` and its like find; if the
/// exchange does not converge, the best series that it met is returned. It ends where the largest
/// error exceeds the least possible one by at most `excess`, relatively.
///
/// Polynomials are sums of Chebyshev polynomials of the interval, so doubles are enough: the rows
/// of the systems are well conditioned. The sums in T_k(u) that they become are computed exactly.
/// The same operands give the same bits everywhere.
auto minimax(const std::function<double(double)>& f, RealInterval u, unsigned degree, Parity parity,
             double excess = 1e-3) -> Series;

}  // namespace tacet::approximate
