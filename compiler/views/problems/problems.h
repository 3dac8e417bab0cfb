#pragma once

#include <vector>

#include "base/executor.h"
#include "compiler/spec/program/frontend.h"

/// What is wrong with files, from all parts of the compiler.
namespace tacet::problems {

/// Everything wrong with a file, by place: also which device functions cannot run on ciphertexts or
/// on secret shares, and which are something else than their specifications.
auto diagnostics(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<Diagnostic>;

/// The same of `files`, in that order, found on as many cores as `executor` has.
auto check(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
           Executor& executor) -> std::vector<std::vector<Diagnostic>>;

}  // namespace tacet::problems
