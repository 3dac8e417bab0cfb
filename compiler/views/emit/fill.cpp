#include "compiler/views/emit/fill.h"

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/fill/search.h"
#include "compiler/spec/fill/surroundings.h"

namespace tacet::emit {

/// More rounds than any program needs whose fillings do not make new holes.
static constexpr int kMostRounds = 16;

/// Fills what the specification says of each hole, again until nothing changes.
static auto fill_deduced(program::Frontend& frontend, FileId file) -> Filled {
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

/// Searches for the text of each hole in turn; what is found for one stays.
static auto fill_searched(program::Frontend& frontend, FileId file) -> Filled {
  Filled filled;
  filled.text = *frontend.text(file);
  fill::Trial trial(frontend.snapshot(), file);
  uint32_t from = 0;
  for (;;) {
    trial.check(filled.text);
    const std::vector<TextRange> holes = fill::hole_ranges(trial.snapshot(), trial.file());
    const auto next = std::find_if(holes.begin(), holes.end(),
                                   [&](TextRange hole) { return hole.begin >= from; });
    if (next == holes.end()) {
      break;
    }
    from = next->begin + 1;
    const std::vector<fill::Candidate> found =
        fill::search(trial, filled.text, *next, {.n_candidates = 1});
    if (!found.empty()) {
      const fill::Candidate& first = found.front();
      filled.text = apply_edits(filled.text, std::vector<TextEdit>{{first.replaced, first.text}});
      from = first.replaced.begin + static_cast<uint32_t>(first.text.size());
      ++filled.n_filled;
    }
  }
  frontend.set_file(frontend.path(file), filled.text);
  for (Diagnostic& diagnostic : frontend.snapshot().diagnostics(file)) {
    if (diagnostic.severity == Severity::Error || diagnostic.code == DiagnosticCode::T3011 ||
        diagnostic.code == DiagnosticCode::T3012) {
      filled.left.push_back(std::move(diagnostic));
    }
  }
  sort_diagnostics(filled.left);
  return filled;
}

auto fill_holes(program::Frontend& frontend, FileId file) -> Filled {
  const std::string path = frontend.path(file);
  const std::string before = *frontend.text(file);
  Filled deduced = fill_deduced(frontend, file);
  if (deduced.left.empty()) {
    return deduced;
  }
  const std::string text = *frontend.text(file);
  frontend.set_file(path, before);
  Filled searched = fill_searched(frontend, file);
  if (searched.left.size() < deduced.left.size()) {
    return searched;
  }
  frontend.set_file(path, text);
  return deduced;
}

}  // namespace tacet::emit
