#include "compiler/views/emit/fill.h"

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"

namespace tacet::emit {

/// More rounds than any program needs whose fillings do not make new holes.
static constexpr int kMostRounds = 16;

auto fill_holes(program::Frontend& frontend, FileId file) -> Filled {
  Filled filled;
  filled.text = *frontend.text(file);
  const std::string path = frontend.path(file);
  for (int round = 0;; ++round) {
    std::vector<TextEdit> edits;
    filled.left.clear();
    for (Diagnostic& diagnostic : frontend.snapshot().diagnostics(file)) {
      const bool is_hole = diagnostic.code == DiagnosticCode::T3011;
      if (is_hole && !diagnostic.fixes.empty() && round < kMostRounds) {
        const std::vector<TextEdit>& fix = diagnostic.fixes.front().edits;
        edits.insert(edits.end(), fix.begin(), fix.end());
        ++filled.n_filled;
      } else if (is_hole || diagnostic.severity == Severity::Error ||
                 diagnostic.code == DiagnosticCode::T3012) {
        filled.left.push_back(std::move(diagnostic));
      }
    }
    if (edits.empty()) {
      sort_diagnostics(filled.left);
      return filled;
    }
    filled.text = apply_edits(filled.text, sorted_edits(edits));
    frontend.set_file(path, filled.text);
  }
}

}  // namespace tacet::emit
