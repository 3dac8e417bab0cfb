#pragma once

#include <functional>
#include <string>

#include "lsp/server/handlers/answer.h"

namespace tacet::lsp {

/// Runs one request's work so that a bug of ours ends the request and not the process:
/// a failed check and any exception become an `InternalError` that says what failed.
/// `query::Cancelled` passes through.
auto answer_behind_barrier(const std::function<Answer()>& work) -> Answer;

/// The same for work that has no answer; the report, or nothing if all went well.
auto behind_barrier(const std::function<void()>& work) -> std::string;

}  // namespace tacet::lsp
