#pragma once

#include <vector>

#include "base/executor.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/run/oracle/compare.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::oracle {

/// What a deep check has shown.
struct DeepCheck {
  std::vector<Diagnostic> diagnostics;
  size_t n_compared = 0;  ///< pairs of things that should compute the same
  size_t n_runs = 0;      ///< runs of such pairs that ended
};

/// Runs every function of `files` that implements a value specification against that, and the
/// members of each class against one another, on random values and those at the ends of types.
/// Where they differ, a diagnostic shows on what. What cannot be run is reported, with the reason.
/// The files and what they import have no errors.
///
/// A coordinator function runs as the reference device runs it. A function that does a part of
/// its specification (its head names other nodes than the results) is run by those who call it.
auto deep_check(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                const RunOptions& options, Executor& executor) -> DeepCheck;

}  // namespace tacet::oracle
