#pragma once

#include <optional>
#include <vector>

#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// All lenses of a file, in the order of the text: those of code and those of obliviousness.
auto lenses(const Analysis& analysis, FileId file) -> std::vector<Lens>;

/// The text of a lens of `subject`; nothing if that is no longer in the file.
auto lens_text(const Analysis& analysis, FileId file, uint32_t subject, LensKind kind)
    -> std::optional<LensText>;

}  // namespace tacet::ide
