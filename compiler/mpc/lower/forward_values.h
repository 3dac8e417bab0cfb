#pragma once

#include "compiler/device/kernel/kernel.h"

/// Private to this folder.
namespace tacet::mpc_lower {

/// Pass: forward-values
///
/// Puts small values in place of the variables that hold them, as long as their operands stay the
/// same, and leaves out assignments that become unused. What an arm of a branch computed on
/// variables of its own becomes an update of one variable again, which is a reduction where
/// iterations are put side by side.
///
/// Before:                                After:
///   let count_2 = count;                   count = count + 1 if taken else count;
///   let count_3 = count_2 + 1;
///   count = count_3 if taken else count;
///
/// Values that may fail stay where they are.
auto forward_values(kernel::Kernel kernel) -> kernel::Kernel;

}  // namespace tacet::mpc_lower
