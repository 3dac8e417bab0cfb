#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// A file in NumPy's array format, with the type of the result's elements. Fixed point is written
/// as float64; an error if that cannot hold a number exactly.
auto npy_of_result(const interpret::EntryResult& result, const interpret::Value& value)
    -> Result<std::string>;

/// An archive as `np.savez` writes it, with an array for each result. It depends on nothing but
/// the results.
auto npz_of_results(const std::vector<interpret::EntryResult>& results,
                    const std::vector<interpret::Value>& values) -> Result<std::string>;

}  // namespace tacet::cli
