#pragma once

#include <cstdint>
#include <string>

namespace tacet::lift {

/// The text of a random function of statements: nested loops and choices, sums, products, arrays
/// that are stored and read at sums and remainders of counters, scans, values that go from turn to
/// turn. It never fails. The same for the same seed.
auto random_function(uint64_t seed) -> std::string;

}  // namespace tacet::lift
