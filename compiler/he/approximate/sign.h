#pragma once

#include <optional>

#include "compiler/he/approximate/series.h"

namespace tacet::approximate {

/// An odd polynomial that takes numbers of [gap, 1] to numbers of `image`.
struct SignStage {
  Series series;
  double gap = 0;
  RealInterval image;
};

/// Odd polynomials, in sequence, that give the sign of numbers in [-1, 1].
struct SignComposition {
  std::vector<SignStage> stages;
  unsigned levels = 0;
  unsigned n_products = 0;
};

/// The composition with the fewest levels whose result is within `error` of the sign of all numbers
/// that are at least `gap` from 0. Each stage is the minimax polynomial of the sign on what the
/// stage before leaves, divided by its largest value but for the last; degrees are 3, 7, 15 or 31.
/// For each number of levels the stages are kept that leave the narrowest interval, so a later
/// stage never meets a wider one than it could. Nothing if that takes more than `most_levels`.
auto sign_composition(double gap, double error, unsigned most_levels)
    -> std::optional<SignComposition>;

/// The largest |u| |sign(u) - s(u)| of numbers u in [-1, 1], where s is the composition: a bound,
/// by mapping intervals through the stages.
auto weighed_error(const SignComposition& sign) -> double;

/// A bound of |s(u)| for all u in [-1, 1], likewise.
auto largest_value(const SignComposition& sign) -> double;

}  // namespace tacet::approximate
