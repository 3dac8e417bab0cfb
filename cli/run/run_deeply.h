#pragma once

#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "cli/run/extern_libraries.h"
#include "compiler/run/oracle/deep_check.h"

namespace tacet::cli {

/// `tacet check --deep`: the files of `frontend` at `paths` (absolute), which have no errors, are
/// run against their specifications, `n_runs` times each, and functions of `he` that bound their
/// inputs are compiled, as a run would. An error if a library lacks what is looked for in it, as
/// `ExternLibraries::functions` says.
auto run_deeply(program::Frontend& frontend, const std::vector<std::string>& paths,
                const ExternLibraries& libraries, size_t n_runs, Executor& executor)
    -> Result<oracle::DeepCheck>;

}  // namespace tacet::cli
