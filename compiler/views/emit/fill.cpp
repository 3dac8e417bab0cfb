#include "compiler/views/emit/fill.h"

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/fill/search.h"
#include "compiler/spec/fill/surroundings.h"

namespace tacet::emit {

/// More rounds than any program needs whose fillings do not make new holes.
static constexpr int kMostRounds = 16;

/// Is it about a hole that is still open, or an error?
static auto is_left(const Diagnostic& diagnostic) -> bool {
  return diagnostic.severity == Severity::Error || diagnostic.code == DiagnosticCode::T3011 ||
         diagnostic.code == DiagnosticCode::T3012 || diagnostic.code == DiagnosticCode::T6042;
}

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
      } else if (is_left(diagnostic)) {
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

/// Says of a hole that nothing else speaks of that it is open.
static void add_open_hole(FileId file, TextRange hole, const std::string& problem,
                          std::vector<Diagnostic>& left) {
  std::erase_if(left, [&](const Diagnostic& diagnostic) { return diagnostic.place.range == hole; });
  left.push_back(make_diagnostic(DiagnosticCode::T3012, {file, hole},
                                 "cannot fill this from the specification: " + problem));
}

/// Searches for the text of each hole in turn; what is found for one stays.
static auto fill_searched(program::Frontend& frontend, FileId file, const fill::Checks& checks)
    -> Filled {
  Filled filled;
  filled.text = *frontend.text(file);
  fill::Trial trial(frontend.snapshot(), file, checks);
  std::vector<std::pair<TextRange, std::string>> open;
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
    const TextRange hole = *next;
    fill::Found found = fill::search(trial, filled.text, hole, {.n_candidates = 1});
    if (found.candidates.empty()) {
      open.emplace_back(hole, std::move(found.problem));
      continue;
    }
    const fill::Candidate& first = found.candidates.front();
    filled.text = apply_edits(filled.text, std::vector<TextEdit>{{first.replaced, first.text}});
    from = first.replaced.begin + static_cast<uint32_t>(first.text.size());
    ++filled.n_filled;
  }
  frontend.set_file(frontend.path(file), filled.text);
  filled.left = checks.judge ? checks.judge(frontend.snapshot(), file)
                             : frontend.snapshot().diagnostics(file);
  std::erase_if(filled.left, [](const Diagnostic& diagnostic) { return !is_left(diagnostic); });
  for (const auto& [hole, problem] : open) {
    if (!problem.empty()) {
      add_open_hole(file, hole, problem, filled.left);
    }
  }
  sort_diagnostics(filled.left);
  return filled;
}

auto fill_holes(program::Frontend& frontend, FileId file, const fill::Checks& checks) -> Filled {
  const std::string path = frontend.path(file);
  const std::string before = *frontend.text(file);
  Filled deduced = fill_deduced(frontend, file);
  const std::vector<TextRange> holes = fill::hole_ranges(frontend.snapshot(), file);
  if (deduced.left.empty() && holes.empty()) {
    return deduced;
  }
  const std::string text = *frontend.text(file);
  frontend.set_file(path, before);
  Filled searched = fill_searched(frontend, file, checks);
  const bool is_better = searched.left.size() < deduced.left.size() || !holes.empty();
  if (is_better) {
    return searched;
  }
  frontend.set_file(path, text);
  return deduced;
}

}  // namespace tacet::emit
