#pragma once

#include <string>
#include <variant>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/tree.h"
#include "compiler/device/kernel/kernel.h"

namespace tacet::linter {

/// A fix, or why there is none, as the end of a sentence.
using FixOrReason = std::variant<Fix, std::string>;

/// The fix of one finding of a function: its source with the rewrite that the compiler would do at
/// the finding's place, where it would do it, and nowhere else. `kernel` and the finding have
/// places in items, `tree` is the item's.
///
/// The smallest run of statements that differs is replaced; comments in it are kept in front of it.
/// Names of the text that the rewritten statements use must be those of the kernel, else there is
/// no fix. The result means the same where the source does not fail. O(size of the function).
auto rewrite_fix(const kernel::Kernel& kernel, const Diagnostic& finding, const syntax::Tree& tree)
    -> FixOrReason;

/// The same with a loop as a tree of its iterations (`loops::combine_iterations`), as the compiler
/// would compute it on secret shares; `loop` is the place of the `for` statement. Nothing of loops
/// around it or in others is rewritten. O(size of the function + statements of the loop^2).
auto combined_loop_fix(const kernel::Kernel& kernel, FileRange loop, const syntax::Tree& tree)
    -> FixOrReason;

}  // namespace tacet::linter
