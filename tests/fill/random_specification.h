#pragma once

#include <random>
#include <string>

namespace tacet::testing {

/// A module with a random value specification `wanted`, with everything that computing it takes,
/// and with the function `made` that is to implement it: `body` is what stands between its braces.
/// The specification has definitions in any order, choices, calls of a class with two functions,
/// and calls with several results.
auto random_specification(std::mt19937_64& random, const std::string& body) -> std::string;

}  // namespace tacet::testing
