#pragma once

#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Inlay hints
///
/// What was deduced, where the text leaves it out: the types of `let`, `var` and of the definitions
/// of specifications and, on request, the tags of everything in a coordinator function and the
/// places of random draws. Behind lines of functions on secret shares what they send. Items outside
/// `range` are skipped.
auto inlay_hints(const program::FrontendSnapshot& snapshot, FileId file, TextRange range,
                 HintOptions options, const mpc_views::Parties& parties) -> std::vector<Hint>;

}  // namespace tacet::ide
