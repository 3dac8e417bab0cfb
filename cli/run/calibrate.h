#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// The bounds of a function's parameters by sample data, as edits of its file: `in lo..hi`, and for
/// arrays of `fxp` a norm if that says more. `samples` are `NAME=VALUE`, or the value alone if
/// there is one parameter; a value is one of the parameter's, or an array of such. A file needs no
/// `@`.
///
/// Ends leave some room, a twentieth (norms a tenth), and have two digits, so that they do not show
/// the least and the greatest number. Old bounds are replaced. An error names what is wrong with a
/// sample.
auto calibrated_bounds(const program::FrontendSnapshot& snapshot, names::ItemId item,
                       const std::vector<std::string>& samples) -> Result<std::vector<TextEdit>>;

}  // namespace tacet::cli
