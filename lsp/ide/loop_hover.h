#pragma once

#include <string>

#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::ide {

/// Feature: dependences, in the hover of `for` and `while`
///
/// Through which variables iterations of a device function's loop depend on earlier ones, once no
/// secret steers it, and how many iterations later: `table (1, 0..1)`. On secret shares
/// also the rounds that it takes, beside all of the function. Empty elsewhere.
auto loop_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
               const mpc_views::Parties& parties) -> std::string;

}  // namespace tacet::ide
