#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/run/interpret/interpret.h"

/// Files with the results of a run. Each format reads back as an input: `@out.csv:NAME`,
/// `@out.json:NAME`, `@out.npy`, `@out.npz:NAME`.
namespace tacet::cli {

/// Whether results of these types and shapes can be in a file of this name; an error says what to
/// use instead. Checked before a run, so that nothing is computed in vain.
auto check_result_file(const std::string& path, const std::vector<interpret::EntryResult>& results)
    -> Status;

/// Whether a file of this name can be written, whatever the results are.
auto check_result_path(const std::string& path) -> Status;

/// What the file holds. An error if a number is not exactly representable in its format.
auto result_file_content(const std::string& path,
                         const std::vector<interpret::EntryResult>& results,
                         const std::vector<interpret::Value>& values) -> Result<std::string>;

/// Writes it in one step.
auto write_result_file(const std::string& path, const std::vector<interpret::EntryResult>& results,
                       const std::vector<interpret::Value>& values) -> Status;

}  // namespace tacet::cli
