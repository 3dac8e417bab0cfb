#pragma once

#include <memory>

#include "engine/he_model/operation_times.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// The features of this folder over the compiler. Costs of encryption are estimated by `times`.
auto make_compiler_host(he::OperationTimes times = he::default_operation_times())
    -> std::unique_ptr<AnalysisHost>;

}  // namespace tacet::ide
