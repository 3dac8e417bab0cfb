#pragma once

#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Refactorings
///
/// Equivalent rewrites at the cursor or selection:
///
///   * a selected expression becomes a variable or, in a specification, a node;
///   * selected statements, or an expression, of a device function become a function;
///   * a variable is replaced by its initialiser, a call by what the function returns;
///   * inferred types and tags are written down;
///   * a loop of a function on secret shares becomes a tree of its iterations;
///   * a call goes to another function that computes the same, unless that shows more;
///   * a parameter, variable or result becomes secret, or public;
///   * a device function gets the value specification that it computes;
///   * a member of a class gets a class of its own.
///
/// Offered only where the compiler knows what all names and types mean, and where the program
/// computes the same afterwards: nothing that draws random numbers moves, nothing moves over what
/// it depends on, and nothing that may fail is computed where it was not. The last three change the
/// meaning of the program, as their titles say. O(size of the item).
auto refactorings(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::vector<Action>;

}  // namespace tacet::ide
