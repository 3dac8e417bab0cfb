#pragma once

#include <cstdint>

namespace tacet {

/// Every kind of diagnostic. The enumerator is the stable code itself, so that a
/// code in a report, in the documentation and in the source is the same word.
enum class DiagnosticCode : uint16_t {
#define TACET_DIAGNOSTIC(Code, Severity, Title) Code,
#include "compiler/core/diagnostics/codes.def"
};

}  // namespace tacet
