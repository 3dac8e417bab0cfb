#pragma once

#include <memory>

#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// The features of this folder over the compiler.
auto make_compiler_host() -> std::unique_ptr<AnalysisHost>;

}  // namespace tacet::ide
