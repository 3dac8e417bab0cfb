#pragma once

#include <optional>
#include <vector>

#include "compiler/spec/fill/search.h"
#include "compiler/spec/program/frontend.h"
#include "lsp/ide/action.h"

namespace tacet::ide {

/// A hole and what may be written for it.
struct HoleFillings {
  TextRange hole;
  /// Cheapest first; with each the file has no errors that it did not have.
  std::vector<fill::Candidate> candidates;
};

/// The hole that `range` touches; nothing if there is none. The same on every machine and at every
/// time: how much is tried is a number of texts.
auto hole_fillings(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::optional<HoleFillings>;

/// Feature: Fill
///
/// What fills the hole that `range` touches, the cheapest first. They take the place of the fixes
/// of `found` for this hole, which were not tried.
auto fill_actions(const program::FrontendSnapshot& snapshot, FileId file, TextRange range,
                  std::vector<Diagnostic>& found) -> std::vector<Action>;

/// A filling on one line.
auto title_of(const fill::Candidate& candidate) -> std::string;

}  // namespace tacet::ide
