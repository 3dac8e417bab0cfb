#include "compiler/he/lower/known_polynomials.h"

namespace tacet::he_lower {

using approximate::RealInterval;

/// So many are kept, of some tens of kilobytes each.
static constexpr size_t kMostKept = 1024;
/// Of two kilobytes.
static constexpr size_t kMostRanges = 1 << 15;

auto KnownPolynomials::range(const Series& series) -> RealInterval {
  // Chebyshev polynomials grow fast outside of [-1, 1], so ranges must be narrow: per degree of a
  // polynomial, for a range that is wider by the square of what is between two points.
  constexpr unsigned kManyPoints = 128;
  constexpr unsigned kFewPoints = 16;
  constexpr unsigned kMediumDegree = 64;
  const auto known = ranges_.find(series);
  if (known != ranges_.end()) {
    return known->second;
  }
  const unsigned n = approximate::degree_of(series) <= kMediumDegree ? kManyPoints : kFewPoints;
  const RealInterval found = approximate::range_of(series, {-1, 1}, n);
  if (ranges_.size() < kMostRanges) {
    ranges_.emplace(series, found);
  }
  return found;
}

auto KnownPolynomials::arcs(const Series& series) -> std::shared_ptr<const PolynomialArcs> {
  const auto known = arcs_.find(series);
  if (known != arcs_.end()) {
    return known->second;
  }
  auto made = std::make_shared<const PolynomialArcs>(series);
  if (arcs_.size() < kMostKept) {
    arcs_.emplace(series, made);
  }
  return made;
}

auto KnownPolynomials::continuity(const RealFunction& function, RealInterval operand,
                                  double steepest) -> std::vector<Continuity> {
  const auto known = continuity_.find(function);
  if (known != continuity_.end()) {
    return known->second;
  }
  if (continuity_.size() >= kMostKept) {
    return {};
  }
  return continuity_.emplace(function, find_continuity(function, operand, steepest)).first->second;
}

}  // namespace tacet::he_lower
