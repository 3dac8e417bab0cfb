#pragma once

#include <optional>
#include <vector>

#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// All lenses of a file, in the order of the text: those of code and those of obliviousness.
auto lenses(const Analysis& analysis, FileId file) -> std::vector<Lens>;

/// What a lens of `subject` says; nothing if that is gone from the file.
auto lens_text(const Analysis& analysis, FileId file, uint32_t subject, LensKind kind)
    -> std::optional<LensText>;

}  // namespace tacet::ide
