#pragma once

#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/kernel/kernel.h"
#include "compiler/device/oblivious/ranges.h"

namespace tacet::oblivious {

/// Public faults that every run of the kernel ends with: T8001, T8002 and T8003 at the expressions
/// that cause them. Divisors, shift distances and indices are checked by interval; of a loop's
/// counter both ends are reached if nothing leaves the loop. What a condition or a loop without
/// iterations may skip is not certain. O(size of the kernel).
auto certain_faults(const kernel::Kernel& kernel, Ranges& ranges) -> std::vector<Diagnostic>;

}  // namespace tacet::oblivious
