#pragma once

#include <optional>

#include "lsp/protocol/received.h"
#include "lsp/protocol/sent.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// What a lens says and does; nothing if its file or subject no longer exists.
auto lens_command(const RequestContext& context, const LensParams& lens)
    -> std::optional<ProtocolLensCommand>;

}  // namespace tacet::lsp
