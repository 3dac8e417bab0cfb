#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"
#include "lsp/ide/results.h"

/// What the user sees of functions that several parties compute together.
namespace tacet::ide {

/// Is it a `fn(mpc)`?
auto is_shared_function(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool;

/// Feature: the cost of a function on secret shares, above it
///
/// `aby3, 3 parties: 21 rounds · 1.2 kB`: rounds of a run, and the bytes that a party sends on
/// average. Where there is no program, why.
auto shared_cost_text(const program::FrontendSnapshot& snapshot, names::ItemId item,
                      const mpc_views::Parties& parties) -> std::string;

/// Feature: cost hints
///
/// Behind every line in `range` that sends something, what: `9 rounds · 102 B`. Rounds are those in
/// which something of the line is running; lines share them.
auto shared_cost_hints(const program::FrontendSnapshot& snapshot, names::ItemId item,
                       TextRange range, const mpc_views::Parties& parties) -> std::vector<Hint>;

/// Feature: dispatch, in the hover of an operator or a function of numbers
///
/// The layers that lead to a kernel (`mul → fmul → mul_trunc_ss`) and its cost. Markdown, empty
/// elsewhere, and where nothing secret is computed.
auto dispatch_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                   const mpc_views::Parties& parties) -> std::string;

/// The same of a part of a function, in the hover of a loop: its rounds, and those of the function.
/// `range` is in the item's tree.
auto range_cost_text(const program::FrontendSnapshot& snapshot, names::ItemId item, TextRange range,
                     const mpc_views::Parties& parties) -> std::string;

/// What running it by parties on this machine takes; nothing if it cannot be.
auto shared_run_target(const program::FrontendSnapshot& snapshot, names::ItemId item,
                       const mpc_views::Parties& parties) -> std::optional<RunTarget>;

}  // namespace tacet::ide
