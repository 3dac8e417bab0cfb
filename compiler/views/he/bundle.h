#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/he/lower/compile.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/he_format/bundle.h"

namespace tacet::he_views {

/// What computes one result of a function, up to the parameters.
struct ComputedResult {
  const array::Program* program = nullptr;
  std::span<const he_lower::Encryption> parts;
  array::Interval range;  ///< of the result's elements
  double error = 0;       ///< of fixed-point numbers, as `he_lower::Compiled` has them
  double within = 0;      ///< the same
};

auto computed_result(const he_lower::Compiled& compiled) -> ComputedResult;

/// What client and server must know of a function: the first of `computed` says its scheme and the
/// bounds of its parameters, which the array program must have as inputs; one for each result.
auto bundle_of(std::string name, const std::vector<interpret::EntryParameter>& parameters,
               const std::vector<interpret::EntryResult>& results,
               std::span<const ComputedResult> computed) -> engine::HeBundle;

}  // namespace tacet::he_views
