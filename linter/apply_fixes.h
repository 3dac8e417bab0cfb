#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet::linter {

/// The edits of as many fixes of `diagnostics` (of one text) as go together, and how many those
/// are.
struct ChosenFixes {
  std::vector<TextEdit> edits;
  size_t n_fixes = 0;
};

/// Of each diagnostic the first fix that is safe, or with `Unsafe` also one that is not. A fix is
/// taken as a whole or not at all; of two that touch each other the first in the text is.
auto choose_fixes(std::span<const Diagnostic> diagnostics, Applicability most) -> ChosenFixes;

struct FixedText {
  std::string text;
  size_t n_applied = 0;
};

/// `text`, which `diagnostics` are about, with the fixes applied that `choose_fixes` takes. What is
/// left is found again in the new text.
auto apply_fixes(std::string_view text, std::span<const Diagnostic> diagnostics,
                 Applicability most = Applicability::Safe) -> FixedText;

}  // namespace tacet::linter
