#pragma once

#include <optional>

#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"
#include "lsp/ide/plan_store.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Hover
///
/// The declaration of what is under the cursor with its type, its documentation, and the
/// specifications that it implements, in Markdown.
/// Of an array under encryption also its layout, of what is computed on secret shares how it is
/// dispatched, and of what is computed bit by bit its gates.
auto hover(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
           PlanStore& plans, const mpc_views::Parties& parties) -> std::optional<Hover>;

}  // namespace tacet::ide
