#pragma once

#include <span>
#include <string>

#include "compiler/he/approximate/approximation.h"

namespace tacet::picture {

/// A function and what encrypted numbers have instead, on its interval, and below how far they are
/// apart, between the bounds that are certified.
auto approximation_picture(const approximate::Approximation& approximation) -> std::string;

/// An approximation and what is above its curves, such as `sigmoid(x[i])`.
struct CaptionedApproximation {
  std::string caption;
  const approximate::Approximation* approximation = nullptr;
};

/// Several such pictures below each other, in one.
auto approximations_picture(std::span<const CaptionedApproximation> approximations) -> std::string;

}  // namespace tacet::picture
