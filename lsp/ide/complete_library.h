#pragma once

#include <optional>
#include <string_view>

#include "lsp/ide/results.h"

namespace tacet::ide {

/// The modules of the library, behind `import "`. None elsewhere.
auto complete_library(std::string_view text, uint32_t offset) -> std::optional<Completions>;

}  // namespace tacet::ide
