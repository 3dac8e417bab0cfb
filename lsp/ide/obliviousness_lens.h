#pragma once

#include <optional>
#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Obliviousness lenses
///
/// Above a device function, how much secrets steer it: `oblivious`, `rewritten in 3 places`, or
/// `not oblivious` where something cannot be rewritten. It leads to those places. Of a function
/// with errors, or that kernels have no form for, it says that nothing is known.
auto obliviousness_lenses(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<Lens>;

/// Is `subject` that of such a lens?
auto is_obliviousness_lens(uint32_t subject) -> bool;

/// The text of the lens of `subject`; nothing if the function no longer exists.
auto obliviousness_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t subject)
    -> std::optional<LensText>;

}  // namespace tacet::ide
