#pragma once

#include <string>

#include "compiler/he/approximate/approximation.h"

namespace tacet::picture {

/// A function and what encrypted numbers have instead, on its interval, and below how far they are
/// apart, between the bounds that are certified.
auto approximation_picture(const approximate::Approximation& approximation) -> std::string;

}  // namespace tacet::picture
