#pragma once

#include "engine/he_runtime/bundle.h"
#include "engine/program/he_gather.h"
#include "engine/program/he_residues.h"

/// Numbers as those who fill a bundle in see them, and as its programs compute with them.
/// Fixed-point numbers are the integers that they are stored as.
namespace tacet::engine {

/// The fraction bits of a field's type; 0 if it is of integers.
auto fraction_bits_of(const HeField& field) -> unsigned;

/// The numbers of inputs for one part: residues modulo its prime, or reals.
auto values_for(const HeBundle& bundle, const HeBundlePart& part, const HeIntegers& numbers)
    -> HeValues;

/// The numbers of results, from what each part gave: put together, or rounded to the nearest that
/// their type has.
auto numbers_from(const HeBundle& bundle, const std::vector<HeValues>& parts) -> HeIntegers;

}  // namespace tacet::engine
