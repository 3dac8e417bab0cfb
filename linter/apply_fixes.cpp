#include "linter/apply_fixes.h"

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"

namespace tacet::linter {

static auto chosen_fix(const Diagnostic& diagnostic, Applicability most) -> const Fix* {
  const auto found =
      std::find_if(diagnostic.fixes.begin(), diagnostic.fixes.end(), [&](const Fix& fix) {
        return !fix.edits.empty() &&
               (fix.applicability == Applicability::Safe ||
                (fix.applicability == Applicability::Unsafe && most == Applicability::Unsafe));
      });
  return found == diagnostic.fixes.end() ? nullptr : &*found;
}

/// What is side by side touches: a fix that removes parentheses has checked what is between them,
/// and the order of two insertions at one place would decide.
static auto touch(const TextEdit& a, const TextEdit& b) -> bool {
  return a.range.begin <= b.range.end && b.range.begin <= a.range.end;
}

auto choose_fixes(std::span<const Diagnostic> diagnostics, Applicability most) -> ChosenFixes {
  std::vector<const Fix*> fixes;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (const Fix* fix = chosen_fix(diagnostic, most)) {
      fixes.push_back(fix);
    }
  }
  const auto begin = [](const Fix* fix) { return fix->edits.front().range.begin; };
  std::stable_sort(fixes.begin(), fixes.end(),
                   [&](const Fix* a, const Fix* b) { return begin(a) < begin(b); });
  ChosenFixes chosen;
  for (const Fix* fix : fixes) {
    const bool is_free = std::none_of(fix->edits.begin(), fix->edits.end(), [&](const auto& edit) {
      return std::any_of(chosen.edits.begin(), chosen.edits.end(),
                         [&](const TextEdit& other) { return touch(edit, other); });
    });
    if (is_free) {
      chosen.edits.insert(chosen.edits.end(), fix->edits.begin(), fix->edits.end());
      ++chosen.n_fixes;
    }
  }
  return chosen;
}

auto apply_fixes(std::string_view text, std::span<const Diagnostic> diagnostics, Applicability most)
    -> FixedText {
  const ChosenFixes chosen = choose_fixes(diagnostics, most);
  return {apply_edits(text, chosen.edits), chosen.n_fixes};
}

}  // namespace tacet::linter
