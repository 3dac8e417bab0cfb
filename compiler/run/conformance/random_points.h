#pragma once

#include <optional>
#include <utility>

#include "compiler/run/conformance/terms.h"

namespace tacet::conformance {

/// Pairs of terms that should be equal.
using TermPairs = std::vector<std::pair<TermId, TermId>>;

/// Evaluates terms at random points over the field of 2^61 - 1 elements (Schwartz 1980, Zippel
/// 1979): polynomials of degree D that differ agree at a random point with a probability of D/p at
/// most. Operations that are none of a ring are random functions of their operands' values, so that
/// terms that always agree are equal whatever these are; two of them may be taken for one with
/// another D/p.
///
/// Gives the binary logarithm of the probability that some pair is not equal although all agreed,
/// at most -40; nothing if one does not agree, which need not mean that it ever differs, or if the
/// degree is too large for that. Points depend on the terms alone.
auto agree_at_random_points(const Terms& terms, const TermPairs& pairs) -> std::optional<double>;

}  // namespace tacet::conformance
