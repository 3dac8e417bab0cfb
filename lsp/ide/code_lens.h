#pragma once

#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"
#include "lsp/ide/plan_store.h"
#include "lsp/ide/results.h"
#include "project/explore_file.h"

namespace tacet::ide {

/// Feature: Code lenses
///
/// Above a value specification or class, how many implementations it has; above a function, which
/// class it implements and for how many members of that class something can run. Their places are
/// computed at once, their texts when they become visible.
/// Above an array program what it costs to compute it under encryption, above a function on secret
/// shares what it costs several parties, and one that runs it.
auto code_lenses(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<Lens>;

/// Feature: lenses at calls
///
/// Above each call of a function that computes what was explored, if others could be called there:
/// how many, and how long the fastest take. Nothing was explored of most files, for which this
/// costs nothing.
auto call_lenses(const program::FrontendSnapshot& snapshot, FileId file,
                 const std::vector<program::ExploredChoice>& explored) -> std::vector<Lens>;

/// The text and target of a lens of `subject`; nothing if the subject no longer exists.
/// Above what was explored it has the times of the fastest, too: those of `explored`.
auto lens_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t subject,
               LensKind kind, PlanStore& plans, const mpc_views::Parties& parties,
               const std::vector<program::ExploredChoice>& explored) -> std::optional<LensText>;

}  // namespace tacet::ide
