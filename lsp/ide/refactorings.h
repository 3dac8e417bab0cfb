#pragma once

#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Refactorings
///
/// What can be written in another way where the cursor or selection is, meaning the same:
///
///   * a selected expression becomes a variable or, in a specification, a node;
///   * selected statements, or an expression, of a device function become a function;
///   * a variable is replaced by what it is bound to, a call by what the function returns;
///   * types and tags that were found out are written down;
///   * a parameter, variable or result becomes secret, or public;
///   * a device function gets the value specification that it computes;
///   * a member of a class gets a class of its own.
///
/// Offered only where the compiler knows what all names and types mean, and where the program
/// computes the same afterwards: nothing that draws random numbers moves, nothing moves over what
/// it depends on, and nothing that may fail is computed where it was not. The last three change
/// what the program says, as their titles tell. O(size of the item).
auto refactorings(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::vector<Action>;

}  // namespace tacet::ide
