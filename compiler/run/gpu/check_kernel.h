#pragma once

#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/run/gpu/kernel_declaration.h"
#include "engine/spirv/shader_interface.h"

namespace tacet::gpu {

/// What of a declaration no kernel of a GPU can satisfy: dimensions, types, ports without a buffer,
/// two buffers in one place.
auto check_declaration(const KernelDeclaration& declaration) -> std::vector<Diagnostic>;

/// Where a kernel differs from its declaration: its entry point, what it binds, the types of its
/// buffers, and what it reads and writes.
auto check_kernel(const KernelDeclaration& declaration, const engine::ShaderInterface& kernel)
    -> std::vector<Diagnostic>;

/// The report on a kernel whose file cannot be read, for the given reason.
auto unreadable_kernel(const KernelDeclaration& declaration, const std::string& reason)
    -> Diagnostic;

/// The report on a kernel that is not accepted by the compiler of its language, with what that
/// says.
auto uncompiled_kernel(const KernelDeclaration& declaration,
                       const std::vector<std::string>& messages) -> Diagnostic;

}  // namespace tacet::gpu
