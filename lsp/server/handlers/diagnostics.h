#pragma once

#include "compiler/core/diagnostics/diagnostic.h"
#include "lsp/protocol/sent.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// A diagnostic of the file `view` as the client gets it. Notes follow the message, one
/// a line; labels become related information.
auto protocol_diagnostic(const RequestContext& context, FileView& view,
                         const Diagnostic& diagnostic) -> ProtocolDiagnostic;

}  // namespace tacet::lsp
