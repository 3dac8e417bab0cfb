#pragma once

#include "compiler/run/interpret/interpret.h"
#include "engine/he_format/bundle.h"
#include "engine/program/he/residues.h"

namespace tacet::cli {

/// The parameters of a bundle, as those of any function; only those of `owner`, if one is given.
/// Their bounds are the declared ranges.
auto parameters_of(const engine::HeBundle& bundle, std::optional<engine::HeOwner> owner = {})
    -> Result<std::vector<interpret::EntryParameter>>;

/// The results of a bundle, likewise.
auto results_of(const engine::HeBundle& bundle) -> Result<std::vector<interpret::EntryResult>>;

/// The numbers of a value of integers or booleans, or those that fixed-point numbers are stored as;
/// an error if there is one that 64 bits with a sign do not hold.
auto integers_of(const interpret::Value& value) -> Result<std::vector<int64_t>>;

/// Values of all parameters, by name.
auto integers_of(const std::vector<interpret::EntryParameter>& parameters,
                 const std::vector<interpret::Value>& values) -> Result<engine::HeIntegers>;

/// What a result holds, cut to the width of its type.
auto values_of(const std::vector<interpret::EntryResult>& results,
               const engine::HeIntegers& numbers) -> std::vector<interpret::Value>;

}  // namespace tacet::cli
