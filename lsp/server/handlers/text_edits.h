#pragma once

#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "lsp/protocol/types.h"
#include "lsp/server/documents/position_mapper.h"

namespace tacet::lsp {

auto protocol_edits(std::vector<TextEdit> edits, PositionMapper& positions)
    -> std::vector<ProtocolTextEdit>;

}  // namespace tacet::lsp
