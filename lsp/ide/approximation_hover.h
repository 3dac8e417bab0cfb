#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/plan_store.h"

namespace tacet::ide {

/// Feature: what a function of encrypted reals is computed as, in the hover of its name
///
/// The polynomial's degree, its interval, its certified error, and what it costs; with pictures
/// also a plot. One for each place that the array program has of the call. Markdown, empty
/// elsewhere, and where the plan of the function is not there yet.
auto approximation_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                        PlanStore& plans, Pictures pictures) -> std::string;

}  // namespace tacet::ide
