#pragma once

#include <optional>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/array/intervals.h"
#include "engine/he_model/scheme.h"

/// Comparisons, choices, quotients and bits as arithmetic modulo a prime, which is all that there
/// is under encryption.
namespace tacet::he_lower {

/// Whether there is anything to expand.
auto has_functions(const array::Program& program) -> bool;

/// What moduli must hold beside the results, so that they are larger than the widest differences
/// which are distinguished from 0 by a power instead of a polynomial that is found from values. {0,
/// 0} if there are none.
auto wide_differences(const array::Program& program, const array::ValueRanges& ranges)
    -> array::Interval;

/// A program without functions, and what is known of it only by the functions.
struct Expansion {
  std::optional<array::Program> program;  ///< absent exactly if there are diagnostics
  std::vector<Diagnostic> diagnostics;
  uint64_t modulus = 0;      ///< the only one that it means the same modulo
  array::Interval result{};  ///< what the elements of the result are in
};

/// Pass: expand-functions
///
/// Replaces every function by sums and products that give the same modulo the prime t, as long as
/// operands are in their ranges.
///
/// Before:                                     After, modulo any t, where a and b are bits:
///   out[i: 4] = select(equal(a[i], b[i]), 5, c[i])    out[i: 4] = %1 * (5 - c[i]) + c[i]
///                                                       %1 = 1 - (a[i] - b[i]) * (a[i] - b[i])
///
///   * Equality and order are functions of the difference; of others one operand must be known, or
///     have few values v: then f(a, b) = sum over v of (b = v) * f(a, v). Bits of numbers are taken
///     apart for `BitAnd`, `BitOr` and `BitXor`.
///   * A function of one operand in [low, high] is a polynomial modulo t. If it is even or odd
///   around
///     some number c, after its domain was made larger on one side, it is one in (x - c)^2, which
///     has half the degree: equality around 0, order around -1/2.
///   * What is made by functions of one number alone is one polynomial in that number
///     (`plan_expansion`), the loops of a whole program included.
///   * 1 - x^(t - 1) separates 0 from all other numbers where the interval is too wide for that.
///
/// Results have the ranges that they had before, which those of the expansion do not show. t is at
/// least 8192 and larger than `wide_differences`.
///
/// Diagnostics: T6004, for functions of intervals that are too wide, and for unbounded operands.
auto expand_functions(const array::Program& program, const array::ValueRanges& ranges, uint64_t t)
    -> Expansion;

/// The same modulo each of the fewest primes of at most so many bits that every ring can have and
/// that hold the result together, for inputs that are all bounded: an expansion for each, or one
/// with diagnostics.
auto expand_functions(const array::Program& program, unsigned max_bits = he::kMaxPlainBits)
    -> std::vector<Expansion>;

}  // namespace tacet::he_lower
