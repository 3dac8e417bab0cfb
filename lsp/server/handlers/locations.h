#pragma once

#include <span>
#include <vector>

#include "lsp/protocol/types.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// Places as the client gets them. Those of one file should stand together.
auto locations(const RequestContext& context, std::span<const FileRange> places)
    -> std::vector<Location>;

}  // namespace tacet::lsp
