#include "lsp/ide/hole_fillings.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/fill/surroundings.h"
#include "compiler/spec/infer/side_by_side.h"
#include "problems/fill_checks.h"

namespace tacet::ide {

/// Texts that are tried for a hole under the cursor.
static constexpr size_t kChecksAtOnce = 600;
static constexpr size_t kMostTitle = 60;

static auto holes_touch(TextRange hole, TextRange range) -> bool {
  return hole.begin <= range.end && range.begin <= hole.end;
}

auto hole_fillings(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::optional<HoleFillings> {
  const std::vector<TextRange> holes = fill::hole_ranges(snapshot, file);
  const auto hole = std::find_if(holes.begin(), holes.end(),
                                 [&](TextRange one) { return holes_touch(one, range); });
  if (hole == holes.end()) {
    return std::nullopt;
  }
  fill::Trial trial(snapshot, file, problems::fill_checks());
  const std::string text = trial.original();
  fill::Found found = fill::search(trial, text, *hole, {.n_checks = kChecksAtOnce});
  return HoleFillings{*hole, std::move(found.candidates)};
}

auto title_of(const fill::Candidate& candidate) -> std::string {
  return candidate.text.empty() ? "nothing" : infer::shortened(candidate.text, kMostTitle);
}

auto fill_actions(const program::FrontendSnapshot& snapshot, FileId file, TextRange range,
                  std::vector<Diagnostic>& found) -> std::vector<Action> {
  const std::optional<HoleFillings> fillings = hole_fillings(snapshot, file, range);
  std::vector<Action> actions;
  if (!fillings || fillings->candidates.empty()) {
    return actions;
  }
  const auto about = std::find_if(found.begin(), found.end(), [&](const Diagnostic& diagnostic) {
    return (diagnostic.code == DiagnosticCode::T3011 || diagnostic.code == DiagnosticCode::T3012 ||
            diagnostic.code == DiagnosticCode::T6042) &&
           diagnostic.place.range == fillings->hole;
  });
  for (const fill::Candidate& candidate : fillings->candidates) {
    Action& action = actions.emplace_back();
    action.title = fmt::format("fill from specification: `{}`", title_of(candidate));
    action.edits = {{candidate.replaced, candidate.text}};
    if (about != found.end()) {
      action.diagnostic = *about;
    }
  }
  if (about != found.end()) {
    about->fixes.clear();
  }
  return actions;
}

}  // namespace tacet::ide
