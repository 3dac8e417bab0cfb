#pragma once

#include <functional>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// Loops that are written one iteration after another, and need not run so.
namespace tacet::loops {

struct Combined {
  kernel::Kernel kernel;
  std::vector<FileRange> loops{};  ///< of the statements that were rewritten
};

/// Is a loop left as it is?
using LeaveLoop = std::function<bool(const kernel::Kernel&, kernel::StatementId)>;

/// Pass: combine-iterations
///
/// Computes what a loop carries from iteration to iteration in a tree of logarithmic depth, where
/// what iterations do to it has a form that is closed under composition:
///
///  * several variables that are linear functions of each other with secret factors, such as
///    `t = a; a = b; b = p[i] * t + b`, of integers and of truth values: products of matrices;
///  * a number that is shifted and limited, `s = min(max(s + x[i], 0), 100)`, where ranges prove
///    that nothing overflows.
///
/// Elements that the loop wrote in the iterations before, `y[i - 1]`, and elements that all
/// iterations read and write are such variables, too. Statements that the update needs come first,
/// in a loop of their own, and those that need its results in one behind the tree; what passes from
/// one to the other becomes an array. A loop around another one is exchanged with it where
/// dependences allow and the inner one then has such a form.
///
/// Before:                                After:
///   for i in 0..64 {                       for i in 0..64 { factor[i] = p[i]; term[i] = x[i]; }
///     s = p[i] * s + x[i];                 for k in 0..32 {
///     y[i] = s * s;                          term[2 * k + 1] = …;
///   }                                        factor[2 * k + 1] = …;
///                                          }
///                                          …
///                                          for i in 0..64 { s = all[i + 1]; y[i] = s * s; }
///
/// Results are equal, bit by bit. Requires: no secret decides what is done. Loops of less than
/// eight iterations, or of an unknown number, stay, and so do those that do not wait for messages.
/// O(statements of a body^2 + variables^3) for each loop.
auto combine_iterations(kernel::Kernel kernel, const LeaveLoop& leave) -> Combined;

}  // namespace tacet::loops
