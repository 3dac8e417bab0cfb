#pragma once

#include "lsp/ide/results.h"
#include "lsp/protocol/sent.h"
#include "lsp/server/documents/position_mapper.h"

namespace tacet::lsp {

/// The nearest of the symbol kinds that LSP knows.
auto symbol_kind_number(ide::SymbolKind kind) -> int;

/// A symbol with its children, as the client gets it.
auto protocol_symbol(ide::Symbol symbol, PositionMapper& positions) -> ProtocolSymbol;

}  // namespace tacet::lsp
