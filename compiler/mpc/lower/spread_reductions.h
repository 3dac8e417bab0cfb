#pragma once

#include "compiler/device/kernel/kernel.h"

/// Private to this folder.
namespace tacet::mpc_lower {

/// Pass: spread-reductions
///
/// A variable that iterations of a dependent loop only take the minimum of, or multiply, and so on,
/// becomes a row of them, each for every 256th iteration, which are joined behind the loop. So the
/// iterations do not wait for each other because of it; what they depend on otherwise decides.
///
/// Before:                                After:
///   for i in 1..21 {                       var row = for k: 256 { -2147483648 };
///     for j in 1..21 {                     var at = 0;
///       score[i][j] = …;                   for i in 1..21 {
///       best = max(best, score[i][j]);       for j in 1..21 {
///     }                                        score[i][j] = …;
///   }                                          row[at] = max(row[at], score[i][j]);
///                                              at = (at + 1) & 255;
///                                            }
///                                          }
///                                          for k in 0..256 { best = max(best, row[k]); }
///
/// In secret regions. Sums need no messages and stay. The row has as many elements as the loop
/// makes updates, if these are few. Requires and keeps: regions. O(size · depth of loops).
auto spread_reductions(kernel::Kernel kernel) -> kernel::Kernel;

}  // namespace tacet::mpc_lower
