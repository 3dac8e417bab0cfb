#pragma once

#include <span>
#include <string_view>

#include "compiler/spec/program/frontend.h"
#include "formatter/style.h"
#include "lsp/ide/plan_store.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// The stages that `stage_text` knows, in the order of the compiler.
auto stage_names() -> std::span<const std::string_view>;

/// Feature: stages beside the source
///
/// What the compiler makes of a file, or of the function at `offset`, as `tacet emit --stage`
/// prints it: `tree`, `ast`, `hir`, `ssa`, `quotients`, `annotated`, `cps` and `random` of the
/// file, `oblivious`, `array`, `schedule` and `approximations` of the function; and pictures of it
/// in SVG: `layout-svg`, which elements are in which slots, `circuit-svg`, what is computed, and
/// `approximations-svg`, by which polynomials functions of reals are. What is source again is laid
/// out by `style`.
auto stage_text(const program::FrontendSnapshot& snapshot, FileId file, std::string_view stage,
                uint32_t offset, const formatter::Style& style, PlanStore& plans) -> StageText;

}  // namespace tacet::ide
