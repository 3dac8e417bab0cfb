#pragma once

#include <array>

#include "engine/he_format/bundle.h"
#include "engine/program/he/gather.h"
#include "engine/program/he/residues.h"

/// Numbers as those who fill a bundle in see them, and as its programs compute with them.
/// Fixed-point numbers are the integers that they are stored as.
namespace tacet::engine {

using BundleDigest = std::array<std::byte, 32>;

/// The fraction bits of a field's type; 0 if it is of integers.
auto fraction_bits_of(const HeField& field) -> unsigned;

/// The numbers of inputs for one part: residues modulo its prime, or reals.
auto values_for(const HeBundle& bundle, const HeBundlePart& part, const HeIntegers& numbers)
    -> HeValues;

/// The numbers of results, from the results of the parts: combined, or rounded to the nearest that
/// their type has.
auto numbers_from(const HeBundle& bundle, const std::vector<HeValues>& parts) -> HeIntegers;

/// Whether these are within what the bundle says of its results: others are of inputs outside of
/// their ranges, of other parameters, or of a result that was not what it should have been.
auto check_results(const HeBundle& bundle, const HeIntegers& numbers) -> Status;

/// What identifies a bundle: two sides compute the same if they agree on this.
auto digest_of(const HeBundle& bundle) -> BundleDigest;

}  // namespace tacet::engine
