#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/diagnostics/source_view.h"

namespace tacet {

/// Names a finding by its code, `path` and the text of its line without blanks at the ends, so
/// that edits elsewhere leave it alone. Equal findings of equal lines are distinguished by the
/// caller.
auto fingerprint(const Diagnostic& diagnostic, const SourceView& source, std::string_view path)
    -> uint64_t;

}  // namespace tacet
