#pragma once

#include <optional>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/secrecy.h"

namespace tacet::linter {

/// The call in the text of the function itself through which what stands at `place` of another
/// function's text came into the kernel: where a secret decides about it, if there are several.
/// None if it was not inlined.
auto place_in_caller(const kernel::Lowering& lowering, const oblivious::Secrecy& secrecy,
                     FileRange place) -> std::optional<FileRange>;

}  // namespace tacet::linter
