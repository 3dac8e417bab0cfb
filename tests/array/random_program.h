#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/array/random_numbers.h"

/// Random array programs, as text with values.
namespace tacet::array {

struct RandomProgram {
  std::string path;                          ///< says which language the text is in
  std::string text;                          ///< of a file without errors, whose last item it is
  std::vector<std::vector<int64_t>> inputs;  ///< the elements of each, row-major
};

struct RandomLimits {
  int64_t max_extent = 6;
  size_t max_rank = 3;
  int64_t max_elements = 60;  ///< of an input
  int64_t max_value = 9;      ///< and as low as its negative
  int depth = 5;              ///< of the expression
  /// Of elements that are fixed-point numbers, as inputs' numbers are; 0 for integers. The text is
  /// a module then, without constants, whose fractions have a type of their own.
  unsigned fraction_bits = 0;
};

/// Every construct of array programs: `for`, whole, partial and full indices with constants,
/// strides of both signs, one variable in several places and offsets that lead outside, sums and
/// products over any dimension, rotations, element-wise operators, broadcasting, literals, `let`
/// around and inside of bodies, used several times differently, arrays that are written down, index
/// variables as numbers; and, where the text is a module, constant arrays and calls of functions
/// that read their arguments with arbitrary indices. Depends on the seed alone.
/// Numbers may grow beyond 64 bits.
auto random_program(uint64_t seed, const RandomLimits& limits = {}) -> RandomProgram;
auto random_program(RandomNumbers& numbers, const RandomLimits& limits = {}) -> RandomProgram;

}  // namespace tacet::array
