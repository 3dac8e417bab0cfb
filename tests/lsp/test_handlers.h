#pragma once

#include <span>

#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

/// Requests that no editor sends, for what no program makes the server do:
///
///   test/wait                is answered by nothing but an edit, a cancellation or the end
///   test/waitForDiagnostics the same, as diagnostics are pulled
///   test/crash               fails a check
///   test/throw               throws an exception
auto test_handlers() -> std::span<const RequestHandler>;

}  // namespace tacet::lsp
