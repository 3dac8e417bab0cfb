#pragma once

#include <optional>

#include "compiler/device/array/program.h"
#include "compiler/device/kernel/kernel.h"

namespace tacet::mpc_lower {

/// An array program as a kernel that computes the same, for the same lowering to parties: a `for i:
/// n` for each dimension of a statement's result, an element for each site, reductions as they are.
/// Integers are i64; the client's inputs are secret, the server's public; the client gets the
/// result. Nothing if the program has functions, which texts have no form for. O(size).
auto kernel_of(const array::Program& program) -> std::optional<kernel::Kernel>;

}  // namespace tacet::mpc_lower
