#pragma once

#include <map>
#include <memory>
#include <vector>

#include "compiler/he/lower/continuity.h"
#include "compiler/he/lower/polynomial_arcs.h"

namespace tacet::he_lower {

/// What was found out about polynomials. They are the same in many vectors of a program, and in the
/// layouts that are tried for it.
class KnownPolynomials {
 public:
  using Series = approximate::Series;

  /// What p is between, from -1 to 1.
  auto range(const Series& series) -> approximate::RealInterval;
  auto arcs(const Series& series) -> std::shared_ptr<const PolynomialArcs>;
  /// As `find_continuity`.
  auto continuity(const RealFunction& function, approximate::RealInterval operand, double steepest)
      -> std::vector<Continuity>;

 private:
  std::map<Series, approximate::RealInterval> ranges_;
  std::map<Series, std::shared_ptr<const PolynomialArcs>> arcs_;
  std::map<RealFunction, std::vector<Continuity>> continuity_;
};

}  // namespace tacet::he_lower
