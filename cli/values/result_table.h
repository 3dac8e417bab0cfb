#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// Whether the results are columns of one table: scalars are one row, a vector is a column, and an
/// array of two dimensions several. An error names what does not fit, and a format for it.
auto check_table(const std::vector<interpret::EntryResult>& results) -> Status;

/// The table, with a line of headers: the names of the results, those of the columns of an array
/// `a` being `a[0]`, `a[1]`, …. Numbers are written so that they read back as themselves.
auto table_of_results(const std::vector<interpret::EntryResult>& results,
                      const std::vector<interpret::Value>& values, char separator) -> std::string;

}  // namespace tacet::cli
