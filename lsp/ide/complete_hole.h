#pragma once

#include <string_view>

#include "lsp/ide/hole_fillings.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// What fills the hole at the cursor, in the order of the search; `text` is that of the file.
auto complete_hole(const HoleFillings& fillings, std::string_view text, uint32_t offset)
    -> Completions;

}  // namespace tacet::ide
