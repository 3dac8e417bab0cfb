#pragma once

#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet::cli {

/// The edits of whole lines that turn `before` into `after`: a shortest list of removed and added
/// lines where the part in which they differ is small, else one edit for that part.
auto line_edits(std::string_view before, std::string_view after) -> std::vector<TextEdit>;

}  // namespace tacet::cli
